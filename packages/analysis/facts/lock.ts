import { pathText } from '../../../runtime/facts/paths.js';
import type { ReadPath, ReadSet } from '../../../runtime/policy/index.js';
import type { FactsReport, FactsTable } from './facts-report.js';

/** What decisions read, as a file that is committed: without lines, which change with any edit. */
export interface FactsLock {
  readonly level: string;
  /** The sets by kind, with version and scope where these are not the usual ones; then by action and role. */
  readonly kinds: {
    readonly [kind: string]: { readonly [action: string]: { readonly [role: string]: readonly string[] } };
  };
}

/** A path that an action reads for some roles, and did not, or the reverse. */
export interface ReadChange {
  /** `album`, `album version v2 scope acme`. */
  readonly kind: string;
  readonly action: string;
  readonly change: 'also reads' | 'no longer reads';
  /** `resource.attr.region`, `has(resource.attr.region)`. */
  readonly path: string;
  /** The roles, unless all roles of the table. */
  readonly roles: readonly string[];
  /** Where it is read: `album.yaml:12`. */
  readonly lines: readonly string[];
}

/** The lock file of a report. */
export function makeLock({ level, tables }: FactsReport): FactsLock {
  const kinds = tables.map((table) => {
    const actions = table.rows.map(({ action, sets }) => [
      action.label,
      Object.fromEntries(sets.map((set, index) => [table.roles[index]?.label ?? '', readTexts(set)])),
    ]);
    return [tableName(table), Object.fromEntries(actions)];
  });
  return { level, kinds: Object.fromEntries(kinds) };
}

/** How what a report says differs from a lock file, in the order of the report. */
export function compareLock(lock: FactsLock, report: FactsReport): readonly ReadChange[] {
  const current = makeLock(report);
  const changes: ReadChange[] = [];
  for (const kind of new Set([...Object.keys(current.kinds), ...Object.keys(lock.kinds)])) {
    const table = report.tables.find((each) => tableName(each) === kind);
    const [before, after] = [own(lock.kinds, kind) ?? {}, own(current.kinds, kind) ?? {}];
    for (const action of new Set([...Object.keys(after), ...Object.keys(before)])) {
      const [old, now] = [own(before, action) ?? {}, own(after, action) ?? {}];
      const add = (
        change: ReadChange['change'],
        paths: ReadonlyMap<string, readonly string[]>,
        all: readonly string[],
      ): void => {
        for (const [path, roles] of paths)
          changes.push({
            kind,
            action,
            change,
            path,
            roles: roles.length === all.length ? [] : roles,
            lines: change === 'also reads' && table !== undefined ? findLines(table, action, path) : [],
          });
      };
      add('also reads', listNew(old, now), Object.keys(now));
      add('no longer reads', listNew(now, old), Object.keys(old));
    }
  }
  return changes;
}

/** Paths that the second has and the first has not, with the roles. */
function listNew(
  old: { readonly [role: string]: readonly string[] },
  now: { readonly [role: string]: readonly string[] },
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [role, paths] of Object.entries(now))
    for (const path of paths)
      if (own(old, role)?.includes(path) !== true) found.set(path, [...(found.get(path) ?? []), role]);
  return found;
}

function findLines({ rows }: FactsTable, action: string, path: string): readonly string[] {
  const sets = rows.filter((row) => row.action.label === action).flatMap(({ sets: all }) => all);
  const lines = sets.flatMap(({ paths }) =>
    paths.filter((each) => readText(each) === path).flatMap((each) => each.lines),
  );
  return [...new Set(lines)];
}

/** What a set reads as texts: `resource.attr.owner`, `has(resource.attr.owner)`, `now()`. */
export function readTexts({ paths, now }: ReadSet): readonly string[] {
  return [...paths.map(readText), ...(now ? ['now()'] : [])];
}

function readText({ path, leaf }: ReadPath): string {
  const text = pathText(path);
  return leaf === 'value' ? text : leaf === 'has' ? `has(${text})` : `size(${text})`;
}

/** The kind, and what else selects the policies. */
function tableName({ kind, isNamedKind, version, scope, isNamedScope }: FactsTable): string {
  return [
    isNamedKind ? kind : `any other kind, such as ${kind}`,
    ...(version === 'default' ? [] : [`version ${version}`]),
    ...(isNamedScope ? (scope === '' ? [] : [`scope ${scope}`]) : [`any other scope, such as ${scope}`]),
  ].join(' ');
}

function own<T>(record: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
