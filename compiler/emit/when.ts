import { engineOf } from '../../packages/cel/runtime/index.js';
import { findSubject } from '../ir/origins.js';
import type { Predicate } from '../ir/predicate.js';
import type { Value } from '../ir/value.js';
import { bracketed, type Doc, group, indent, join, line } from './doc.js';
import { atLeast, type Fragment, primary } from './fragment.js';
import { type FunctionContext, localFunction, placed } from './function-context.js';
import {
  besideJson,
  call,
  isPlainJson,
  isReadPlainly,
  isSetDoc,
  isStringLiteral,
  propertyAccess,
  valueDoc,
} from './values.js';
import { jsonDoc } from './literals.js';
import { cel } from './mentions.js';
import { camelCase } from './names.js';
import { quoted } from './quote.js';
import type { JsonValue } from '../ast/policy.js';

/**
 * A predicate as a JavaScript expression that is exactly true or false: the first polarity, which makes the decision.
 */
export function whenDoc(predicate: Predicate, context: FunctionContext): Fragment {
  const subject = findSubject(predicate);
  if (subject === undefined) return testDoc(predicate, context);
  const inner = { ...context, expression: subject.expression };
  return placed(testDoc(predicate, inner), subject.value, inner);
}

function testDoc(predicate: Predicate, context: FunctionContext): Fragment {
  switch (predicate.kind) {
    case 'constant':
      return primary(String(predicate.value));
    case 'and':
      return chain(predicate.operands, 'and', context);
    case 'or':
      return chain(predicate.operands, 'or', context);
    case 'not':
      return { doc: ['!', atLeast('unary', whenDoc(predicate.operand, context))], level: 'unary' };
    case 'compare':
      return comparison(predicate, context);
    case 'in':
      return membership(predicate.element, predicate.collection, predicate.polarity, context);
    case 'has':
      return presence(predicate.operand, predicate.name, predicate.polarity, context);
    case 'quantifier': {
      const name = `${predicate.quantifier}${predicate.variables.length === 2 ? 'Entry' : 'Element'}`;
      const body = localFunction(predicate.variables, context, (inner) => whenDoc(predicate.body, inner).doc);
      return primary(bracketed(cel(`${name}(`), [valueDoc(predicate.range, context).doc, body], ')'));
    }
    case 'is':
      if (predicate.value.kind === 'is-set')
        return isSetDoc(predicate.value.binding, predicate.value.name, predicate.polarity, context);
      if (predicate.polarity && predicate.value.kind === 'call' && predicate.value.runtime === 'matches') {
        return patternMatch(predicate.value.args, context);
      }
      return equality(valueDoc(predicate.value, context), '===', String(predicate.polarity));
  }
}

function chain(operands: readonly Predicate[], kind: 'and' | 'or', context: FunctionContext): Fragment {
  // `&&` inside `||` gets parentheses that JavaScript does not need, but that help readers; `&&` inside `&&` gets none.
  const left = kind === 'and' ? withoutImplied(operands) : operands;
  if (left.length === 1) return whenDoc(left[0] as Predicate, context);
  const docs = left.map((operand) => {
    const fragment = whenDoc(operand, context);
    return fragment.level === kind ? fragment.doc : atLeast('equality', fragment);
  });
  return { doc: group(join(docs, [kind === 'and' ? ' &&' : ' ||', line])), level: kind };
}

/**
 * The operands of an `&&` without presence tests that a later test implies: `R.attr.open === true` implies that
 * `R.attr.open` is present. The operands between the two are so cheap that the presence test does not pay off as a
 * guard for them.
 */
function withoutImplied(operands: readonly Predicate[]): readonly Predicate[] {
  return operands.filter((operand, index) => {
    if (operand.kind !== 'has' || !operand.polarity) return true;
    const { operand: object, name } = operand;
    if (object.kind !== 'field' || !isReadPlainly(object, name)) return true;
    for (const later of operands.slice(index + 1)) {
      const values = comparedIn(later);
      if (values === undefined || !values.every(isRead)) return true;
      if (later.kind !== 'has' && values.some((value) => isAttribute(value, object, name))) return false;
    }
    return true;
  });
}

/** The values that must be present for a test to hold. */
function comparedIn(predicate: Predicate): readonly Value[] | undefined {
  switch (predicate.kind) {
    case 'compare':
      return [predicate.left, predicate.right];
    case 'in':
      return [predicate.element, predicate.collection];
    case 'is':
      return [predicate.value];
    case 'has':
      return [predicate.operand];
    case 'constant':
    case 'and':
    case 'or':
    case 'not':
    case 'quantifier':
      return undefined;
  }
}

/** Whether a value is only read, not computed. */
function isRead(value: Value): boolean {
  if (value.kind === 'select') return isRead(value.operand);
  if (value.kind === 'list') return value.elements.every((element) => isRead(element.value));
  return value.kind === 'literal' || value.kind === 'constant' || value.kind === 'field';
}

function isAttribute(value: Value, object: Value & { kind: 'field' }, name: string): boolean {
  if (value.kind !== 'select' || value.name !== name || value.operand.kind !== 'field') return false;
  return value.operand.of === object.of && value.operand.name === object.name;
}

function equality(left: Fragment, sign: '===' | '!==', right: Doc): Fragment {
  return { doc: group([atLeast('unary', left), ` ${sign}`, indent([line, right])]), level: 'equality' };
}

