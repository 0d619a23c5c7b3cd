import { glob } from '../../../runtime/policy/index.js';
import { kindMatcher } from '../../../compiler/validate/kind-patterns.js';
import type * as ir from '../../../compiler/ir/program.js';
import { type Classes, classesAt } from '../decision/classes.js';
import { Decisions, type PointDecisions, rulesAbout, type Selecting } from '../decision/decisions.js';
import type { Point } from '../question/point.js';
import { listPoints } from '../decision/points.js';
import { type Formula, type Holds, not } from '../formula/formula.js';
import { FormulaKeys } from '../formula/keys.js';
import { listLeaves, simplified } from '../formula/simplify.js';
import { Booleans } from '../solve/booleans.js';
import { type Definition, Definitions } from './definitions.js';
import { type KnownFields, KnownSide } from './known-fields.js';
import { wordFormula } from './words.js';

/** Who may do what: a table for each kind, version and scope. */
export interface Matrix {
  readonly tables: readonly MatrixTable[];
  /** Definitions of the derived roles, variables and constants in conditions; by name. */
  readonly definitions: readonly Definition[];
}

/** The policies that a table is about. */
export interface TableHeading {
  readonly kind: string;
  /** Whether a policy names the kind; otherwise it stands for all kinds that match the same globs of policies. */
  readonly isNamedKind: boolean;
  readonly version: string;
  readonly scope: string;
  /** Whether a policy has the scope; otherwise it stands for all scopes of its class, such as those below another. */
  readonly isNamedScope: boolean;
  /** Whether these are all classes of names: globs that are too many together are not taken apart. */
  readonly isComplete: boolean;
}

/** What a table about a point says of itself. */
export function makeHeading(
  { kind, isNamedKind, version, scope, isNamedScope }: Point,
  { actions, roles }: Classes,
): TableHeading {
  return { kind, isNamedKind, version, scope, isNamedScope, isComplete: actions.isComplete && roles.isComplete };
}

/** Roles by actions. A role or an action without a row or a column is denied. */
export interface MatrixTable extends TableHeading {
  readonly actions: readonly MatrixName[];
  readonly rows: readonly MatrixRow[];
}

/** A name that policies have, or all names that match the same globs of policies. */
export interface MatrixName {
  /** `view`; `comment:*` for the names that only this glob matches; `any other` for those that nothing matches. */
  readonly label: string;
  /** A name of the class. */
  readonly example: string;
}

/** What a role of a principal allows. A principal with several roles may do what any of them allows. */
export interface MatrixRow {
  /** A principal with policies of its own; null for everybody else. */
  readonly principal: MatrixPrincipal | null;
  /** Null if the role makes no difference. */
  readonly role: MatrixName | null;
  /** One for each action. */
  readonly cells: readonly Cell[];
  /** How many of the given users are in the row: those that have the role, and no row of their own. */
  readonly people?: number;
}

export interface MatrixPrincipal {
  readonly id: string;
  readonly scope: string;
  /** The version of the principal, where it matters. */
  readonly version: string | null;
}

export type Cell = (
  | { readonly answer: 'allowed' | 'denied' }
  /** Allowed where the condition holds. */
  | { readonly answer: 'condition'; readonly condition: string; readonly formula: Formula }
  /** Rules of one name share a result, which conditions cannot express. */
  | { readonly answer: 'undecided' }
) & {
  /** How many of the users of the row may do it; absent without users. */
  readonly people?: CellPeople;
};

/** How many users may perform the action of a cell. */
export interface CellPeople {
  /** Users who are allowed regardless of anything else in the request. */
  readonly least: number;
  /** Users who are allowed in at least one request. Equal to `least` if the count is exact. */
  readonly most: number;
  /** What decides about the others, such as `resource.attr.owner`; absent where the number is exact. */
  readonly dependsOn?: readonly string[];
}

/**
 * Rows with the number of users in each, and in each cell.
 *
 * @param findExample finds the name that stands for the class of a role, as rows have it.
 * @param keys of the formulas of cells.
 */
export type CountPeople = (
  rows: readonly MatrixRow[],
  findExample: (role: string) => string | undefined,
  keys: FormulaKeys,
) => readonly MatrixRow[];

/** What is shown. */
export interface MatrixOptions extends Selecting {
  /** Globs. */
  readonly kind?: string | undefined;
  readonly action?: string | undefined;
  /** An action to show alone, whether or not policies name it. */
  readonly onlyAction?: string | undefined;
  readonly role?: string | undefined;
  /** A scope; the root is the empty string. */
  readonly scope?: string | undefined;
  /** The version of the resource. */
  readonly version?: string | undefined;
  /** What is known of the resource. Conditions that it decides are left out. */
  readonly known?: KnownFields<'resource'> | undefined;
  /** Counts users. */
  readonly count?: CountPeople | undefined;
}

