import { engineOf, isTooLarge } from '../../packages/cel/runtime/index.js';
import type { CelType } from '../../packages/cel/library/types.js';
import { invariant } from '../diagnostics/invariant.js';
import type { Macro, RequestPart, Value } from '../ir/value.js';
import { braced, bracketed, type Doc } from './doc.js';
import { atLeast, type Fragment, primary } from './fragment.js';
import {
  computed,
  type FunctionContext,
  localFunction,
  localName,
  type Part,
  placed,
  untypedLocal,
  use,
} from './function-context.js';
import { isHazardous, isInherited } from './hazards.js';
import { jsonDoc, literalDoc, numberDoc } from './literals.js';
import { cel } from './mentions.js';
import { camelCase } from './names.js';
import { IDENTIFIER, propertyName, quote, quoted } from './quote.js';

/**
 * A value as a JavaScript expression that returns a `cel.Result`: the value, or a failure. In the plain style an
 * attribute is read as a plain property, so that a missing one is `undefined`; in the traced style every step reports
 * the expression that failed.
 */
export function valueDoc(value: Value, context: FunctionContext): Fragment {
  return placed(resultDoc(value, context), value, context);
}

function resultDoc(value: Value, context: FunctionContext): Fragment {
  switch (value.kind) {
    case 'literal':
      return literal(value, context);
    case 'field':
      return primary(printField(value.of, value.name, context));
    case 'part':
      return primary(partMessage(value.part, context));
    case 'variable':
      return primary(variableCall(value.name, context));
    case 'constant':
      return primary(context.module.constant(value.name));
    case 'global':
      return primary(globalDoc(value.name, context));
    case 'local':
      return primary(localName(value.name, context));
    case 'is-set':
      return isSetDoc(value.binding, value.name, true, context);
    case 'bindings':
      return primary(bindingsMessage(value, context));
    case 'select':
      return selectDoc(value.operand, value.name, context);
    case 'optional-select':
      return call('optionalSelect', [value.operand], context, [quoted(value.name)]);
    case 'has':
      return call('has', [value.operand], context, [quoted(value.name)]);
    case 'index':
      if (isStringLiteral(value.index) && !context.style.traced)
        return selectDoc(value.operand, value.index.value, context);
      return call('index', [value.operand, value.index], context);
    case 'optional-index':
      return call('optionalIndex', [value.operand, value.index], context);
    case 'operator':
      return call(value.operator, value.operands, context);
    case 'call':
      return callDoc(value, context);
    case 'list':
      return listDoc(value, context);
    case 'map':
      return mapDoc(value, context);
    case 'type-name':
      return primary(
        context.module.hoist(`${camelCase(value.name, 'some')}Type`, [cel('typeValue('), quoted(value.name), ')']),
      );
    case 'macro':
      return macroDoc(value, context);
  }
}

/** Whether a value is plain JSON whatever the request, so that JavaScript's own `===` compares it with a literal. */
export function isPlainJson(type: CelType): boolean {
  switch (type.kind) {
    case 'dyn':
      return type.json;
    case 'list':
      return isPlainJson(type.element);
    case 'map':
      return isPlainJson(type.value);
    case 'bool':
    case 'double':
    case 'string':
    case 'null':
      return true;
    case 'int':
    case 'uint':
    case 'bytes':
    case 'timestamp':
    case 'duration':
    case 'error':
    case 'optional':
    case 'type':
    case 'message':
    case 'opaque':
    case 'parameter':
      return false;
  }
}

/** An int literal is compared with plain JSON as the double that JSON holds (docs/spec/conditions.md#equality). */
export function besideJson(value: Value, other: Value, context: FunctionContext): Fragment {
  if (value.kind === 'literal' && (value.literal === 'int' || value.literal === 'uint') && isPlainJson(other.type)) {
    return primary(numberDoc(Number(value.value)));
  }
  return valueDoc(value, context);
}

/** A call of the runtime with values, and then with code. */
export function call(
  name: string,
  values: readonly Value[],
  context: FunctionContext,
  others: readonly Doc[] = [],
): Fragment {
  const args = values.map((value) => valueDoc(value, context).doc);
  return primary(bracketed(cel(`${name}(`), others.length === 0 ? args : [...args, ...others], ')'));
}

/** The function of packages/cel/runtime for a call: most patterns that are literals need no RE2. */
export function runtimeFunction({ runtime, args }: Value & { kind: 'call' }): string {
  const [, pattern] = args;
  if (runtime !== 'matches' || pattern === undefined || !isStringLiteral(pattern)) return runtime;
  return engineOf(pattern.value) === 'RE2' ? 'matches' : 'matchesLiteral';
}

