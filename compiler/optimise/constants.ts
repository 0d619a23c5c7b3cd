import * as cel from '../../packages/cel/runtime/index.js';
import type { JsonValue } from '../ast/policy.js';
import { bool, bytes, double, int, json, nullType, string, uint } from '../../packages/cel/library/types.js';
import type { Match, Module, Output, Program, Variable } from '../ir/program.js';
import type { Literal, Value } from '../ir/value.js';
import { findExtent, standsAt } from '../ir/origins.js';
import { mapParts, some } from '../ir/visit.js';

/**
 * Computes the constant parts of every expression, by the very functions that would run later.
 * A part that fails stays: it fails in the same way at run time.
 */
export function foldConstants(program: Program): Program {
  return mapValues(program, () => foldOnce);
}

/** The same of one expression. */
export function foldValue(value: Value): Value {
  return some(value, asksTheTime) ? foldEmptyLists(value) : fold(value, 'literal members');
}

/**
 * The same where a policy's constants have been put in. They are not literals: `C.a in ["a", x]` needs x
 * (docs/spec/conditions.md#constant-folding).
 */
export function foldInlined(program: Program): Program {
  return mapValues(program, ({ constants }) => (constants.length === 0 ? undefined : foldInlinedOnce));
}

/** Expressions of one text share their value, in all modules; entries are collected with them. */
function oncePerValue(fold: (value: Value) => Value): (value: Value) => Value {
  const known = new WeakMap<Value, Value>();
  return (value) => {
    const before = known.get(value);
    if (before !== undefined) return before;
    const folded = fold(value);
    known.set(value, folded);
    return folded;
  };
}

const foldOnce = oncePerValue(foldValue);
const foldInlinedOnce = oncePerValue((value) => (some(value, asksTheTime) ? value : fold(value, 'no members')));

/** Whether a literal that is found among literals decides a membership. */
type Members = 'literal members' | 'no members';

/**
 * An expression that asks for the time is left as it is, but for `x in []` (docs/spec/conditions.md#constant-folding).
 */
function asksTheTime(value: Value): boolean {
  return value.kind === 'call' && !value.pure;
}

function foldEmptyLists(value: Value): Value {
  const folded = mapParts(value, foldEmptyLists);
  const isMembership = folded.kind === 'operator' && folded.operator === 'inCollection';
  const collection = isMembership ? folded.operands[1] : undefined;
  return collection?.kind === 'list' && collection.elements.length === 0
    ? standsAt(boolean(false), findExtent(value))
    : folded;
}

function fold(value: Value, members: Members): Value {
  const folded = mapParts(value, (part) => fold(part, members));
  if (folded.kind === 'operator') return standsAt(foldOperator(folded, members), findExtent(value));
  if (folded.kind === 'call' && folded.pure)
    return standsAt(computed(folded, folded.runtime, folded.args), findExtent(value));
  return folded;
}

function foldOperator(value: Value & { kind: 'operator' }, members: Members): Value {
  const [first, second, third] = value.operands as [Value, Value, Value];
  switch (value.operator) {
    case 'and':
      return isBool(first, false) || isBool(second, false) ? boolean(false) : computed(value, 'and', value.operands);
    case 'or':
      return isBool(first, true) || isBool(second, true) ? boolean(true) : computed(value, 'or', value.operands);
    case 'conditional':
      if (isBool(first, true)) return second;
      return isBool(first, false) ? third : value;
    case 'inCollection':
      return members === 'literal members' ? foldMembership(value, first, second) : value;
    case 'not':
    case 'equals':
    case 'notEquals':
    case 'lessThan':
    case 'atMost':
    case 'greaterThan':
    case 'atLeast':
    case 'add':
    case 'subtract':
    case 'multiply':
    case 'divide':
    case 'modulo':
    case 'negate':
      return computed(value, value.operator, value.operands);
  }
}

/**
 * `x in []` and `1 in [1, ...]` are decided whatever else is in the list (docs/spec/conditions.md#constant-folding).
 */
function foldMembership(value: Value, element: Value, collection: Value): Value {
  if (collection.kind !== 'list') return value;
  if (collection.elements.length === 0) return boolean(false);
  const sought = literalValue(element);
  const found =
    sought !== undefined &&
    collection.elements.some((candidate) => {
      const literal = candidate.optional ? undefined : literalValue(candidate.value);
      return literal !== undefined && cel.isEqual(sought, literal);
    });
  return found ? boolean(true) : value;
}

/** What can stand in code as a literal; anything larger is made once, when the module loads. */
const SCALARS = new Set<Value['type']['kind']>(['bool', 'int', 'uint', 'double', 'string', 'bytes', 'null', 'dyn']);

type CelFunction = (...args: readonly cel.Result[]) => cel.Result;

function computed(value: Value, runtime: string, args: readonly Value[]): Value {
  if (!SCALARS.has(value.type.kind)) return value;
  const values = args.map(literalValue);
  if (values.some((arg) => arg === undefined)) return value;
  const run = (cel as unknown as { readonly [name: string]: CelFunction })[runtime];
  try {
    return (run && toLiteral(run(...values))) ?? value;
  } catch (error) {
    // Calls fail by it, not the compilation.
    if (error instanceof cel.EvaluationLimitError) return value;
    throw error;
  }
}

