import { sanitize } from '../../../runtime/policy/index.js';
import { kindMatcher, kindPatterns } from '../../../compiler/validate/kind-patterns.js';
import type * as ir from '../../../compiler/ir/program.js';
import { Names } from './classes.js';
import type { Decisions } from './decisions.js';
import type { Narrowing } from './narrowing.js';
import type { Point, PointPrincipal } from '../question/point.js';

/** The number of points, and of rows of a report. */
export const MOST_ROWS = 200_000;

/** Thrown if a report would have too many rows, or if there are too many globs to find its rows. */
export class TooManyRows extends Error {
  constructor(what = 'rows: narrow with --kind') {
    super(`too many ${what}`);
  }
}

/**
 * The points of one or more sets of policies at which any of them can allow something
 * (docs/spec/analysis.md#points); sorted. Throws a TooManyRows.
 *
 * @param narrowing what is looked at. Names and globs in it have points of their own.
 * @param isWanted narrows the points further.
 */
export function listPoints(
  sets: readonly Decisions[],
  lenientScopeSearch: boolean,
  narrowing: Narrowing = {},
  isWanted: (point: Point) => boolean = () => true,
): readonly Point[] {
  const modules = sets.flatMap((set) => set.program.modules);
  const resources = modules.filter((module) => module.kind === 'resource');
  const principals = modules.filter((module) => module.kind === 'principal');
  const scopes = listScopes(modules, lenientScopeSearch ? narrowing.scope : undefined);
  const isLookedAt = narrowed(narrowing);
  const found: Point[] = [];
  const add = (point: Point): void => {
    if (!isLookedAt(point) || !isWanted(point)) return;
    const decisions = sets.map((set) => set.at(point, []));
    if (
      !decisions.some(
        ({ canAllow, hasPrincipalRules }) => canAllow && (point.principal === undefined || hasPrincipalRules),
      )
    )
      return;
    if (found.push(point) > MOST_ROWS) throw new TooManyRows();
  };

  const versionsByKind = grouped(resources, ({ kindName }) => kindName);
  for (const [kind, own] of versionsByKind)
    for (const version of unique(own.map((policy) => policy.version)))
      for (const place of listPlaces(scopes, lenientScopeSearch, false))
        add({ kind, isNamedKind: true, version, ...place, principal: undefined });

  if (principals.length === 0) return sorted(found);
  const kinds = listKinds(modules, narrowing.kind === undefined ? [] : kindPatterns(narrowing.kind));
  const versions = unique(principals.map(({ version }) => version));
  const principalPlaces = listPlaces(unique(principals.map(({ scope }) => scope)), lenientScopeSearch, false);
  for (const [id, own] of grouped(principals, ({ principal }) => principal))
    for (const version of unique(own.map((policy) => policy.version)))
      for (const at of principalPlaces)
        for (const kind of kinds)
          for (const place of listPlaces(scopes, lenientScopeSearch, true)) {
            const point = (principal: PointPrincipal): Point => ({ ...kind, version, ...place, principal });
            const anyVersion = point({ id, ...at, version: undefined });
            if (sets.every((set) => set.at(anyVersion, []).isAboutKind)) add(anyVersion);
            else
              for (const each of [...versions, unusedName('other', versions)]) add(point({ id, ...at, version: each }));
          }
  return sorted(found);
}

type Place = Pick<Point, 'scope' | 'isNamedScope'>;

/** Scopes of policies; with lenient search, a scope below each; and a scope where no policy is found. */
function listPlaces(scopes: readonly string[], isLenient: boolean, withOther: boolean): readonly Place[] {
  const segment = unusedName(
    'below',
    scopes.flatMap((scope) => scope.split('.')),
  );
  const below = isLenient ? scopes.map((scope) => (scope === '' ? segment : `${scope}.${segment}`)) : [];
  const isFoundAnywhere = isLenient && scopes.includes('');
  return [
    ...scopes.map((scope) => ({ scope, isNamedScope: true })),
    ...below.map((scope) => ({ scope, isNamedScope: false })),
    ...(withOther && !isFoundAnywhere
      ? [
          {
            scope: unusedName(
              'elsewhere',
              scopes.flatMap((scope) => scope.split('.')),
            ),
            isNamedScope: false,
          },
        ]
      : []),
  ];
}