/** Plain property access, where it is safe: on values that are certainly JSON, for names that no prototype has. */
export function propertyAccess(operand: Value, name: string, context: FunctionContext): Doc | undefined {
  if (context.style.traced || !isReadPlainly(operand, name)) return undefined;
  const access = [plainDoc(operand, context), accessor(operand, name)];
  return isOfCaller(operand) ? [cel('json('), access, ')'] : access;
}

/**
 * Whether a chain of selections begins at attributes, which are what the caller of the engine passes: `cel.json` and
 * `cel.object` convert what is not JSON, or fail the call. Claims are converted before, and elements with their list.
 */
function isOfCaller(value: Value): boolean {
  const step = findStep(value);
  if (step !== undefined) return isOfCaller(step.operand);
  return value.kind === 'field' && value.name === 'attr';
}

/**
 * Whether a chain of selections begins at attributes, claims or an element of them, and no step could find an inherited
 * property.
 */
export function isReadPlainly(operand: Value, name: string): boolean {
  const below: string[] = [];
  let first = name;
  let root = operand;
  for (let step = findStep(root); step !== undefined; step = findStep(root)) {
    below.push(first);
    first = step.name;
    root = step.operand;
  }
  if (below.some(isHazardous)) return false;
  if (root.kind === 'local') return root.type.kind === 'dyn' && root.type.json && !isHazardous(first);
  // A token is a message; everything below its claims is JSON.
  return (
    root.kind === 'field' &&
    root.type.kind === 'map' &&
    !isInherited(first) &&
    (root.name !== 'jwts' || below.length > 0)
  );
}

function plainDoc(value: Value, context: FunctionContext): Doc {
  const step = findStep(value);
  if (step !== undefined) {
    const access = [plainDoc(step.operand, context), accessor(step.operand, step.name)];
    return isOfCaller(value) ? [cel('object('), access, ')'] : access;
  }
  if (value.kind === 'field') return ownField(value.of, value.name, context);
  return value.kind === 'local' ? untypedLocal(value.name, context) : invariant(`${value.kind} is not read plainly`);
}

/** One step of a chain: `operand.name`, `operand["name"]`. */
function findStep(value: Value): { readonly operand: Value; readonly name: string } | undefined {
  if (value.kind === 'select') return value;
  return value.kind === 'index' && isStringLiteral(value.index)
    ? { operand: value.operand, name: value.index.value }
    : undefined;
}

function accessor(operand: Value, name: string): Doc {
  const isMap = operand.kind === 'field';
  return IDENTIFIER.test(name) ? `${isMap ? '.' : '?.'}${name}` : `${isMap ? '' : '?.'}[${quote(name)}]`;
}

function selectDoc(operand: Value, name: string, context: FunctionContext): Fragment {
  const access = propertyAccess(operand, name, context);
  if (access !== undefined) return primary(access);
  return call(context.style.traced ? 'select' : 'field', [operand], context, [quoted(name)]);
}

function literal(value: Value & { kind: 'literal' }, context: FunctionContext): Fragment {
  const doc = literalDoc(value);
  if (value.literal === 'uint' || value.literal === 'bytes') return primary(context.module.hoist(value.literal, doc));
  return primary(doc);
}

const FIELDS: { readonly [part in RequestPart]?: Part } = { principal: 'P', resource: 'R', auxData: 'auxData' };

function printField(part: RequestPart, name: string, context: FunctionContext): Doc {
  if (part === 'runtime') {
    return context.style.traced
      ? cel(`effectiveDerivedRoles(${use(context, 'request')})`)
      : use(context, 'effectiveDerivedRoles');
  }
  if (part === 'auxData' && name === 'jwts') return cel(`jwtMessages(${use(context, 'auxData')})`);
  if (name === 'attr' && !context.style.traced) return [cel('json('), ownField(part, name, context), ')'];
  return ownField(part, name, context);
}

function ownField(part: RequestPart, name: string, context: FunctionContext): Doc {
  return `${use(context, FIELDS[part] ?? invariant(`${part} has no field ${name}`))}.${name}`;
}

function partMessage(part: RequestPart, context: FunctionContext): Doc {
  switch (part) {
    case 'principal':
      return cel(`principalMessage(${use(context, 'P')})`);
    case 'resource':
      return cel(`resourceMessage(${use(context, 'R')})`);
    case 'auxData':
      return cel(`auxDataMessage(${use(context, 'auxData')})`);
    case 'request':
      return cel(`requestMessage(${use(context, 'request')})`);
    case 'runtime':
      return cel(`runtimeMessage(${use(context, 'request')})`);
  }
}

function variableCall(name: string, context: FunctionContext): Doc {
  const { style } = context;
  const result = computedVariable(name, context);
  if (style.failedIsNull) return [cel('orNull('), result, ')'];
  return style.traced ? [cel('bound('), quoted(name), ', ', result, ')'] : result;
}

