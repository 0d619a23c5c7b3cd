import { invariant } from '../diagnostics/invariant.js';
import type { Match } from '../ir/program.js';
import type { Macro, Value } from '../ir/value.js';
import { isSettled } from '../ir/settled.js';
import { findExtent } from '../ir/origins.js';
import { type Leaf, listLeaves } from '../ir/visit.js';
import { bracketed, type Doc, join } from './doc.js';
import { type FunctionContext, functionContext, localFunction, localName, use, UsedParts } from './function-context.js';
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
  const leaves = listLeaves(match).map((leaf) => [leaf, leafPart(leaf, context)] as const);
  const docs = new Map(
    apart(
      leaves.map(([, part]) => part),
      context,
    ).map((doc, index) => [leaves[index]?.[0], doc]),
  );
  const printMatch = (part: Match): Doc =>
    part.kind === 'expr'
      ? algebraCall('holds', [docs.get(part) ?? ''])
      : algebraCall(`${part.kind}Of`, part.of.map(printMatch));
  return printMatch(match);
}

/** A part of a condition, and what it reads of the request. */
type ConditionPart = Pick<FunctionContext, 'used'> & {
  readonly doc: Doc;
  readonly value: Value;
  /** The author's text. */
  readonly text: string;
};

function leafPart({ value, expression }: Leaf, { module, style }: FunctionContext): ConditionPart {
  const own = { ...functionContext(module, style), hoisting: expression };
  return { doc: termDoc(value, own), value, text: expression.text, used: own.used };
}

/** The operands of `&&` and the like. */
function operandPart(value: Value, context: FunctionContext, text: string): ConditionPart {
  const own = { ...context, used: new UsedParts() };
  const { start, end } = findExtent(value) ?? { start: 0, end: text.length };
  return { doc: termDoc(value, own), value, text: text.slice(start, end), used: own.used };
}

/** Parts of a condition: those that read only the row are constants of the module if others read more. */
function apart(parts: readonly ConditionPart[], context: FunctionContext): readonly Doc[] {
  for (const { used } of parts) context.used.addAll(used);
  if (parts.every(readsOnlyRow)) return parts.map(({ doc }) => doc);
  return parts.map((part) => (readsOnlyRow(part) && !isName(part.value) ? constantCall(part, context) : part.doc));
}

/** Whether what was printed reads the row, and nothing else of the request. */
export function readsOnlyRow({ used }: Pick<FunctionContext, 'used'>): boolean {
  return used.isOnly('row');
}

/** Whether a value is an attribute itself, or a variable, which is a constant of the module already. */
function isName(value: Value): boolean {
  return value.kind === 'variable' || (value.kind === 'select' && isAttributes(value.operand));
}

/** `visibilityPublic(row)`, and the constant that it calls. */
function constantCall({ doc, text }: ConditionPart, { module }: FunctionContext): Doc {
  const wish = camelCase(text.replaceAll(/\bR\.attr\b/g, ''), 'condition');
  return `${module.hoist(wish.slice(0, LONGEST_NAME), ofRow(doc))}(row)`;
}

const LONGEST_NAME = 40;

/** A function of the row that is evaluated once for plans in which nothing is known of it. */
export function ofRow(doc: Doc): Doc {
  return bracketed(residual('ofRow('), [['(row) => ', doc]], ')');
}

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
      return operatorDoc(value, context);
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

function operatorDoc({ operator, operands }: Value & { kind: 'operator' }, context: FunctionContext): Doc {
  const text = LOGICAL.has(operator) && context.locals.size === 0 ? context.hoisting?.text : undefined;
  return residualCall(
    operator === 'not' ? 'complement' : operator,
    text === undefined
      ? operands.map((operand) => termDoc(operand, context))
      : apart(
          operands.map((operand) => operandPart(operand, context, text)),
          context,
        ),
  );
}

const LOGICAL: ReadonlySet<string> = new Set(['and', 'or', 'conditional']);

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
  if (declared.reads === 'nothing') return `${declared.name}()`;
  return `${declared.name}(${use(context, declared.reads)})`;
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
