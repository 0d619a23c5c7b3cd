import { PlanQuery } from '../../../runtime/engine/parts.js';
import { glob, sanitize } from '../../../runtime/policy/index.js';
import * as residual from '../../../runtime/residual/index.js';
import type { JsonValue, Operand } from '../../../runtime/residual/index.js';
import { renderSql, type SqlDialect, type SqlProblem, type SqlTable } from '../../../runtime/residual/sql/index.js';
import type { CelType } from '../../cel/library/types.js';
import type { Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import type { AuthoredText, DerivedRoleReference, Match, Module, Program } from '../../../compiler/ir/program.js';
import { some } from '../../../compiler/ir/visit.js';
import { residualBeforeRequests } from '../program/filters.js';

/**
 * Reports the conditions of rules that have no SQL condition over the table of their kind, whoever asks: those that a
 * list of resources of the kind cannot use. A condition that SQL expresses for some principals is not reported.
 *
 * @param program with folded literals.
 */
export function reportUnfilteredRules(
  { modules }: Program,
  tables: ReadonlyMap<string, SqlTable>,
  dialect: SqlDialect,
  report: Diagnostics,
): void {
  const byKey = new Map(modules.map((module) => [module.key, module]));
  for (const [kind, table] of tables) {
    for (const { module, what, rule, condition } of listConditions(kind, modules, byKey)) {
      for (const { expression, reason, part, perRow } of unfilteredIn(condition, module, table, dialect)) {
        const span = expression.spanOf(0, expression.text.length);
        const place = { span, anchor: span.start, path: '' };
        const notes = [{ message: `in a filter it is \`${part}\`` }];
        if (perRow) report.add('sql/closure-per-row', place, { what, rule, kind, dialect, table: reason }, { notes });
        else report.add('rule/not-in-sql', place, { what, rule, kind, dialect, reason }, { notes });
      }
    }
  }
}

/** A condition that decides about resources of a kind. */
interface Conditional {
  readonly module: Module;
  readonly what: 'rule' | 'derived role';
  readonly rule: string;
  readonly condition: Match;
}

function listConditions(
  kind: string,
  modules: readonly Module[],
  byKey: ReadonlyMap<string, Module>,
): readonly Conditional[] {
  const found = new Map<Match, Conditional>();
  const add = (module: Module, what: Conditional['what'], rule: string, condition: Match | undefined): void => {
    if (condition !== undefined) found.set(condition, { module, what, rule, condition });
  };
  const addRole = ({ module: key, name }: DerivedRoleReference): void => {
    const module = byKey.get(key);
    if (module?.kind !== 'derived-roles') return;
    for (const role of module.definitions) if (role.name === name) add(module, 'derived role', name, role.condition);
  };
  const isOfKind = (pattern: string | undefined): boolean => pattern !== undefined && glob(pattern)(sanitize(kind));
  for (const module of modules) {
    if (module.kind === 'resource' && module.kindName === sanitize(kind)) {
      for (const { name, condition, derivedRole } of module.rules) {
        add(module, 'rule', name, condition);
        if (derivedRole !== undefined) addRole(derivedRole);
      }
    }
    if (module.kind === 'principal')
      for (const { name, condition, resource } of module.rules)
        if (isOfKind(resource)) add(module, 'rule', name, condition);
    if (module.kind === 'role')
      for (const { name, condition, resource } of module.rules)
        if (isOfKind(sanitize(resource))) add(module, 'rule', name === '' ? resource : name, condition);
  }
  return [...found.values()];
}

/** A part of a condition without SQL. */
interface Unfiltered {
  readonly expression: AuthoredText;
  /** Why it has none; the table, for a closure that is found for each row. */
  readonly reason: string;
  readonly part: string;
  readonly perRow: boolean;
}

function unfilteredIn(match: Match, module: Module, table: SqlTable, dialect: SqlDialect): readonly Unfiltered[] {
  if (match.kind !== 'expr') return match.of.flatMap((part) => unfilteredIn(part, module, table, dialect));
  const { value, expression } = match;
  // Derived roles are reported by themselves, and which of them are active is known when a plan is made.
  if (some(value, (part) => part.kind === 'field' && part.of === 'runtime')) return [];
  const unknowns = new Map<string, CelType>();
  const condition = residualBeforeRequests(value, module, NOBODY, (given) => {
    // No variable of a macro has such a name.
    const name = `?${unknowns.size}`;
    unknowns.set(name, given.type);
    const { kind } = given.type;
    const isOfTime = kind === 'timestamp' || kind === 'duration';
    const unknown = new residual.Unknown(
      { kind: 'path', root: name, fields: [] },
      isOfTime ? 'string' : toSort(given.type),
    );
    // A filter contains a time as a string and a function that parses it. Without that function, the operands of
    // arithmetic might be numbers of any type.
    return isOfTime ? new residual.Unknown({ kind: 'call', operator: kind, operands: [unknown] }, 'other') : unknown;
  });
  const unplannable = residual.unplannableReason(condition);
  if (unplannable !== undefined) return [{ expression, reason: unplannable, part: expression.text, perRow: false }];
  const filter = residual.filterOf(condition);
  if (filter.kind !== 'KIND_CONDITIONAL') return [];
  return listParts(filter.condition).flatMap((part): readonly Unfiltered[] => {
    const found = { expression, part: residual.operandText(named(part, unknowns)) };
    const reason = findRefusal(part, unknowns, (known) => reasonFor(known, table, dialect));
    if (reason !== undefined) return [{ ...found, reason, perRow: false }];
    const closure = findRefusal(part, unknowns, (known) => closurePerRow(known, table, dialect));
    return closure === undefined ? [] : [{ ...found, reason: closure, perRow: true }];
  });
}

/** A request that asks about nothing: what it would determine is not read. */
const NOBODY = new PlanQuery(
  { principal: { id: '', roles: [] }, resource: { kind: '' }, actions: [] },
  { globals: {}, clock: () => ({ seconds: 0, nanos: 0, offset: 0 }) },
);

function toSort({ kind }: CelType): residual.Unknown['sort'] {
  switch (kind) {
    case 'string':
    case 'bool':
    case 'int':
    case 'double':
      return kind;
    case 'dyn':
      return 'json';
    default:
      return 'other';
  }
}

/** The conditions that logical operators combine: each is refused by itself. */
function listParts(operand: Operand): readonly Operand[] {
  return 'expression' in operand && LOGIC.has(operand.expression.operator)
    ? operand.expression.operands.flatMap(listParts)
    : [operand];
}

const LOGIC: ReadonlySet<string> = new Set(['and', 'or', 'not', 'unless', 'if']);

/** What is said of a condition whatever a request determines; undefined if it is not, or if it depends on too much. */
function findRefusal(
  operand: Operand,
  unknowns: ReadonlyMap<string, CelType>,
  reasonOf: (operand: Operand) => string | undefined,
): string | undefined {
  const names = [...new Set(listVariables(operand))].filter((name) => unknowns.has(name));
  if (names.length > MOST_UNKNOWNS) return undefined;
  let reason: string | undefined;
  for (const values of combinations(names.map((name) => listSamples(unknowns.get(name) as CelType)))) {
    reason = reasonOf(replaced(operand, new Map(names.map((name, index) => [name, values[index] as Operand]))));
    if (reason === undefined) return undefined;
  }
  return reason;
}

/** The most unknowns that are tried; each more makes the combinations sevenfold. */
const MOST_UNKNOWNS = 3;

/** Why a condition or its negation has no SQL. */
function reasonFor(operand: Operand, table: SqlTable, dialect: SqlDialect): string | undefined {
  for (const condition of [operand, { expression: { operator: 'not', operands: [operand] } }]) {
    const rendered = renderSql({ kind: 'KIND_CONDITIONAL', condition }, table, { dialect });
    if (rendered.kind !== 'refused') continue;
    const [{ operator, reason }] = rendered.problems as [SqlProblem];
    return operator === 'variable' || operator === 'filter' ? reason : `\`${operator}\`: ${reason}`;
  }
  return undefined;
}

/** A table whose closure a condition finds for each row. */
function closurePerRow(condition: Operand, table: SqlTable, dialect: SqlDialect): string | undefined {
  const rendered = renderSql({ kind: 'KIND_CONDITIONAL', condition }, table, { dialect });
  return rendered.kind === 'sql' ? rendered.closuresPerRow?.[0] : undefined;
}

/** Values of a type that SQL treats differently. */
function listSamples({ kind }: CelType): readonly Operand[] {
  switch (kind) {
    case 'bool':
      return [constant(true), constant(false)];
    case 'string':
      return [constant('a')];
    case 'int':
    case 'uint':
    case 'double':
      return [constant(1), constant(1.5)];
    case 'null':
      return [constant(null)];
    case 'timestamp':
      return [constant('2020-01-01T00:00:00Z')];
    case 'duration':
      return [constant('3600s')];
    case 'list':
      return [constant([]), constant(['a'])];
    case 'map':
      return [constant({}), constant({ a: 'a' })];
    default:
      return [
        constant('a'),
        constant(1),
        constant(1.5),
        constant(true),
        constant(null),
        constant(['a']),
        constant({ a: 'a' }),
      ];
  }
}

function constant(value: JsonValue): Operand {
  return { value };
}

function* combinations(choices: readonly (readonly Operand[])[]): Generator<readonly Operand[]> {
  const [first, ...others] = choices;
  if (first === undefined) {
    yield [];
    return;
  }
  for (const rest of combinations(others)) for (const one of first) yield [one, ...rest];
}

function* listVariables(operand: Operand): Generator<string> {
  if ('variable' in operand) yield operand.variable;
  if ('expression' in operand) for (const part of operand.expression.operands) yield* listVariables(part);
}

function replaced(operand: Operand, values: ReadonlyMap<string, Operand>): Operand {
  if ('variable' in operand) return values.get(operand.variable) ?? operand;
  if ('value' in operand) return operand;
  const { operator, operands } = operand.expression;
  return { expression: { operator, operands: operands.map((part) => replaced(part, values)) } };
}

/** Prints an operand, with `?` for what a request determines. */
function named(operand: Operand, unknowns: ReadonlyMap<string, CelType>): Operand {
  return replaced(operand, new Map([...unknowns.keys()].map((name) => [name, { variable: '?' }])));
}