type Kind = Pick<Point, 'kind' | 'isNamedKind'>;

/**
 * The points of everyone at which a set of policies may allow nothing, besides those at which it may: all kinds that a
 * question is about, in each version and scope of policies and in others. Throws a TooManyRows.
 *
 * @param asked kinds, and globs of kinds.
 */
export function pointsOfEveryone(
  { program: { modules } }: Decisions,
  lenientScopeSearch: boolean,
  asked: readonly string[],
  isWanted: (point: Point) => boolean,
): readonly Point[] {
  const policies = modules.filter((module) => module.kind !== 'derived-roles');
  const versions = unique(policies.map(({ version }) => version));
  const found: Point[] = [];
  for (const kind of listKinds(modules, asked))
    for (const version of [...versions, unusedName('other', versions)])
      for (const place of listPlaces(listScopes(modules), lenientScopeSearch, true)) {
        const point = { ...kind, version, ...place, principal: undefined };
        if (isWanted(point) && found.push(point) > MOST_ROWS) throw new TooManyRows();
      }
  return sorted(found);
}

/** Whether a point is among what is looked at. */
export function narrowed({ kind, scope }: Narrowing): (point: Pick<Point, 'kind' | 'scope'>) => boolean {
  const isKind = kind === undefined ? () => true : kindMatcher(kind);
  return (point) => isKind(point.kind) && (scope ?? point.scope) === point.scope;
}

/** The scopes at which requests find policies of resources, and one that is asked for. */
function listScopes(modules: readonly ir.Module[], asked?: string): readonly string[] {
  return unique([
    ...modules.flatMap((module) =>
      module.kind === 'resource' || (module.kind === 'role' && module.rules.length > 0) ? [module.scope] : [],
    ),
    ...(asked === undefined ? [] : [asked]),
  ]);
}

/**
 * The kinds that policies name, and one for each set of globs of principal and role policies that match other kinds.
 * Throws a TooManyRows.
 *
 * @param asked kinds and globs that a question names as well.
 */
function listKinds(modules: readonly ir.Module[], asked: readonly string[] = []): readonly Kind[] {
  const names = new Names();
  names.add(asked);
  for (const module of modules) {
    if (module.kind === 'resource') names.addLiterals([module.kindName]);
    if (module.kind === 'principal' || module.kind === 'role')
      names.add(module.rules.map(({ resource = '*' }) => resource));
  }
  const { named, others, isComplete } = names.classes([OTHER_KIND], (name) => sanitize(name) === name);
  // A kind without a row would count as unchanged.
  if (!isComplete) throw new TooManyRows('globs of kinds in principal and role policies');
  return [
    ...named.filter((kind) => sanitize(kind) === kind).map((kind) => ({ kind, isNamedKind: true })),
    ...others.map((kind) => ({ kind, isNamedKind: false })),
  ];
}

const OTHER_KIND = 'anything';

/** A name that begins with a word and is none of others. */
export function unusedName(word: string, used: readonly string[]): string {
  let name = word;
  for (let number = 2; used.includes(name); number += 1) name = `${word}${number}`;
  return name;
}

function sorted(points: readonly Point[]): readonly Point[] {
  const identifyPoint = ({ kind, version, scope, principal }: Point): string =>
    [kind, version, scope, principal?.id ?? '', principal?.scope ?? '', principal?.version ?? ''].join('\0');
  return points
    .map((point) => [identifyPoint(point), point] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, point]) => point);
}

function grouped<T>(items: readonly T[], identifyPoint: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(identifyPoint(item));
    if (group === undefined) groups.set(identifyPoint(item), [item]);
    else group.push(item);
  }
  return groups;
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}