/** Thrown if there is more than anybody could read. */
class MatrixTooLarge extends Error {
  constructor() {
    super('too many cells: narrow with --kind, --action, --role or --scope');
  }
}

const MOST_CELLS = 100_000;

/**
 * Who may do what, proved: a cell is `allowed` or `denied` for every request of a principal with the role, and otherwise
 * exactly where its condition holds.
 *
 * @param program with folded literals, as its authors wrote it: conditions are shown in their words.
 */
export function makeMatrix(program: ir.Program, options: MatrixOptions): Matrix {
  const { kind = '*', scope, version, lenientScopeSearch = false } = options;
  const decisions = new Decisions(program, options);
  const [matchesKind, isKind] = [makeMatcher(kind), kindMatcher(kind)];
  const points = listPoints(
    [decisions],
    lenientScopeSearch,
    {},
    (point) =>
      (matchesKind(point.kind) || isKind(point.kind)) &&
      (scope === undefined || point.scope === scope) &&
      (version === undefined || point.version === version),
  );
  const maker = new TableMaker(decisions, program, options);
  const tables = groupPoints(points)
    .map((group) => maker.table(group))
    .filter(({ rows, actions }) => options.onlyAction !== undefined || (rows.length > 0 && actions.length > 0));
  return { tables, definitions: maker.definitions.all };
}

export function makeMatcher(pattern: string): (text: string) => boolean {
  const matches = pattern === '*' ? () => true : glob(pattern);
  return (text) => text === pattern || matches(text);
}

/** The points of one kind, version and scope: for everybody first, then for principals. */
export function groupPoints(points: readonly Point[]): readonly (readonly [Point, ...Point[]])[] {
  const groups = new Map<string, [Point, ...Point[]]>();
  for (const point of points) {
    const key = JSON.stringify([point.kind, point.version, point.scope]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [point]);
    else group.push(point);
  }
  return [...groups.values()];
}

class TableMaker {
  private readonly keys = new FormulaKeys();
  private readonly booleans = new Booleans(this.keys);
  readonly definitions: Definitions;
  private readonly known: KnownSide<'resource'> | undefined;
  private cells = 0;

  constructor(
    private readonly decisions: Decisions,
    program: ir.Program,
    private readonly options: MatrixOptions,
  ) {
    this.known = options.known && new KnownSide('resource', options.known);
    this.definitions = new Definitions(program, (holds) =>
      wordFormula(
        simplified(holds, this.keys, () => false),
        () => undefined,
      ),
    );
  }

  table(points: readonly [Point, ...Point[]]): MatrixTable {
    const [point] = points;
    const asked = points.map((each) => this.decisions.at(each, []));
    const classes = classesAt(point, asked);
    const patterns = listPatterns(asked, point.kind);
    const { action, onlyAction } = this.options;
    const actions =
      onlyAction === undefined
        ? this.wanted(labelNames(classes.actions, patterns.actions), action)
        : [{ label: onlyAction, example: onlyAction }];
    const roles = labelNames(classes.roles, patterns.roles);
    this.cells += actions.length * roles.length * points.length;
    if (this.cells > MOST_CELLS) throw new MatrixTooLarge();
    const examples = roles.map(({ example }) => example);
    const rows = points.map((each) => this.rowsAt(each, this.decisions.at(each, examples), { roles, actions }));
    const everybody = rows.filter(([row]) => row?.principal === null).flat();
    const shown = [
      ...everybody.filter(({ role, cells }) => isNamed(role) || cells.some(isNotDenied)),
      ...rows.flatMap((own) => (own[0]?.principal === null ? [] : principalRows(own, everybody))),
    ].filter(({ role }) => role === null || this.wanted([role], this.options.role).length > 0);
    const { count } = this.options;
    const others = labelNames({ named: [], others: classes.roles.others }, patterns.roles);
    /** The name that stands for the class of a role; undefined if it has no row. */
    const findExample = (role: string): string | undefined => {
      if (classes.roles.named.includes(role)) return role;
      const [own] = labelNames({ named: [], others: [role] }, patterns.roles);
      return others.find(({ label }) => label === own?.label)?.example;
    };
    const counted = count === undefined ? shown : count(shown, findExample, this.keys);
    const columnAt = (index: number): string =>
      JSON.stringify(shown.map(({ cells }) => plainCell(cells[index] as Cell)));
    const columns = actions.map((action, index) => {
      if (!isNamed(action)) return shown.some(({ cells }) => isNotDenied(cells[index]));
      // Role policies allow both what a glob matches and an action of its name.
      const isGlob = patterns.actions.includes(action.label);
      return !isGlob || !actions.some((_, at) => at !== index && columnAt(at) === columnAt(index));
    });
    return {
      ...makeHeading(point, classes),
      actions: actions.filter((_, index) => columns[index]),
      rows: counted.map((row) => ({ ...row, cells: row.cells.filter((_, index) => columns[index]) })),
    };
  }

