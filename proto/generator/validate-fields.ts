import { type DescEnum, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence, FieldDescriptorProto_Type as FieldType } from '@bufbuild/protobuf/wkt';
import type { Annotations, FieldRules } from '../definitions/annotations.js';

/** The names that the code of one message refers to. */
export interface Module {
  readonly annotations: Annotations;
  /** The messages that have rules, directly or in nested messages. */
  readonly known: ReadonlySet<DescMessage>;
  /** Those of them whose rules depend on the current time, which is passed to their functions. */
  readonly timed: ReadonlySet<DescMessage>;
}

/** Code, and the declarations it needs. */
export interface Code {
  /** Conditions that all hold for a valid message. */
  readonly conditions: readonly string[];
  /** Statements that report violations. */
  readonly statements: readonly string[];
  /** Declared at the top of the file, by name. */
  readonly constants: ReadonlyMap<string, string>;
}

/** Merges several pieces of code. Throws if two of them use one name for different things. */
export function joined(codes: readonly Code[]): Code {
  const constants = new Map<string, string>();
  for (const [name, value] of codes.flatMap((code) => [...code.constants])) {
    if ((constants.get(name) ?? value) !== value) throw new Error(`two rules name a constant ${name}`);
    constants.set(name, value);
  }
  return {
    conditions: codes.flatMap(({ conditions }) => conditions),
    statements: codes.flatMap(({ statements }) => statements),
    constants,
  };
}

/** `authz.request.v1.AuxData.JWT` becomes `AuxDataJWT`. */
export function messageName(message: DescMessage): string {
  return message.parent === undefined ? message.name : messageName(message.parent) + message.name;
}

/** Converts a name of any spelling to the form of a constant. */
export function constantName(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();
}

/** The message type of a field, its items or its entries. */
export function messageOf(field: DescField): DescMessage | undefined {
  return field.message;
}

/** The rules of a string. */
export function addText(code: GrownCode, { required, string: { pattern, in: texts } = {} }: FieldRules): void {
  const { value } = code;
  const prefix = constantName(code.field.name);
  if (required === true) code.required(`${value} !== ''`, `${value} === ''`);
  if (pattern !== undefined) {
    const name = `${prefix}_PATTERN`;
    code.constants.set(name, ` = ${new RegExp(pattern)}`);
    code.constants.set(`${name}_RULE`, ` = matching(${name})`);
    const matches = new RegExp(pattern).test('')
      ? `(${value} === '' || ${name}.test(${value}))`
      : `${name}.test(${value})`;
    code.rule(matches, `!${name}.test(${value})`, `${name}_RULE`);
  }
  if (texts !== undefined) {
    const name = `${prefix}_TEXTS`;
    code.constants.set(name, `: readonly string[] = ${JSON.stringify(texts)}`);
    code.constants.set(`${name}_RULE`, ` = oneOf(${name})`);
    code.rule(`${name}.includes(${value})`, `!${name}.includes(${value})`, `${name}_RULE`);
  }
}

/** The rules of a number: a range. */
function addNumber(code: GrownCode, { uint32 = {} }: FieldRules): void {
  const { value, element } = code;
  const { gte, lte } = uint32;
  if (gte === undefined && lte === undefined) return;
  if (gte === undefined || lte === undefined || gte > lte)
    throw new Error(`${element}: there is code for numbers from one to another only`);
  code.constants.set(`${element}_RANGE`, ` = withinNumbers(${gte}, ${lte})`);
  code.rule(
    `(${value} >= ${gte} && ${value} <= ${lte})`,
    `!(${value} >= ${gte} && ${value} <= ${lte})`,
    `${element}_RANGE`,
  );
}

/** The rules of an enum, whose values are numbers; its rules refer to them by name. */
function addEnum(code: GrownCode, { required, enum: { in: numbers } = {} }: FieldRules, { values }: DescEnum): void {
  const { value, element } = code;
  if (required === true) code.required(`${value} !== 0`, `${value} === 0`);
  if (numbers === undefined) return;
  const names = numbers.map((number) => values.find((one) => one.number === number)?.name);
  if (names.includes(undefined)) throw new Error(`${element}: a rule names a number that its enum does not have`);
  code.constants.set(`${element}_NUMBERS`, `: readonly number[] = ${JSON.stringify(numbers)}`);
  code.constants.set(`${element}_NUMBERS_RULE`, ` = oneOfValues(${JSON.stringify(names)})`);
  code.rule(
    `${element}_NUMBERS.includes(${value})`,
    `!${element}_NUMBERS.includes(${value})`,
    `${element}_NUMBERS_RULE`,
  );
}