function computedVariable(name: string, context: FunctionContext): Doc {
  const { name: given, reads } = context.module.variable(name, context.style);
  return computed(name, `${given}(${reads === 'nothing' ? '' : use(context, 'request')})`, context);
}

function globalDoc(name: string, context: FunctionContext): Doc {
  const read = globalRead(name, context);
  return context.style.traced ? [cel('bound('), quoted(name), ', ', read, ')'] : read;
}

function globalRead(name: string, context: FunctionContext): Doc {
  const globals = use(context, 'G');
  return isHazardous(name) ? [cel(`field(${globals}, `), quoted(name), ')'] : `${globals}.${name}`;
}

/**
 * Whether a variable, constant or global is set (or is not set): it is if its evaluation did not fail, or if a failed
 * one reads as null.
 */
export function isSetDoc(
  binding: 'variable' | 'constant' | 'global',
  name: string,
  polarity: boolean,
  context: FunctionContext,
): Fragment {
  if (binding === 'constant' || (binding === 'variable' && context.style.failedIsNull))
    return primary(String(polarity));
  const result = binding === 'global' ? globalRead(name, context) : computedVariable(name, context);
  const failed: Doc = [cel('isFailure('), result, ')'];
  return polarity ? { doc: ['!', failed], level: 'unary' } : primary(failed);
}

function bindingsMessage({ of, before }: Value & { kind: 'bindings' }, context: FunctionContext): Doc {
  const { module } = context;
  switch (of) {
    case 'globals':
      return cel(`variablesMessage(${use(context, 'G')})`);
    case 'constants':
      return message([...module.constants].map(([name, value]) => [name, jsonDoc(value)]));
    case 'variables':
      return message(module.variablesBefore(before).map((name) => [name, variableCall(name, context)]));
  }
}

function message(fields: readonly (readonly [name: string, value: Doc])[]): Doc {
  return [cel('variablesMessage('), braced(fields.map(([name, value]) => [`${propertyName(name)}: `, value])), ')'];
}

function callDoc(value: Value & { kind: 'call' }, context: FunctionContext): Fragment {
  const { args, pure } = value;
  const runtime = runtimeFunction(value);
  if (!pure) return call(runtime, args, context, [use(context, 'request')]);
  if (args.length > 0 && args.every(({ kind }) => kind === 'literal') && !hasLargePattern(runtime, args)) {
    return primary(
      context.module.hoist(camelCase(runtime.replace(/^to/, ''), 'constant'), call(runtime, args, context).doc),
    );
  }
  return call(runtime, args, context);
}

/** Whether a call fails by the limits of a call, which there are none of when the module loads. */
function hasLargePattern(runtime: string, args: readonly Value[]): boolean {
  return /^(matches|regex)/.test(runtime) && args.some((arg) => isStringLiteral(arg) && isTooLarge(arg.value));
}

function listDoc(value: Value & { kind: 'list' }, context: FunctionContext): Fragment {
  const items = value.elements.map((element) => valueDoc(element.value, context).doc);
  if (value.elements.some(({ optional }) => optional)) {
    const pairs = items.map((item, index): Doc => [`[${value.elements[index]?.optional}, `, item, ']']);
    return primary(bracketed(cel('listOfOptionals(['), pairs, '])'));
  }
  if (value.elements.every((element) => element.value.kind === 'literal')) {
    return primary(context.module.hoist('list', bracketed('[', items, ']'), { type: ['readonly ', cel('Value[]')] }));
  }
  return primary(bracketed(cel('listOf(['), items, '])'));
}

function mapDoc(value: Value & { kind: 'map' }, context: FunctionContext): Fragment {
  const optionals = value.entries.some(({ optional }) => optional);
  const entries = value.entries.map(({ optional, key, value }): Doc => {
    const pair: Doc = [valueDoc(key, context).doc, ', ', valueDoc(value, context).doc];
    return optionals ? [`[${optional}, `, pair, ']'] : ['[', pair, ']'];
  });
  return primary(bracketed(cel(optionals ? 'mapOfOptionals([' : 'mapOf(['), entries, '])'));
}

function macroDoc(value: Value & Macro, context: FunctionContext): Fragment {
  const functions = [value.predicate, value.body]
    .filter((part) => part !== undefined)
    .map((part) => localFunction(value.variables, context, (inner) => atLeast('equality', valueDoc(part, inner))));
  return primary(bracketed(cel(`${value.runtime}(`), [valueDoc(value.range, context).doc, ...functions], ')'));
}

/** Whether a value is a string known at compile time. */
export function isStringLiteral(value: Value): value is Value & { kind: 'literal'; literal: 'string'; value: string } {
  return value.kind === 'literal' && value.literal === 'string';
}
