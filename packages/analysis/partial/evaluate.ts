import {
  chosenOutcomes,
  FAILS,
  FALSE,
  negatedOutcomes,
  OTHER,
  type Outcomes,
  TRUE,
} from '../../../runtime/facts/outcomes.js';
import { COMPARISONS } from '../../../compiler/ir/comparisons.js';
import { findFunction } from '../../../compiler/evaluate.js';
import type { RequestPart, Value } from '../../../compiler/ir/value.js';
import * as cel from '../../cel/runtime/index.js';
import type { Context } from './context.js';
import { evaluateMacro } from './macros.js';
import {
  anything,
  bothOrEither,
  type FactNames,
  listFacts,
  factsOfAll,
  isUnknown,
  readOutcomes,
  PartialMap,
  PartialPart,
  type PartialResult,
  union,
  Unknown,
  whole,
  type WholeResult,
  withOutcomes,
} from './unknown.js';

/** The variables of the enclosing macros. */
export type Locals = ReadonlyMap<string, PartialResult>;

export const NO_LOCALS: Locals = new Map();

/**
 * Evaluates a lowered expression of a request of which some facts are unknown. The result is one that the expression has
 * whatever these are, or the outcomes that it may have. Known operands are evaluated by the functions that emitted code
 * calls.
 */
export function evaluatePartial(value: Value, context: Context, locals: Locals = NO_LOCALS): PartialResult {
  const evaluate = (part: Value): PartialResult => evaluatePartial(part, context, locals);
  switch (value.kind) {
    case 'literal':
      if (value.literal === 'uint') return new cel.Uint(value.value);
      return value.literal === 'json' ? (value.value as cel.Value) : value.value;
    case 'field':
      return readField(value.of, value.name, context);
    case 'part':
      return context.part(value.part);
    case 'variable': {
      const result = context.variable(value.name);
      return isUnknown(result) ? result : cel.bound(value.name, result);
    }
    case 'constant':
      return cel.bound(value.name, context.constant(value.name));
    case 'global':
      return cel.bound(value.name, readGlobal(value.name, context));
    case 'local':
      return locals.get(value.name);
    case 'is-set':
      return isSet(value, context);
    case 'bindings':
      if (value.of === 'variables') return context.variables(value.before);
      return value.of === 'constants' ? context.constants() : cel.variablesMessage(context.request.globals);
    case 'select':
    case 'has':
    case 'optional-select':
      return selectFrom(value.kind, evaluate(value.operand), value.name, context);
    case 'index':
    case 'optional-index':
      return indexOf(value.kind, evaluate(value.operand), whole(evaluate(value.index)));
    case 'operator':
      return evaluateOperator(value, context, locals);
    case 'call':
      return call(
        value,
        value.args.map((arg) => whole(evaluate(arg))),
        context,
      );
    case 'list': {
      const elements = value.elements.map((each) => [each.optional, whole(evaluate(each.value))] as const);
      return literal(
        elements.map(([, element]) => element),
        () =>
          elements.some(([optional]) => optional)
            ? cel.listOfOptionals(elements as readonly (readonly [boolean, cel.Result])[])
            : cel.listOf(elements.map(([, element]) => element as cel.Result)),
      );
    }
    case 'map': {
      const entries = value.entries.map(
        (each) => [each.optional, whole(evaluate(each.key)), whole(evaluate(each.value))] as const,
      );
      return literal(
        entries.flatMap(([, key, entry]) => [key, entry]),
        () =>
          entries.some(([optional]) => optional)
            ? cel.mapOfOptionals(entries as readonly (readonly [boolean, cel.Result, cel.Result])[])
            : cel.mapOf(entries.map(([, key, entry]) => [key, entry] as readonly [cel.Result, cel.Result])),
      );
    }
    case 'type-name':
      return cel.typeValue(value.name);
    case 'macro':
      return evaluateMacro(value, context, locals, evaluatePartial);
  }
}

function readField(part: RequestPart, name: string, context: Context): PartialResult {
  const { given, request } = context;
  switch (part) {
    case 'principal':
    case 'resource':
      return name === 'attr' ? given[part] : (request[part] as unknown as { readonly [name: string]: cel.Value })[name];
    case 'auxData':
      return name === 'jwts' ? cel.jwtMessages(request.auxData) : given.jwt;
    case 'runtime':
      return context.derivedRoles();
    case 'request':
      return context.part('request');
  }
}

