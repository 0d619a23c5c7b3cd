import type { DescField } from '@bufbuild/protobuf';
import { type Code, constantName, messageOf, type Module, nameOf } from './code.js';
import type { FieldRules } from './rules.js';

/** The code of the rules of one field, and of the messages in it. */
export function fieldCode(field: DescField, module: Module): Code {
  const rules = module.annotations.ofField(field);
  const value = `message.${field.localName}`;
  const constant = `${constantName(nameOf(field.parent))}_${constantName(field.name)}`;
  const code = new FieldCode(value, constant);
  const inner = messageOf(field);
  const innerName = inner !== undefined && module.known.includes(inner) ? nameOf(inner) : undefined;
  switch (field.fieldKind) {
    case 'scalar':
      addText(code, rules, field);
      break;
    case 'message':
      addMessage(code, rules, innerName);
      break;
    case 'list':
      addList(code, rules, innerName);
      break;
    case 'map':
      addMap(code, rules, innerName, inner?.typeName === 'google.protobuf.Value');
      break;
    case 'enum':
      refuse(rules, field);
  }
  if (code.statements.length > 0) code.constants.set(constant, `: FieldElement = { number: ${field.number}, name: '${field.name}', type: '${typeName(field)}' }`);
  return code;
}

/** Grows rule by rule. */
class FieldCode implements Code {
  readonly conditions: string[] = [];
  readonly statements: string[] = [];
  readonly constants = new Map<string, string>();

  constructor(
    readonly value: string,
    readonly element: string,
  ) {}

  /** A condition that must hold, and the rule that is broken otherwise. */
  rule(condition: string, broken: string, rule: string): void {
    this.conditions.push(condition);
    this.statements.push(`if (${broken}) report(found, ${rule}, [...path, ${this.element}]);`);
  }
}

function addText(code: FieldCode, rules: FieldRules, field: DescField): void {
  const { value } = code;
  if (Object.keys(rules).length > 0 && typeName(field) !== 'TYPE_STRING') refuse(rules, field);
  const { pattern, in: texts } = rules.string ?? {};
  if (rules.required === true || rules.string?.minLen !== undefined) code.rule(`${value} !== ''`, `${value} === ''`, 'REQUIRED');
  if (pattern !== undefined) {
    const name = `${constantName(field.name)}_PATTERN`;
    code.constants.set(name, ` = ${new RegExp(pattern)}`);
    code.constants.set(`${name}_RULE`, ` = matching(${name})`);
    const matches = new RegExp(pattern).test('') ? `(${value} === '' || ${name}.test(${value}))` : `${name}.test(${value})`;
    code.rule(matches, `!${name}.test(${value})`, `${name}_RULE`);
  }
  if (texts !== undefined) {
    const name = `${constantName(field.name)}_TEXTS`;
    code.constants.set(name, `: readonly string[] = ${JSON.stringify(texts)}`);
    code.constants.set(`${name}_RULE`, ` = oneOf(${name})`);
    code.rule(`${name}.includes(${value})`, `!${name}.includes(${value})`, `${name}_RULE`);
  }
}

function addMessage(code: FieldCode, { required }: FieldRules, inner: string | undefined): void {
  const { value, element } = code;
  const isThere = `${value} !== undefined`;
  const isRequired = required === true;
  if (inner === undefined) {
    if (isRequired) code.rule(isThere, `${value} === undefined`, 'REQUIRED');
    return;
  }
  code.conditions.push(isRequired ? isThere : `(${value} === undefined || isValid${inner}(${value}))`);
  if (isRequired) code.conditions.push(`isValid${inner}(${value})`);
  const report = `report${inner}(${value}, [...path, ${element}], found);`;
  code.statements.push(isRequired ? `if (${value} === undefined) report(found, REQUIRED, [...path, ${element}]);\n  else ${report}` : `if (${isThere}) ${report}`);
}

function addList(code: FieldCode, { required, repeated }: FieldRules, inner: string | undefined): void {
  const { value, element } = code;
  if (required === true) code.rule(`${value}.length > 0`, `${value}.length === 0`, 'REQUIRED');
  if (repeated?.minItems !== undefined) addCount(code, 'AT_LEAST', `atLeast(${repeated.minItems})`, `>= ${repeated.minItems}`, `< ${repeated.minItems}`);
  if (repeated?.maxItems !== undefined) addCount(code, 'AT_MOST', `atMost(${repeated.maxItems})`, `<= ${repeated.maxItems}`, `> ${repeated.maxItems}`);
  if (repeated?.unique === true) code.rule(`isUnique(${value})`, `!isUnique(${value})`, 'UNIQUE');
  const loop = `for (const [index, item] of ${value}.entries())`;
  const at = `[...path, { ...${element}, index }]`;
  if (repeated?.items !== undefined) {
    code.conditions.push(`!${value}.includes('')`);
    code.statements.push(`${loop} if (item === '') report(found, ITEM_NOT_EMPTY, ${at});`);
  }
  if (inner !== undefined) {
    code.conditions.push(`allItems(${value}, isValid${inner})`);
    code.statements.push(`${loop} report${inner}(item, ${at}, found);`);
  }
}

function addCount(code: FieldCode, name: string, rule: string, holds: string, broken: string): void {
  const constant = `${code.element}_${name}`;
  code.constants.set(constant, ` = ${rule}`);
  code.rule(`${code.value}.length ${holds}`, `${code.value}.length ${broken}`, constant);
}

function addMap(code: FieldCode, { required, map }: FieldRules, inner: string | undefined, isObject: boolean): void {
  const { value, element } = code;
  if (required === true) code.rule(isObject ? `Object.keys(${value}).length > 0` : `${value}.size > 0`, isObject ? `Object.keys(${value}).length === 0` : `${value}.size === 0`, 'REQUIRED');
  const hasEmptyKey = isObject ? `Object.hasOwn(${value}, '')` : `${value}.has('')`;
  // The empty key is the least of all: it comes before the entries.
  if (map?.keys !== undefined) {
    code.conditions.push(`!${hasEmptyKey}`);
    code.statements.push(`if (${hasEmptyKey}) reportKey(found, KEY_NOT_EMPTY, [...path, { ...${element}, key: '' }]);`);
  }
  if (inner === undefined) return;
  code.conditions.push(`allValues(${value}, isValid${inner})`);
  code.statements.push(`for (const [key, item] of byKey(${value})) report${inner}(item, [...path, { ...${element}, key }], found);`);
}

function typeName(field: DescField): string {
  if (field.fieldKind === 'scalar' || field.fieldKind === 'list') {
    if (field.scalar === 9) return 'TYPE_STRING';
    if (field.message === undefined) return `TYPE_${field.scalar}`;
  }
  return 'TYPE_MESSAGE';
}

function refuse(rules: FieldRules, field: DescField): void {
  if (Object.keys(rules).length > 0) throw new Error(`no code for the rules of ${field.parent.typeName}.${field.name}`);
}
