import type { ReadLevel, ReadSet, ReadSetOptions } from '../../../runtime/policy/index.js';
import { kindMatcher } from '../../../compiler/validate/kind-patterns.js';
import type * as ir from '../../../compiler/ir/program.js';
import { classesAt } from '../decision/classes.js';
import { Decisions } from '../decision/decisions.js';
import { listPoints } from '../decision/points.js';
import {
  groupPoints,
  labelNames,
  listPatterns,
  makeHeading,
  makeMatcher,
  type MatrixName,
  type TableHeading,
} from '../matrix/matrix.js';
import type { Point } from '../question/point.js';
import { ReadSets } from './of-point.js';
import { unite } from './read-set.js';

/** What the decisions of a set of policies read: a table for each kind, version and scope. */
export interface FactsReport {
  readonly level: ReadLevel;
  readonly tables: readonly FactsTable[];
}

/** The read sets of actions by roles. An action or a role without a row or a column is denied. */
export interface FactsTable extends TableHeading {
  readonly roles: readonly MatrixName[];
  readonly rows: readonly FactsRow[];
}

/** The read sets of an action. */
export interface FactsRow {
  readonly action: MatrixName;
  /** One for each role of the table; principals with policies of their own are included. */
  readonly sets: readonly ReadSet[];
}

/** What is shown. */
export interface FactsReportOptions extends ReadSetOptions {
  readonly level?: ReadLevel | undefined;
  /** Globs. */
  readonly kind?: readonly string[] | undefined;
  readonly action?: readonly string[] | undefined;
  readonly role?: readonly string[] | undefined;
  /** A scope; the root is the empty string. */
  readonly scope?: string | undefined;
  /** The version of the resource. */
  readonly version?: string | undefined;
}

/**
 * What each decision can read of a request.
 * @param program with folded literals, as its authors wrote it: paths have the lines that read them.
 */
export function makeFactsReport(program: ir.Program, options: FactsReportOptions = {}): FactsReport {
  const { level = 'effect', kind = [], scope, version, lenientScopeSearch = false } = options;
  const { defaultPolicyVersion = 'default', defaultScope = '' } = options;
  const decisions = new Decisions(program, { defaultPolicyVersion, defaultScope, lenientScopeSearch });
  const sets = new ReadSets(program, options);
  const isKind = matchesOne(kind, (text) => (name) => kindMatcher(text)(name) || makeMatcher(text)(name));
  const points = listPoints(
    [decisions],
    lenientScopeSearch,
    {},
    (point) =>
      isKind(point.kind) &&
      (scope === undefined || point.scope === scope) &&
      (version === undefined || point.version === version),
  );
  const tables = groupPoints(points).map((group) => makeTable(group, { decisions, sets, level, options }));
  return { level, tables: tables.filter(({ rows }) => rows.length > 0) };
}

interface Making {
  readonly decisions: Decisions;
  readonly sets: ReadSets;
  readonly level: ReadLevel;
  readonly options: FactsReportOptions;
}

function makeTable(points: readonly [Point, ...Point[]], { decisions, sets, level, options }: Making): FactsTable {
  const [first] = points;
  const asked = points.map((point) => decisions.at(point, []));
  const classes = classesAt(first, asked);
  const patterns = listPatterns(asked, first.kind);
  const wanted = (names: readonly MatrixName[], texts: readonly string[] = []): readonly MatrixName[] => {
    const matches = matchesOne(texts, makeMatcher);
    return names.filter(({ example, label }) => matches(example) || texts.includes(label));
  };
  const actions = wanted(labelNames(classes.actions, patterns.actions), options.action);
  const roles = wanted(labelNames(classes.roles, patterns.roles), options.role);
  const at = points.map((point) => ({
    point,
    ofRole: roles.map(({ example }) => decisions.at(point, [example])),
  }));
  const rows = actions.map((action) => ({
    action,
    sets: roles.map(({ example }) => unite(at.map(({ point }) => sets.at(point, action.example, [example], level)))),
  }));
  const isAllowable = (action: MatrixName, role: number): boolean =>
    at.some(({ ofRole }) => {
      const own = ofRole[role] as (typeof ofRole)[number];
      return own.sharesResults || own.ofRole((roles[role] as MatrixName).example, action.example) !== false;
    });
  // A name of any other role or action is shown if it is not denied.
  const shownRoles = roles.map(
    (role, index) => role.label === role.example || actions.some((action) => isAllowable(action, index)),
  );
  const shownRows = rows.filter(
    ({ action }) => action.label === action.example || roles.some((_, index) => isAllowable(action, index)),
  );
  const keep = <T>(items: readonly T[]): readonly T[] => items.filter((_, index) => shownRoles[index]);
  return {
    ...makeHeading(first, classes),
    roles: keep(roles),
    rows: shownRows.map((row) => ({ ...row, sets: keep(row.sets) })),
  };
}

function matchesOne(
  texts: readonly string[],
  matcher: (text: string) => (name: string) => boolean,
): (name: string) => boolean {
  const matchers = texts.map(matcher);
  return matchers.length === 0 ? () => true : (name) => matchers.some((matches) => matches(name));
}
