import type { AssumedSchema } from '../question/question.js';
import {
  type Call,
  type DeclaredMembers,
  type Expanded,
  expanded,
  listKeywords,
  readMembers,
  readNumber,
  listTexts,
} from './expanded-schema.js';

/** Whether two lists of schemas are the same, wherever their definitions are. */
export function areSameSchemas(one: readonly AssumedSchema[], other: readonly AssumedSchema[]): boolean {
  const formatSchemas = (schemas: readonly AssumedSchema[]): string =>
    JSON.stringify(
      schemas.map((schema) => [schema.attributesOf, expanded(schema) ?? JSON.stringify([schema.at, schema.modules])]),
    );
  return one.length === other.length && formatSchemas(one) === formatSchemas(other);
}

/**
 * Whether attributes that satisfy one list of schemas satisfy another one, as far as their keywords themselves tell.
 * False does not mean the opposite.
 */
export function isAccepted(own: readonly AssumedSchema[], others: readonly AssumedSchema[]): boolean {
  return others.every((other) =>
    own.some((schema) => {
      if (schema.attributesOf !== other.attributesOf) return false;
      if (areSameSchemas([schema], [other])) return true;
      const [from, to] = [expanded(schema), expanded(other)];
      return from !== undefined && to !== undefined && includes(from, to);
    }),
  );
}

/** Whether what one schema accepts is accepted by another one: each of its keywords follows from one of the first. */
function includes(own: Expanded, other: Expanded): boolean {
  const given = listKeywords(own);
  if (given.some((keyword) => 'name' in keyword && keyword.name === 'nothing')) return true;
  return listKeywords(other).every(
    (keyword) => given.some((one) => isEqual(one, keyword)) || ('call' in keyword && follows(keyword, given)),
  );
}

/** What refers to definitions around it says something else within others. */
function isEqual(one: Expanded, other: Expanded): boolean {
  const text = JSON.stringify(one);
  return text === JSON.stringify(other) && !text.includes('"outer"') && !text.includes('"dynamicRef"');
}

/** Whether a keyword is true of all values of which the given ones are. */
function follows({ call, args: [first, ...rest] }: Call, given: readonly Expanded[]): boolean {
  const calls = (...names: readonly string[]): readonly Call[] =>
    given.flatMap((one) => ('call' in one && names.includes(one.call) ? [one] : []));
  switch (call) {
    case 'type': {
      const accepted = new Set(listTexts(first));
      if (accepted.has('number')) accepted.add('integer');
      return calls('type').some(({ args }) => listTexts(args[0]).every((type) => accepted.has(type)));
    }
    case 'required': {
      const required = new Set(calls('required').flatMap(({ args }) => args.flatMap(listTexts)));
      return [first, ...rest].flatMap(listTexts).every((name) => required.has(name));
    }
    case 'is':
    case 'isIn': {
      const accepted = [first, ...rest].map((value) => JSON.stringify(value));
      return calls('is', 'isIn').some(({ args }) => args.every((value) => accepted.includes(JSON.stringify(value))));
    }
    case 'minimum':
    case 'exclusiveMinimum':
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return calls(call).some(({ args }) => readNumber(args[0]) >= readNumber(first));
    case 'maximum':
    case 'exclusiveMaximum':
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return calls(call).some(({ args }) => readNumber(args[0]) <= readNumber(first));
    case 'items':
      return (
        first !== undefined && calls('items').some(({ args: [item] }) => item !== undefined && includes(item, first))
      );
    case 'properties':
    case 'members':
      return membersFollow(
        readMembers({ call, args: first === undefined ? [] : [first] }),
        calls('properties', 'members'),
      );
    default:
      return false;
  }
}

/** Whether the schemas of members follow from those that are given. */
function membersFollow(other: DeclaredMembers, given: readonly Call[]): boolean {
  if (other.hasPatterns) return false;
  const anything: Expanded = { name: 'anything' };
  const unsaid: DeclaredMembers = { properties: new Map(), additional: undefined, hasPatterns: false };
  return [...given.map(readMembers), unsaid].some((own) => {
    if (own.hasPatterns) return false;
    const names = new Set([...own.properties.keys(), ...other.properties.keys()]);
    const isIncluded = (name: string): boolean =>
      includes(
        own.properties.get(name) ?? own.additional ?? anything,
        other.properties.get(name) ?? other.additional ?? anything,
      );
    return [...names].every(isIncluded) && includes(own.additional ?? anything, other.additional ?? anything);
  });
}