/** What a literal is at run time; undefined for anything else, and for a constant that is not a scalar. */
function literalValue(value: Value): cel.Value | undefined {
  if (value.kind !== 'literal' || value.literal === 'json') return undefined;
  return value.literal === 'uint' ? new cel.Uint(value.value) : value.value;
}

function toLiteral(result: cel.Result): Value | undefined {
  if (result === null) return { kind: 'literal', literal: 'null', value: result, type: nullType };
  if (typeof result === 'boolean') return boolean(result);
  if (typeof result === 'bigint') return { kind: 'literal', literal: 'int', value: result, type: int };
  if (typeof result === 'number') return { kind: 'literal', literal: 'double', value: result, type: double };
  if (typeof result === 'string') return { kind: 'literal', literal: 'string', value: result, type: string };
  if (result instanceof cel.Uint) return { kind: 'literal', literal: 'uint', value: result.value, type: uint };
  if (result instanceof Uint8Array) return { kind: 'literal', literal: 'bytes', value: result, type: bytes };
  return undefined;
}

function boolean(value: boolean): Value & Literal {
  return { kind: 'literal', literal: 'bool', value, type: bool };
}

function isBool(value: Value, wanted: boolean): boolean {
  return value.kind === 'literal' && value.value === wanted;
}

/**
 * Puts the scalar constants of a policy (`C.limit`, `C.limits.large`) where they are used; lists and maps stay
 * constants of the module.
 */
export function inlineConstants(program: Program): Program {
  return mapValues(program, (module) => {
    if (module.constants.length === 0) return undefined;
    const constants = new Map(module.constants.map(({ name, value }) => [name, value]));
    return (value) => inline(value, constants);
  });
}

function inline(value: Value, constants: ReadonlyMap<string, JsonValue>): Value {
  const constant = constantAt(value, constants);
  if (constant === null) return { kind: 'literal', literal: 'null', value: constant, type: json };
  if (typeof constant === 'boolean') return { kind: 'literal', literal: 'bool', value: constant, type: json };
  if (typeof constant === 'number') return { kind: 'literal', literal: 'double', value: constant, type: json };
  if (typeof constant === 'string') return { kind: 'literal', literal: 'string', value: constant, type: json };
  return mapParts(value, (part) => inline(part, constants));
}

/** The constant, or the part of one, that a value selects; undefined for anything else, and for what is not there. */
function constantAt(value: Value, constants: ReadonlyMap<string, JsonValue>): JsonValue | undefined {
  if (value.kind === 'constant') return constants.get(value.name);
  if (value.kind !== 'select') return undefined;
  const object = constantAt(value.operand, constants);
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return undefined;
  return Object.hasOwn(object, value.name) ? (object as { readonly [key: string]: JsonValue })[value.name] : undefined;
}

/** What replaces the expressions of a module; undefined where all stay. */
export type ReplaceIn = (module: Module) => ((value: Value) => Value) | undefined;

/** The program with every expression replaced: conditions, outputs, variables. */
function mapValues(program: Program, replaceIn: ReplaceIn): Program {
  const modules = program.modules.map((module) => {
    const replace = replaceIn(module);
    return replace === undefined ? module : mapModule(module, replace);
  });
  return { ...program, modules };
}

// What does not change stays the object it was: most expressions have nothing to decide, and objects are what a
// compilation costs.
function mapModule(module: Module, replace: (value: Value) => Value): Module {
  const variables = module.variables.map((variable): Variable => {
    const value = replace(variable.value);
    return value === variable.value ? variable : { ...variable, value };
  });
  switch (module.kind) {
    case 'resource':
    case 'principal':
      return { ...module, variables, rules: module.rules.map((rule) => mapRule(rule, replace)) };
    case 'role':
      return { ...module, variables, rules: module.rules.map((rule) => mapRule(rule, replace)) };
    case 'derived-roles':
      return {
        ...module,
        variables,
        definitions: module.definitions.map((role) => ({
          ...role,
          condition: role.condition && mapMatch(role.condition, replace),
        })),
      };
  }
}

function mapRule<R extends { readonly condition: Match | undefined; readonly output: Output | undefined }>(
  rule: R,
  replace: (value: Value) => Value,
): R {
  const condition = rule.condition && mapMatch(rule.condition, replace);
  const output = rule.output && {
    ...rule.output,
    ruleActivated: rule.output.ruleActivated && replace(rule.output.ruleActivated),
    conditionNotMet: rule.output.conditionNotMet && replace(rule.output.conditionNotMet),
  };
  return condition === rule.condition && output === undefined ? rule : { ...rule, condition, output };
}

function mapMatch(match: Match, replace: (value: Value) => Value): Match {
  if (match.kind === 'expr') {
    const value = replace(match.value);
    return value === match.value ? match : { ...match, value };
  }
  const of = match.of.map((inner) => mapMatch(inner, replace));
  return of.every((inner, index) => inner === match.of[index]) ? match : { ...match, of };
}