  private wanted(names: readonly MatrixName[], pattern: string | undefined): readonly MatrixName[] {
    if (pattern === undefined) return names;
    const matches = makeMatcher(pattern);
    return names.filter(({ example, label }) => matches(example) || label === pattern);
  }

  private rowsAt(
    { principal }: Point,
    decisions: PointDecisions,
    { roles, actions }: { readonly roles: readonly MatrixName[]; readonly actions: readonly MatrixName[] },
  ): readonly MatrixRow[] {
    const who = principal && { id: principal.id, scope: principal.scope, version: principal.version ?? null };
    return roles.map((role) => ({
      principal: who ?? null,
      role,
      cells: actions.map((action) =>
        decisions.sharesResults ? { answer: 'undecided' } : this.cell(decisions.ofRole(role.example, action.example)),
      ),
    }));
  }

  private cell(formula: Formula): Cell {
    if (this.booleans.isImpossible(formula)) return { answer: 'denied' };
    if (this.booleans.isImpossible(not(formula))) return { answer: 'allowed' };
    const findName = (holds: Holds): string | undefined => this.definitions.findName(holds);
    const short = simplified(
      formula,
      this.keys,
      (holds) => findName(holds) !== undefined,
      (holds) => this.known?.evaluateCondition(holds),
    );
    if (typeof short === 'boolean') return { answer: short ? 'allowed' : 'denied' };
    for (const leaf of listLeaves(short)) if (leaf.kind === 'holds') this.definitions.add(leaf);
    return { answer: 'condition', condition: wordFormula(short, findName), formula: short };
  }
}

function isNamed(name: MatrixName | null): boolean {
  return name === null || name.label === name.example;
}

function isNotDenied(cell: Cell | undefined): boolean {
  return cell !== undefined && cell.answer !== 'denied';
}

/** The rows of a principal that differ from everybody's; one row if the role makes no difference. */
function principalRows(own: readonly MatrixRow[], everybody: readonly MatrixRow[]): readonly MatrixRow[] {
  const [first] = own;
  if (first === undefined) return [];
  const nothing: readonly Cell[] = first.cells.map(() => ({ answer: 'denied' }));
  const formatCells = (cells: readonly Cell[] | undefined): string => JSON.stringify((cells ?? nothing).map(plainCell));
  const differing = own.filter(({ cells }, index) => formatCells(cells) !== formatCells(everybody[index]?.cells));
  const isSame = own.every(({ cells }) => formatCells(cells) === formatCells(first.cells));
  return isSame && differing.length > 0 ? [{ ...first, role: null }] : differing;
}

/** A cell without its formula. */
export function plainCell(cell: Cell): object {
  if (cell.answer !== 'condition') return cell;
  const { formula: _, ...plain } = cell;
  return plain;
}

/** The globs that rules about a kind have. */
export function listPatterns(
  asked: readonly PointDecisions[],
  kind: string,
): { readonly actions: readonly string[]; readonly roles: readonly string[] } {
  const modules = new Set(asked.flatMap(({ modules: own }) => own));
  const actions = new Set<string>();
  const roles = new Set<string>();
  for (const module of modules) {
    if (module.kind === 'derived-roles') continue;
    if (module.kind === 'role') {
      for (const { allowActions } of module.rules) for (const action of allowActions) actions.add(action);
      continue;
    }
    for (const rule of rulesAbout(module, kind)) {
      for (const action of rule.actions) actions.add(action);
      for (const role of rule.roles) roles.add(role);
    }
  }
  const globsIn = (texts: ReadonlySet<string>): readonly string[] =>
    [...texts].filter((text) => text !== '*' && /[*?[{\\]/.test(text)).sort();
  return { actions: globsIn(actions), roles: globsIn(roles) };
}

/** Classes of names with what they have in common. */
export function labelNames(
  { named, others }: { readonly named: readonly string[]; readonly others: readonly string[] },
  patterns: readonly string[],
): readonly MatrixName[] {
  const matchers = patterns.map((pattern) => ({ pattern, matches: glob(pattern) }));
  const labelClass = (example: string): string => {
    const matching = matchers.filter(({ matches }) => matches(example)).map(({ pattern }) => pattern);
    return matching.length === 0 ? ANY_OTHER : matching.join(' and ');
  };
  const classes = others.map((example) => ({ label: labelClass(example), example }));
  return [
    ...named.map((name) => ({ label: name, example: name })),
    ...classes.filter(({ label }) => label !== ANY_OTHER),
    ...classes.filter(({ label }) => label === ANY_OTHER),
  ];
}

const ANY_OTHER = 'any other';
