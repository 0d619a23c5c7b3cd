import type { DescEnum } from '@bufbuild/protobuf';
import { constantName } from './code.js';
import type { GrownCode } from './grown-code.js';
import type { FieldRules } from './rules.js';

/** The rules of a text. */
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

/** The rules of a number: from one to another. */
export function addNumber(code: GrownCode, { uint32 = {} }: FieldRules): void {
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

/** The rules of an enum, whose values are numbers; its rule calls them by their names. */
export function addEnum(
  code: GrownCode,
  { required, enum: { in: numbers } = {} }: FieldRules,
  { values }: DescEnum,
): void {
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

/** The rules of a google.protobuf.Timestamp, when it is there. */
export function addMoment(code: GrownCode, { required, timestamp }: FieldRules): void {
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