function readGlobal(name: string, { request }: Context): cel.Result {
  return Object.hasOwn(request.globals, name) ? request.globals[name] : undefined;
}

function isSet(value: Value & { readonly kind: 'is-set' }, context: Context): WholeResult {
  switch (value.binding) {
    case 'variable': {
      const result = context.variable(value.name);
      if (!isUnknown(result)) return !cel.isFailure(result);
      return (result.outcomes & FAILS) === 0 || new Unknown(TRUE | FALSE, result.facts);
    }
    case 'constant':
      return !cel.isFailure(context.constant(value.name));
    case 'global':
      return !cel.isFailure(readGlobal(value.name, context));
  }
}

const SELECTIONS = { select: cel.select, has: cel.has, 'optional-select': cel.optionalSelect } as const;

/** The outcomes of an entry that is unknown, and of any entry of an unknown. */
const OF_ENTRY: { readonly [Kind in keyof typeof SELECTIONS]: Outcomes } = {
  select: TRUE | FALSE | FAILS | OTHER,
  // The map itself is there, so that `has` does not fail.
  has: TRUE | FALSE,
  'optional-select': OTHER,
};

function selectFrom(
  kind: keyof typeof SELECTIONS,
  operand: PartialResult,
  name: string,
  context: Context,
): PartialResult {
  if (operand instanceof PartialPart) return selectFromPart(kind, operand, name, context);
  if (operand instanceof PartialMap)
    return operand.unknown.has(name)
      ? new Unknown(OF_ENTRY[kind], operand.factOf(name))
      : SELECTIONS[kind](operand.known, name);
  return isUnknown(operand) ? new Unknown(OF_ENTRY[kind] | FAILS, operand.facts) : SELECTIONS[kind](operand, name);
}

/** The names of the parts of a request in messages. */
const PARTS: ReadonlyMap<string, 'principal' | 'resource' | 'auxData'> = new Map([
  ['principal', 'principal'],
  ['resource', 'resource'],
  ['auxData', 'auxData'],
  ['aux_data', 'auxData'],
]);

/** The attributes of each part. */
const ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ['principal', 'attr'],
  ['resource', 'attr'],
  ['auxData', 'jwt'],
]);

function selectFromPart(
  kind: keyof typeof SELECTIONS,
  { part, facts }: PartialPart,
  name: string,
  context: Context,
): PartialResult {
  const open = new Unknown(OF_ENTRY[kind] | FAILS, facts);
  if (part === 'runtime') return kind === 'select' ? context.derivedRoles() : open;
  const { request, given } = context;
  if (part === 'request') {
    const inner = PARTS.get(name);
    if (inner === undefined) return SELECTIONS[kind](cel.requestMessage(request), name);
    // Claims that are all missing are no field at all.
    return kind === 'select' ? readSide(inner, name, context) : open;
  }
  if (ATTRIBUTES.get(part) === name) {
    if (kind !== 'select') return open;
    return part === 'auxData' ? given.jwt : given[part];
  }
  return SELECTIONS[kind](messageOf(part, context), name);
}

/** A part of a request, in which something may be known. */
function readSide(part: 'principal' | 'resource' | 'auxData', name: string, context: Context): PartialResult {
  const found = context.part(part);
  return found instanceof PartialPart ? found : cel.select(cel.requestMessage(context.request), name);
}

function messageOf(part: 'principal' | 'resource' | 'auxData', { request }: Context): cel.Result {
  if (part === 'principal') return cel.principalMessage(request.principal);
  return part === 'resource' ? cel.resourceMessage(request.resource) : cel.auxDataMessage(request.auxData);
}

/** A dynamic index with a known key asks for that entry alone, with an unknown one for every entry that is unknown. */
function indexOf(kind: 'index' | 'optional-index', operand: PartialResult, index: WholeResult): WholeResult {
  const read = kind === 'index' ? cel.index : cel.optionalIndex;
  const outcomes = kind === 'index' ? TRUE | FALSE | FAILS | OTHER : FAILS | OTHER;
  if (operand instanceof PartialMap && !isUnknown(index))
    return typeof index === 'string' && operand.unknown.has(index)
      ? new Unknown(outcomes, operand.factOf(index))
      : read(operand.known, index);
  const object = whole(operand);
  if (isUnknown(object) || isUnknown(index))
    return certainFailure([object, index]) ?? new Unknown(outcomes, factsOfAll([object, index]));
  return read(object, index);
}

