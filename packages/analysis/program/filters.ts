import type { Filters, PlannedCondition, Query } from '../../../runtime/policy/index.js';
import * as residual from '../../../runtime/residual/index.js';
import { evaluate, findFunction, type Surroundings } from '../../../compiler/evaluate.js';
import { invariant } from '../../../compiler/diagnostics/invariant.js';
import type { Match, Module } from '../../../compiler/ir/program.js';
import { isSettled, type SettledScope } from '../../../compiler/ir/settled.js';
import { survives } from '../../../compiler/ir/survives.js';
import type { Macro, Value } from '../../../compiler/ir/value.js';
import { readsVariables, some, listValues } from '../../../compiler/ir/visit.js';
import type { ProgramBundle } from './bundle.js';
import { type Reading, makeSurroundings } from './conditions.js';

/**
 * The filters of the conditions of a bundle, for plans: with them and the `planner` of `runtime/engine/parts.ts`, an engine of
 * the bundle can plan. They are those of the emitted bundle if the program is the optimised one;
 * tests/analysis/program.test.ts compares the two. Rows that a schema rejects are not part of them.
 */
export function makeFilters({ origins }: Pick<ProgramBundle, 'origins'>): Filters {
  const known = new Map<Module, SettledScope>();
  return [...origins].flatMap(([conditional, { module, rule }]) => {
    const { condition } = rule;
    if (condition === undefined) return [];
    const scope = known.get(module) ?? settleScope(module);
    known.set(module, scope);
    const inverted = 'inverted' in rule && rule.inverted;
    const filter = (reading: Reading): PlannedCondition => {
      return (query, algebra) => {
        const left = filterCondition(condition, new Evaluation(module, scope, query, reading), algebra);
        return inverted ? algebra.not(left) : left;
      };
    };
    // Its variables may evaluate differently while roles are listed.
    const isListedApart = module.kind === 'derived-roles' && listValues(condition).some(readsVariables);
    return [
      isListedApart ? [conditional, filter({}), filter({ failedIsNull: true })] : [conditional, filter({})],
    ] satisfies Filters;
  });
}

/**
 * What remains of an expression before both the principal and the resource are known.
 *
 * @param given returns what stands for a value that a request determines; each is as large as possible.
 */
export function residualBeforeRequests(
  value: Value,
  module: Module,
  query: Query,
  given: (value: Value) => residual.Term,
): residual.Condition {
  return residual.holds(evaluateTerm(value, new Evaluation(module, settleScope(module), query, {}, given), NO_LOCALS));
}

/** What stands for an expression about the principal that an application computes; undefined if it does not. */
type Compute = (value: Value, module: Module, scope: SettledScope) => residual.Term | undefined;

/**
 * What remains of a condition that a database asks for whoever runs a statement: principal, tokens and time are
 * unknown, as `SESSION` names them.
 *
 * @param compute is asked about each expression, the largest first; by default nothing is computed.
 */
export function residualOfSession(
  condition: Match,
  module: Module,
  query: Query,
  reading: Reading,
  compute: Compute = () => undefined,
): residual.Condition {
  const scope = settleScope(module);
  const own = (value: Value): residual.Term | undefined =>
    reading.failedIsNull === true && readsVariables(value) ? undefined : compute(value, module, scope);
  const evaluation = new Evaluation(module, scope, query, reading, { compute: own });
  return filterCondition(condition, evaluation, residual.LENIENT);
}

/**
 * What remains of a condition whose resource is known, and whose principal is one of many: its id, roles and attributes
 * are unknown, as `SESSION` names them. All else is in the query.
 */
export function residualOfSubject(
  condition: Match,
  module: Module,
  query: Query,
  reading: Reading,
): residual.Condition {
  const scope = { ...settleScope(module), isKnown: isKnownOfSubject };
  return filterCondition(condition, new Evaluation(module, scope, query, reading, SUBJECT), residual.LENIENT);
}

/** Whether a part of a request is known while its principal is one of many. */
function isKnownOfSubject(part: Value & { readonly kind: 'field' | 'part' }): boolean {
  if (part.kind === 'part') return part.part === 'resource' || part.part === 'auxData';
  if (part.of === 'principal') return !OF_SUBJECTS.has(part.name);
  return part.of !== 'runtime' && part.of !== 'request';
}

/** What differs between the principals of a plan of subjects. */
const OF_SUBJECTS: ReadonlySet<string> = new Set(['id', 'roles', 'attr']);

/** That the principal is unknown, and all else is known. */
const SUBJECT = 'subject';

/** The variables of a residual of a session. */
export const SESSION = {
  id: 'request.principal.id',
  roles: 'request.principal.roles',
  attributes: 'request.principal.attr',
  token: 'request.auxData.jwt',
  now: 'request.now',
} as const;

/** A variable of a session as a term. */
export function sessionTerm(variable: string, sort: residual.Unknown['sort']): residual.Unknown {
  const end = variable.lastIndexOf('.');
  const field = { name: variable.slice(end + 1), bracketed: false };
  return new residual.Unknown({ kind: 'path', root: variable.slice(0, end), fields: [field] }, sort);
}

