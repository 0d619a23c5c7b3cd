import { invariant } from '../diagnostics/invariant.js';
import type { Match } from '../ir/program.js';
import type { Macro, Value } from '../ir/value.js';
import { isSettled } from '../ir/settled.js';
import { type Leaf, listLeaves } from '../ir/visit.js';
import { bracketed, type Doc, join } from './doc.js';
import { type FunctionContext, functionContext, localFunction, localName, use } from './function-context.js';
import { ALGEBRA, cel, residual } from './mentions.js';
import { LISTED, PLAIN, type Style } from './module-context.js';
import { camelCase } from './names.js';
import { quoted } from './quote.js';
import { survives } from '../ir/survives.js';
import { runtimeFunction, valueDoc } from './values.js';

/**
 * A condition of a plan as a JavaScript expression: the counterpart of `when`. An algebra puts it together, lenient or
 * strict (runtime/residual/algebra.ts). Of a condition that reads more than the row, the parts that read only the row
 * are constants of the module, which are evaluated once: the engine remembers conditions that read nothing else.
 */
export function whereDoc(match: Match, context: FunctionContext): Doc {
  const tests = new Map(listLeaves(match).map((own) => [own, makeTest(own, context)]));
  const isFixed = [...tests.values()].every(readsOnlyRow);
  const printMatch = (part: Match): Doc => {
    if (part.kind !== 'expr') return algebraCall(`${part.kind}Of`, part.of.map(printMatch));
    const test = tests.get(part) as Test;
    return isFixed || !readsOnlyRow(test) ? test.doc : fixedCall(part, test, context);
  };
  const doc = printMatch(match);
  for (const test of tests.values()) for (const part of test.used) context.used.add(part);
  return doc;
}

/** One expression of a condition, and the parts of the request that it reads. */
type Test = Pick<FunctionContext, 'used'> & { readonly doc: Doc };

function makeTest({ value }: Leaf, { module, style }: FunctionContext): Test {
  const own = functionContext(module, style);
  return { doc: algebraCall('holds', [termDoc(value, own)]), used: own.used };
}

function readsOnlyRow({ used }: Test): boolean {
  return used.size === 1 && used.has('row');
}

/** `visibilityPublic(row, q)`, and the constant that it calls. */
function fixedCall({ expression }: Leaf, { doc }: Test, { module }: FunctionContext): Doc {
  const wish = camelCase(expression.text.replaceAll(/\bR\.attr\b/g, ''), 'condition');
  const own = bracketed(residual('ofRow('), [[`(row, ${ALGEBRA}) => `, doc]], ')');
  return `${module.hoist(wish.slice(0, LONGEST_NAME), own)}(row, ${ALGEBRA})`;
}

const LONGEST_NAME = 40;

/** The opposite of a condition of a plan. */
export function unlessDoc(condition: Doc): Doc {
  return algebraCall('not', [condition]);
}

function algebraCall(name: string, args: readonly Doc[]): Doc {
  return bracketed(`${ALGEBRA}.${name}(`, args, ')');
}

/**
 * A value as a JavaScript expression that returns a `residual.Term`. A value that does not depend on the resource is
 * emitted as for `when`: the principal, tokens, globals and the clock are known.
 */