/** A failure among results of which the function of them hands the first failure on. */
function certainFailure(results: readonly WholeResult[]): cel.Result {
  return results.some((result) => !isUnknown(result) && cel.isFailure(result)) ? FAILED : undefined;
}

const FAILED = new cel.CelError('fails whatever is unknown');

/** Functions that pass their second argument on, or ignore it. */
const CHOOSING: ReadonlySet<string> = new Set(['optionalOr', 'optionalOrValue']);

function call(
  { runtime, pure }: Value & { readonly kind: 'call' },
  args: readonly WholeResult[],
  context: Context,
): WholeResult {
  const isKnown = CHOOSING.has(runtime) ? !isUnknown(args[0]) : !args.some(isUnknown);
  if (!isKnown) return anything(factsOfAll(args));
  return findFunction(runtime)(...args, ...(pure ? [] : [context.request]));
}

/** A list or a map, which fails where one of its parts does. */
function literal(parts: readonly WholeResult[], make: () => cel.Result): WholeResult {
  if (!parts.some(isUnknown)) return make();
  return certainFailure(parts) ?? new Unknown(FAILS | OTHER, factsOfAll(parts));
}

function evaluateOperator(
  value: Value & { readonly kind: 'operator' },
  context: Context,
  locals: Locals,
): PartialResult {
  const { operator, operands } = value;
  const evaluate = (at: number): PartialResult => evaluatePartial(operands[at] as Value, context, locals);
  switch (operator) {
    case 'and':
      return junction(operands.length, evaluate, false);
    case 'or':
      return junction(operands.length, evaluate, true);
    case 'not': {
      const operand = whole(evaluate(0));
      return isUnknown(operand) ? withOutcomes(negatedOutcomes(operand.outcomes), operand.facts) : cel.not(operand);
    }
    case 'conditional': {
      const test = whole(evaluate(0));
      if (isUnknown(test)) return choice(test, whole(evaluate(1)), whole(evaluate(2)));
      if (typeof test === 'boolean') return evaluate(test ? 1 : 2);
      return cel.conditional(test, null, null);
    }
    case 'inCollection': {
      const role = listedRole(operands, evaluate, context);
      if (role !== undefined) return role;
      const [key, collection] = [whole(evaluate(0)), evaluate(1)];
      if (collection instanceof PartialMap && !isUnknown(key)) return isEntry(key, collection);
      return strict(operator, [key, whole(collection)]);
    }
    default:
      return strict(
        operator,
        operands.map((_, at) => whole(evaluate(at))),
      );
  }
}

/** A conjunction, or a disjunction if `decisive` is true. Ends at an operand that decides. */
function junction(count: number, evaluate: (at: number) => PartialResult, decisive: boolean): WholeResult {
  let result = whole(evaluate(0));
  for (let at = 1; at < count && result !== decisive; at += 1)
    result = bothOrEither(result, whole(evaluate(at)), decisive);
  return result;
}

function choice(test: Unknown, then: WholeResult, otherwise: WholeResult): WholeResult {
  const mayBe = (outcome: Outcomes, result: WholeResult): FactNames[] =>
    (test.outcomes & outcome) === 0 ? [] : [listFacts(result)];
  return withOutcomes(
    chosenOutcomes(test.outcomes, readOutcomes(then), readOutcomes(otherwise)),
    union([test.facts, ...mayBe(TRUE, then), ...mayBe(FALSE, otherwise)]),
  );
}

/** `"name" in runtime.effectiveDerivedRoles`. */
function listedRole(
  [, list]: readonly Value[],
  evaluate: (at: number) => PartialResult,
  context: Context,
): WholeResult | undefined {
  if (list?.kind !== 'field' || list.of !== 'runtime' || !isUnknown(context.derivedRoles())) return undefined;
  const name = evaluate(0);
  return typeof name === 'string' ? context.listsRole(name) : undefined;
}

function isEntry(key: cel.Result, map: PartialMap): WholeResult {
  if (typeof key !== 'string' || !map.unknown.has(key)) return cel.inCollection(key, map.known);
  return new Unknown(TRUE | FALSE, map.factOf(key));
}

/** An operator that fails where an operand does. */
function strict(operator: string, operands: readonly WholeResult[]): WholeResult {
  if (!operands.some(isUnknown)) return findFunction(operator)(...operands);
  const outcomes = COMPARISONS.has(operator) ? TRUE | FALSE | FAILS : FAILS | OTHER;
  return certainFailure(operands) ?? new Unknown(outcomes, factsOfAll(operands));
}