/** The rules of a google.protobuf.Timestamp, if present. */
function addMoment(code: GrownCode, { required, timestamp }: FieldRules): void {
  const { value } = code;
  if (required === true) code.required(`${value} !== undefined`, `${value} === undefined`);
  if (timestamp?.ltNow !== true) return;
  const isPast = `isPast(${value}, now)`;
  const mayBeAbsent = required !== true && !code.isInOneof;
  code.rule(
    mayBeAbsent ? `(${value} === undefined || ${isPast})` : isPast,
    mayBeAbsent ? `${value} !== undefined && !${isPast}` : `!${isPast}`,
    'PAST',
  );
}

/** The code of one field, built rule by rule. */
class GrownCode implements Code {
  readonly conditions: string[] = [];
  readonly statements: string[] = [];
  readonly constants = new Map<string, string>();
  /** The expression of the field's value. */
  readonly value: string;
  /** The constant for its path segment; those of its rules begin with the same prefix. */
  readonly element: string;
  /** A member of a oneof is set or not set, and never empty: tests whether it is the one that is set. */
  readonly #isTheOne: string | undefined;
  #isPresent: string | undefined;

  constructor(readonly field: DescField) {
    const { oneof, parent, name, localName } = field;
    const union = oneof && `message.${oneof.localName}`;
    this.#isTheOne = union && `${union}?.by === '${localName}'`;
    this.value = union === undefined ? `message.${localName}` : `${union}.value`;
    this.element = `${constantName(messageName(parent))}_${constantName(name)}`;
  }

  get isInOneof(): boolean {
    return this.#isTheOne !== undefined;
  }

  /** Adds a condition, and the rule that is violated if it is false. */
  rule(holds: string, broken: string, rule: string): void {
    this.condition(holds);
    this.statement(broken, `report(found, ${rule}, path, ${this.element});`);
  }

  /** Requires the value to be present. Rules about an absent value are not checked. */
  required(isPresent: string, isMissing: string): void {
    this.rule(isPresent, isMissing, 'REQUIRED');
    this.#isPresent = isPresent;
  }

  condition(holds: string): void {
    this.conditions.push(
      this.#isTheOne === undefined ? holds : `(${this.#isTheOne.replace('===', '!==')} || ${holds})`,
    );
  }

  /** The statements to run if a condition is true. */
  statement(when: string | undefined, then: string): void {
    const all = [this.#isTheOne, this.#isPresent, when].filter((one) => one !== undefined);
    this.statements.push(all.length === 0 ? then : `if (${all.join(' && ')}) ${then}`);
  }

  /** The field as a path segment, once it has code that names it. */
  finished(): Code {
    if (this.statements.length > 0)
      this.constants.set(
        this.element,
        `: FieldElement = { fieldNumber: ${this.field.number}, fieldName: '${this.field.name}', fieldType: 'TYPE_${FieldType[this.field.proto.type]}' }`,
      );
    return this;
  }
}

/** The code for the rules of one field, and of its nested messages. Throws if its kind is not supported. */
export function fieldCode(field: DescField, module: Module): Code {
  const rules = module.annotations.ofField(field);
  if (field.oneof !== undefined && rules.required === true) throw refusal(field);
  const code = new GrownCode(field);
  const message = messageOf(field);
  const inner: Inner | undefined =
    message !== undefined && module.known.has(message)
      ? { name: messageName(message), now: module.timed.has(message) ? ', now' : '' }
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

/** A message with its own functions: its name, and their additional arguments. */
interface Inner {
  readonly name: string;
  readonly now: '' | ', now';
}

type RuleName = keyof FieldRules;

/** The supported rules; a scalar that may be absent, or present and empty, supports none. */
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
  // The empty key is the smallest: it comes before the other entries.
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