export function termDoc(value: Value, context: FunctionContext): Doc {
  if (isSettled(value, context.module) && survives(value.type))
    return valueDoc(value, { ...context, style: settledStyle(context) }).doc;
  switch (value.kind) {
    case 'literal':
    case 'constant':
    case 'global':
      return valueDoc(value, { ...context, style: settledStyle(context) }).doc;
    case 'field':
      return fieldDoc(value, context);
    case 'part':
    case 'bindings':
      return unplannable(`${value.kind === 'part' ? value.part : value.of} as a whole`);
    case 'variable':
      return variableDoc(value.name, context);
    case 'local':
      return localName(value.name, context);
    case 'is-set':
      if (value.binding !== 'variable') return valueDoc(value, { ...context, style: settledStyle(context) }).doc;
      return [residual('isSet('), variableCall(value.name, context), ')'];
    case 'select':
      if (isAttributes(value.operand)) return [`${use(context, 'row')}.attr(`, quoted(value.name), ')'];
      return residualCall('select', [termDoc(value.operand, context), quoted(value.name)]);
    case 'optional-select':
      return residualCall('optionalSelect', [termDoc(value.operand, context), quoted(value.name)]);
    case 'has':
      return residualCall('has', [termDoc(value.operand, context), quoted(value.name)]);
    case 'index':
      return residualCall('index', [termDoc(value.operand, context), termDoc(value.index, context)]);
    case 'optional-index':
      return residualCall('optionalIndex', [termDoc(value.operand, context), termDoc(value.index, context)]);
    case 'operator':
      return residualCall(
        value.operator === 'not' ? 'complement' : value.operator,
        value.operands.map((operand) => termDoc(operand, context)),
      );
    case 'call':
      return callDoc(value, context);
    case 'list':
      if (value.elements.some(({ optional }) => optional)) return unplannable('an optional element');
      return residualCall(
        'list',
        value.elements.map((element) => termDoc(element.value, context)),
      );
    case 'map':
      if (value.entries.some(({ optional }) => optional)) return unplannable('an optional entry');
      return residualCall(
        'struct',
        value.entries.map(({ key, value }): Doc => ['[', termDoc(key, context), ', ', termDoc(value, context), ']']),
      );
    case 'type-name':
      return [residual('typeName('), quoted(value.name), ')'];
    case 'macro':
      return macroDoc(value, context);
  }
}

function fieldDoc(value: Value & { kind: 'field' }, context: FunctionContext): Doc {
  if (value.of === 'runtime') return `${use(context, 'request')}.derivedRoles`;
  if (isAttributes(value)) return `${use(context, 'row')}.attributes`;
  if (value.of === 'resource' && (value.name === 'id' || value.name === 'policyVersion'))
    return `${use(context, 'row')}.${value.name}`;
  return valueDoc(value, { ...context, style: settledStyle(context) }).doc;
}

function isAttributes(value: Value): boolean {
  return value.kind === 'field' && value.of === 'resource' && value.name === 'attr';
}

function variableDoc(name: string, context: FunctionContext): Doc {
  const computed = variableCall(name, context);
  return context.style.failedIsNull ? [residual('orNull('), computed, ')'] : computed;
}

function variableCall(name: string, context: FunctionContext): string {
  const { module, style } = context;
  const declared = module.variable(name, isSettled(module.variableValue(name), module) ? settledStyle(context) : style);
  return declared.isConstant ? `${declared.name}()` : `${declared.name}(${use(context, 'request')})`;
}

function callDoc(value: Value & { kind: 'call' }, context: FunctionContext): Doc {
  // `dyn(now())`: known, regardless of its type.
  if (value.runtime === 'now') return valueDoc(value, { ...context, style: settledStyle(context) }).doc;
  const args = value.args.map((arg) => termDoc(arg, context));
  if (value.runtime === 'messageOf') return unplannable('a message');
  if (value.pure) return residualCall('call', [quoted(value.name), cel(runtimeFunction(value)), ...args]);
  if (value.runtime !== 'timeSince') return invariant(`${value.runtime} was not foreseen in a plan`);
  return residualCall('timeSince', [...args, use(context, 'request')]);
}

function macroDoc(value: Value & Macro, context: FunctionContext): Doc {
  const range = termDoc(value.range, context);
  const bodies = [value.predicate, value.body]
    .filter((part) => part !== undefined)
    .map((part) => localFunction(value.variables, context, (inner) => termDoc(part, inner)));
  if (value.runtime === 'bind') return residualCall('bind', [range, ...bodies]);
  const variables = value.variables.map((variable) => quoted(wireName(variable, context)));
  return residualCall('macro', [
    quoted(value.runtime),
    cel(value.runtime),
    ['[', join(variables, ', '), ']'],
    range,
    ...bodies,
  ]);
}

/** The name of a variable, unless it hides another one: `cel.bind` may use the outer variable inside. */
function wireName(variable: string, { locals }: FunctionContext): string {
  let name = variable;
  for (let i = 2; locals.has(name); i += 1) name = `${variable}_${i}`;
  return name;
}

function unplannable(what: string): Doc {
  return [residual('unplannable('), quoted(what), ')'];
}

function residualCall(name: string, args: readonly Doc[]): Doc {
  return bracketed(residual(`${name}(`), args, ')');
}

/** Known values are computed by the functions that `when` uses. */
function settledStyle({ style }: FunctionContext): Style {
  return style.failedIsNull ? LISTED : PLAIN;
}