/**
 * A condition of the principal of a session, or of one that is searched: that it is the one that a point names, or, of a point that
 * names none, not one of those that others name.
 */
export function isPrincipalAt(
  { principal }: { readonly principal?: { readonly id: string } | undefined },
  known: readonly string[],
): residual.Condition {
  const id = sessionTerm(SESSION.id, 'string');
  return principal === undefined
    ? residual.noneOf(...known.map((name) => residual.holds(residual.equals(id, name))))
    : residual.holds(residual.equals(id, principal.id));
}

function settleScope({ variables }: Module): SettledScope {
  const values = new Map(variables.map(({ name, value }) => [name, value]));
  const names = [...values.keys()];
  return {
    variableValue: (name) => values.get(name) ?? invariant(`variable ${name} was not lowered`),
    variablesBefore: (name) => (name === undefined ? names : names.slice(0, names.indexOf(name))),
    settled: new Map(),
  };
}

/** One evaluation of a condition for a query. */
class Evaluation {
  /** Surroundings for values that do not depend on the resource. */
  readonly known: Surroundings;
  private readonly variables = new Map<string, residual.Term>();

  constructor(
    module: Module,
    readonly scope: SettledScope,
    readonly query: Query,
    readonly reading: Reading,
    /** What stands for values that a request determines, or for some of those that a session determines. */
    private readonly given?:
      | ((value: Value) => residual.Term)
      | { readonly compute: (value: Value) => residual.Term | undefined }
      | typeof SUBJECT,
  ) {
    this.known = makeSurroundings(module, query, reading);
  }

  /** Whether the principal is unknown, and all else is known. */
  get isOfSubject(): boolean {
    return this.given === SUBJECT;
  }

  /** The value of what is known before the resource. */
  settled(value: Value): residual.Term {
    return typeof this.given === 'function' && readsRequest(value, this.scope)
      ? this.given(value)
      : evaluate(value, this.known);
  }

  /** Whether a value is made of what a session has. */
  isOfSession(value: Value): boolean {
    return typeof this.given === 'object' && readsRequest(value, this.scope);
  }

  /** A value that a session has; undefined for one that is made of others. */
  session(value: Value): residual.Term | undefined {
    return (typeof this.given === 'object' ? this.given.compute(value) : undefined) ?? readSession(value);
  }

  /** A variable as it is defined: while derived roles are listed, a failed one is not null yet. */
  variable(name: string): residual.Term {
    const before = this.variables.get(name);
    if (before !== undefined) return before;
    const value = this.scope.variableValue(name);
    const term = evaluateTerm(value, this, NO_LOCALS);
    const kept = survives(value.type) ? term : residual.stored(term);
    this.variables.set(name, kept);
    return kept;
  }
}

/** Whether a value depends on the request: on the principal, a token, the time or the globals. */
function readsRequest(value: Value, scope: SettledScope): boolean {
  return some(
    value,
    (part) =>
      part.kind === 'field' ||
      part.kind === 'part' ||
      part.kind === 'global' ||
      part.kind === 'bindings' ||
      part.kind === 'is-set' ||
      (part.kind === 'call' && part.runtime === 'now') ||
      (part.kind === 'variable' && readsRequest(scope.variableValue(part.name), scope)),
  );
}

type Locals = ReadonlyMap<string, residual.Term>;

const NO_LOCALS: Locals = new Map();

/** What remains of a condition: what the code of compiler/emit/where.ts evaluates to. */
function filterCondition<C>(match: Match, evaluation: Evaluation, algebra: residual.Algebra<C>): C {
  if (match.kind === 'expr') return algebra.holds(evaluateTerm(match.value, evaluation, NO_LOCALS));
  const parts = match.of.map((part) => filterCondition(part, evaluation, algebra));
  switch (match.kind) {
    case 'all':
      return algebra.allOf(...parts);
    case 'any':
      return algebra.anyOf(...parts);
    case 'none':
      return algebra.noneOf(...parts);
  }
}