/** A pattern that is known at compile time is prepared once. */
function patternMatch(args: readonly Value[], context: FunctionContext): Fragment {
  const [text, pattern] = args as [Value, Value];
  if (!isStringLiteral(pattern)) return equality(call('matches', args, context), '===', 'true');
  const engine = engineOf(pattern.value);
  const parts = [quoted(pattern.value), ...(engine === undefined ? [] : [cel(engine)])];
  const prepared = context.module.hoist('pattern', [cel('literalPattern('), join(parts, ', '), ')']);
  return call('matchesPattern', [text], context, [prepared]);
}

const FUNCTIONS = {
  equals: ['isEqual', 'differs'],
  lessThan: ['less', 'notLess'],
  atMost: ['lessOrEqual', 'notLessOrEqual'],
  greaterThan: ['greater', 'notGreater'],
  atLeast: ['greaterOrEqual', 'notGreaterOrEqual'],
} as const;

function comparison(predicate: Predicate & { kind: 'compare' }, context: FunctionContext): Fragment {
  const { comparison, left, right, polarity } = predicate;
  if (comparison === 'equals') {
    if (isComparedByIdentity(left, right)) {
      const sign = polarity ? '===' : '!==';
      if (polarity || (isAlwaysThere(left) && isAlwaysThere(right))) {
        return equality(besideJson(left, right, context), sign, besideJson(right, left, context).doc);
      }
    }
  }
  const [positive, negative] = FUNCTIONS[comparison];
  const args = [besideJson(left, right, context).doc, besideJson(right, left, context).doc];
  return primary(bracketed(cel(`${polarity ? positive : negative}(`), args, ')'));
}

/**
 * Whether `===` has the same result as CEL's `==`: one side is a scalar that only equals itself, the other plain JSON
 * or absent.
 */
function isComparedByIdentity(left: Value, right: Value): boolean {
  return (isIdentityScalar(left) && isPlainJson(right.type)) || (isIdentityScalar(right) && isPlainJson(left.type));
}

function isIdentityScalar(value: Value): boolean {
  if (value.kind === 'literal') return value.literal !== 'bytes' && value.literal !== 'json';
  // A field of the request whose type is string is always present (docs/spec/conditions.md#defaults).
  return value.kind === 'field' && value.type.kind === 'string';
}

function isAlwaysThere(value: Value): boolean {
  return value.kind === 'literal' || (value.kind === 'field' && value.type.kind === 'string');
}

function membership(element: Value, collection: Value, polarity: boolean, context: FunctionContext): Fragment {
  if (isScalarList(collection) && isPlainJson(element.type)) {
    const items = collection.elements.map((item) => besideJson(item.value, element, context).doc);
    const set = context.module.hoist(setName(element), bracketed(['new Set<', cel('Value>([')], items, '])'));
    return call(polarity ? 'isOneOf' : 'isNoneOf', [element], context, [set]);
  }
  const scalars = listScalars(collection, context);
  if (scalars !== undefined && collection.kind === 'constant' && isPlainJson(element.type)) {
    const set = context.module.hoist(
      `${camelCase(collection.name, 'constant')}Set`,
      bracketed(['new Set<', cel('Value>([')], scalars.map(jsonDoc), '])'),
      {
        remark: () => context.module.remark(`C.${collection.name}`),
      },
    );
    return call(polarity ? 'isOneOf' : 'isNoneOf', [element], context, [set]);
  }
  if (
    collection.kind === 'field' &&
    collection.name === 'roles' &&
    isPlainJson(element.type) &&
    (polarity || isAlwaysThere(element))
  ) {
    const includes: Fragment = primary([
      valueDoc(collection, context).doc,
      '.includes(',
      valueDoc(element, context).doc,
      ')',
    ]);
    return polarity ? includes : { doc: ['!', includes.doc], level: 'unary' };
  }
  const isStringInAttribute =
    polarity && isIdentityScalar(element) && element.type.kind === 'string' && isPartOfRequest(collection);
  return call(isStringInAttribute ? 'isStringIn' : polarity ? 'isIn' : 'isNotIn', [element, collection], context);
}

/** Whether a value is read from a request as it is: then it is JSON, absent, or fails. */
function isPartOfRequest(value: Value): boolean {
  return value.kind === 'select' ? isPartOfRequest(value.operand) : value.kind === 'field' && isPlainJson(value.type);
}

/** The scalars of a constant that is a list of scalars: like a literal list, it is tested as a set. */
function listScalars(collection: Value, context: FunctionContext): readonly JsonValue[] | undefined {
  if (collection.kind !== 'constant') return undefined;
  const value = context.module.constants.get(collection.name);
  const isScalarList = Array.isArray(value) && value.every((item) => item === null || typeof item !== 'object');
  return isScalarList ? (value as readonly JsonValue[]) : undefined;
}

function isScalarList(value: Value): value is Value & { kind: 'list' } {
  return (
    value.kind === 'list' &&
    value.elements.every(
      (element) => !element.optional && isIdentityScalar(element.value) && element.value.kind === 'literal',
    )
  );
}

/** `R.attr.status in [...]` -> `statusValues`. */
function setName(element: Value): string {
  const name = 'name' in element ? element.name : undefined;
  return name !== undefined && /^[A-Za-z]\w*$/.test(name) ? `${name}Values` : 'values';
}

function presence(operand: Value, name: string, polarity: boolean, context: FunctionContext): Fragment {
  const access = operand.kind === 'field' ? propertyAccess(operand, name, context) : undefined;
  if (access !== undefined) return equality(primary(access), polarity ? '!==' : '===', 'undefined');
  return equality(call('has', [operand], context, [quoted(name)]), '===', String(polarity));
}
