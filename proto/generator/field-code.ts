import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { type Code, messageOf, type Module, nameOf } from './code.js';
import { GrownCode } from './grown-code.js';
import type { FieldRules } from './rules.js';
import { addEnum, addMoment, addNumber, addText } from './value-code.js';

/** The code of the rules of one field, and of the messages in it. Throws when there is none for a field of its kind. */
export function fieldCode(field: DescField, module: Module): Code {
  const rules = module.annotations.ofField(field);
  if (field.oneof !== undefined && rules.required === true) throw refusal(field);
  const code = new GrownCode(field);
  const message = messageOf(field);
  const inner: Inner | undefined =
    message !== undefined && module.known.has(message)
      ? { name: nameOf(message), now: module.timed.has(message) ? ', now' : '' }
      : undefined;
  allow(rules, rulesFor(field), field);
  switch (field.fieldKind) {
    case 'scalar':
      if (field.scalar === ScalarType.STRING) addText(code, rules);
      else addNumber(code, rules);
      break;
    case 'enum':
      addEnum(code, rules, field.enum);
      break;
    case 'message':
      if (inner === undefined) addMoment(code, rules);
      else addMessage(code, rules, inner);
      break;
    case 'list':
      addList(code, rules, inner);
      break;
    case 'map':
      addMap(code, rules, inner, isJson(message));
  }
  return code.finished();
}

/** A message that has functions of its own: its name, and what these are given beside it. */
interface Inner {
  readonly name: string;
  readonly now: '' | ', now';
}

type RuleName = keyof FieldRules;

/** The rules that there is code for: of a scalar that may be absent, or be empty and there, none. */
function rulesFor(field: DescField): readonly RuleName[] {
  const isOptional = field.presence === FeatureSet_FieldPresence.EXPLICIT && field.oneof === undefined;
  switch (field.fieldKind) {
    case 'scalar':
      if (isOptional) return [];
      if (field.scalar === ScalarType.STRING) return ['required', 'string'];
      return field.scalar === ScalarType.UINT32 ? ['uint32'] : [];
    case 'enum':
      return isOptional ? [] : ['required', 'enum'];
    case 'message':
      return field.message.typeName === 'google.protobuf.Timestamp' ? ['required', 'timestamp'] : ['required'];
    case 'list':
      return ['required', 'repeated'];
    case 'map':
      return ['required', 'map'];
  }
}

function allow(rules: FieldRules, allowed: readonly RuleName[], field: DescField): void {
  if (Object.keys(rules).some((name) => !allowed.includes(name as RuleName))) throw refusal(field);
}

function refusal(field: DescField): Error {
  return new Error(`no code for the rules of ${field.parent.typeName}.${field.name}`);
}

function addMessage(code: GrownCode, { required }: FieldRules, { name, now }: Inner): void {
  const { value, element } = code;
  const report = `report${name}(${value}, within(path, ${element}), found${now});`;
  const isValid = `isValid${name}(${value}${now})`;
  if (code.isInOneof) {
    code.condition(isValid);
    code.statement(undefined, report);
  } else if (required === true) {
    code.conditions.push(`${value} !== undefined`, isValid);
    code.statements.push(`if (${value} === undefined) report(found, REQUIRED, path, ${element});\n  else ${report}`);
  } else {
    code.condition(`(${value} === undefined || ${isValid})`);
    code.statement(`${value} !== undefined`, report);
  }
}

function addList(code: GrownCode, { required, repeated = {} }: FieldRules, inner: Inner | undefined): void {
  const { value, element, field } = code;
  const { minItems, maxItems, unique, items } = repeated;
  const isOfTexts = field.fieldKind === 'list' && field.listKind === 'scalar' && field.scalar === ScalarType.STRING;
  if (!isOfTexts && (unique !== undefined || items !== undefined)) throw refusal(field);
  if (required === true) code.rule(`${value}.length > 0`, `${value}.length === 0`, 'REQUIRED');
  if (minItems !== undefined) addCount(code, 'AT_LEAST', `atLeast(${minItems})`, `>= ${minItems}`, `< ${minItems}`);
  if (maxItems !== undefined) addCount(code, 'AT_MOST', `atMost(${maxItems})`, `<= ${maxItems}`, `> ${maxItems}`);
  if (unique === true) code.rule(`isUnique(${value})`, `!isUnique(${value})`, 'UNIQUE');
  const loop = `for (const [index, item] of ${value}.entries())`;
  if (items?.string?.minLen !== undefined) {
    code.condition(`!${value}.includes('')`);
    code.statement(undefined, `${loop} if (item === '') report(found, ITEM_NOT_EMPTY, path, ${element}, index);`);
  }
  if (items?.string?.maxLen !== undefined) {
    const { maxLen } = items.string;
    code.constants.set(`${element}_ITEM_AT_MOST`, ` = itemAtMost(${maxLen})`);
    code.condition(`allItems(${value}, (item) => isAtMost(item, ${maxLen}))`);
    code.statement(
      undefined,
      `${loop} if (!isAtMost(item, ${maxLen})) report(found, ${element}_ITEM_AT_MOST, path, ${element}, index);`,
    );
  }
  if (inner !== undefined) {
    code.condition(`allItems(${value}, ${predicate(inner)})`);
    code.statement(undefined, `${loop} report${inner.name}(item, within(path, ${element}, index), found${inner.now});`);
  }
}

function addCount(code: GrownCode, name: string, rule: string, holds: string, broken: string): void {
  const constant = `${code.element}_${name}`;
  code.constants.set(constant, ` = ${rule}`);
  code.rule(`${code.value}.length ${holds}`, `${code.value}.length ${broken}`, constant);
}

/** A map of JSON values is an object, any other a Map. */
function addMap(code: GrownCode, { required, map }: FieldRules, inner: Inner | undefined, isObject: boolean): void {
  const { value, element } = code;
  if (required === true)
    code.rule(
      isObject ? `Object.keys(${value}).length > 0` : `${value}.size > 0`,
      isObject ? `Object.keys(${value}).length === 0` : `${value}.size === 0`,
      'REQUIRED',
    );
  const hasEmptyKey = isObject ? `Object.hasOwn(${value}, '')` : `${value}.has('')`;
  // The empty key is the least of all: it comes before the entries.
  if (map?.keys !== undefined) {
    code.condition(`!${hasEmptyKey}`);
    code.statement(hasEmptyKey, `reportKey(found, KEY_NOT_EMPTY, path, ${element}, '');`);
  }
  if (inner === undefined) return;
  code.condition(`allValues(${value}, ${predicate(inner)})`);
  code.statement(
    undefined,
    `for (const [key, item] of byKey(${value})) report${inner.name}(item, within(path, ${element}, key), found${inner.now});`,
  );
}

function isJson(message: DescMessage | undefined): boolean {
  return message?.typeName === 'google.protobuf.Value';
}

function predicate({ name, now }: Inner): string {
  return now === '' ? `isValid${name}` : `(item) => isValid${name}(item, now)`;
}