/** What remains of a value. The depth of expressions is limited by the parser. */
function evaluateTerm(value: Value, evaluation: Evaluation, locals: Locals): residual.Term {
  const { scope, known, query } = evaluation;
  if (evaluation.isOfSession(value)) {
    const own = evaluation.session(value);
    if (own !== undefined) return own;
  } else if (isSettled(value, scope) && survives(value.type)) return evaluation.settled(value);
  const term = (part: Value): residual.Term => evaluateTerm(part, evaluation, locals);
  switch (value.kind) {
    case 'literal':
    case 'constant':
    case 'global':
      return evaluate(value, known);
    case 'field':
      return readField(value, evaluation);
    case 'part':
      return residual.unplannable(`${value.part} as a whole`);
    case 'bindings':
      return residual.unplannable(`${value.of} as a whole`);
    case 'variable': {
      const variable = evaluation.variable(value.name);
      return evaluation.reading.failedIsNull ? residual.orNull(variable) : variable;
    }
    case 'local':
      return locals.get(value.name);
    case 'is-set':
      return value.binding === 'variable'
        ? residual.isSet(evaluation.variable(value.name))
        : (evaluate(value, known) as residual.Term);
    case 'select':
      return isAttributes(value.operand) && !evaluation.isOfSubject
        ? query.row.attr(value.name)
        : residual.select(term(value.operand), value.name);
    case 'optional-select':
      return residual.optionalSelect(term(value.operand), value.name);
    case 'has':
      return residual.has(term(value.operand), value.name);
    case 'index':
      return residual.index(term(value.operand), term(value.index));
    case 'optional-index':
      return residual.optionalIndex(term(value.operand), term(value.index));
    case 'operator':
      return residualFunction(value.operator === 'not' ? 'complement' : value.operator)(...value.operands.map(term));
    case 'call':
      return evaluateCall(value, evaluation, term);
    case 'list':
      if (value.elements.some(({ optional }) => optional)) return residual.unplannable('an optional element');
      return residual.list(...value.elements.map((element) => term(element.value)));
    case 'map':
      if (value.entries.some(({ optional }) => optional)) return residual.unplannable('an optional entry');
      return residual.struct(...value.entries.map(({ key, value: item }) => [term(key), term(item)] as const));
    case 'type-name':
      return residual.typeName(value.name);
    case 'macro':
      return evaluateMacro(value, evaluation, locals);
  }
}

function readField(value: Value & { readonly kind: 'field' }, evaluation: Evaluation): residual.Term {
  const { query, known } = evaluation;
  if (value.of === 'runtime') return query.derivedRoles;
  if (evaluation.isOfSubject)
    return isKnownOfSubject(value)
      ? evaluate(value, known)
      : (readSession(value) ?? residual.unplannable(`${value.of}.${value.name}`));
  if (isAttributes(value)) return query.row.attributes;
  if (value.of === 'resource' && (value.name === 'id' || value.name === 'policyVersion')) return query.row[value.name];
  return evaluate(value, known);
}

/** A value that the principal, a token or the clock of a session is; undefined for one that is made of others. */
function readSession(value: Value): residual.Term | undefined {
  if (value.kind === 'call' && value.runtime === 'now') return sessionTerm(SESSION.now, 'other');
  if (value.kind === 'call' && value.runtime === 'timeSince') return residual.unplannable('the time since a moment');
  // What an engine is configured with may differ from what a database has.
  if (value.kind === 'global' || (value.kind === 'is-set' && value.binding === 'global'))
    return residual.unplannable('a global of the configuration');
  if (value.kind !== 'field') return undefined;
  const { of, name } = value;
  if (of === 'principal' && name === 'id') return sessionTerm(SESSION.id, 'string');
  if (of === 'principal' && name === 'roles') return sessionTerm(SESSION.roles, 'json');
  if (of === 'principal' && name === 'attr') return sessionTerm(SESSION.attributes, 'json');
  if (of === 'auxData' && name === 'jwt') return sessionTerm(SESSION.token, 'json');
  return of === 'principal' || of === 'auxData' ? residual.unplannable(`${of}.${name} of a session`) : undefined;
}

function isAttributes(value: Value): boolean {
  return value.kind === 'field' && value.of === 'resource' && value.name === 'attr';
}

function evaluateCall(
  value: Value & { readonly kind: 'call' },
  { query, known }: Evaluation,
  term: (part: Value) => residual.Term,
): residual.Term {
  // `dyn(now())`: known, regardless of its type.
  if (value.runtime === 'now') return evaluate(value, known);
  if (value.runtime === 'messageOf') return residual.unplannable('a message');
  const args = value.args.map(term);
  if (value.pure) return residual.call(value.name, findFunction(value.runtime), ...args);
  const [since] = args;
  if (value.runtime !== 'timeSince') return invariant(`${value.runtime} was not foreseen in a plan`);
  return residual.timeSince(since, query);
}

function evaluateMacro(value: Value & Macro, evaluation: Evaluation, locals: Locals): residual.Term {
  const { runtime, variables } = value;
  const range = evaluateTerm(value.range, evaluation, locals);
  const bodies = [value.predicate, value.body]
    .filter((part) => part !== undefined)
    .map(
      (part): residual.Body =>
        (...items) => {
          const inner = variables.map((name, at) => [name, items[at]] as const);
          return evaluateTerm(part, evaluation, new Map([...locals, ...inner]));
        },
    );
  const [body = invariant(`${runtime} has no body`)] = bodies;
  if (runtime === 'bind') return residual.bind(range, body);
  const names = variables.map((variable) => wireName(variable, locals));
  return residual.macro(runtime, findFunction(runtime), names, range, ...bodies);
}

/** The name of a variable, unless it hides another one: `cel.bind` may use the outer variable inside. */
function wireName(variable: string, locals: Locals): string {
  let name = variable;
  for (let i = 2; locals.has(name); i += 1) name = `${variable}_${i}`;
  return name;
}

/** The names come from the compiler's own tables, never from an author. */
function residualFunction(name: string): (...operands: readonly residual.Term[]) => residual.Term {
  const functions = residual as unknown as {
    readonly [name: string]: ((...operands: readonly residual.Term[]) => residual.Term) | undefined;
  };
  return functions[name] ?? invariant(`runtime/residual has no ${name}`);
}
