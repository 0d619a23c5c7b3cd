import { message } from './message.js';
import { quoted } from './quoted.js';

type Nothing = Readonly<Record<string, never>>;
interface Field {
  /** lowerCamelCase path of the field in the document: `resourcePolicy.rules[0].effect`. */
  readonly field: string;
}

/** The shape of a policy: mapping onto fields, structural and semantic validation (policy-language.md 2.4, phases 1, 2 and 4). */
export const policyMessages = {
  'policy/unknown-field': message<{ readonly name: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ name }) => `unknown field ${quoted(name)}`,
    explanation: 'There is no field of this name here. Names are case-sensitive, in lowerCamelCase or snake_case.',
  }),
  'policy/duplicate-field': message<{ readonly line: number; readonly column: number }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ line, column }) => `duplicate field definition: previous definition at [${line}:${column}]`,
    explanation: 'The same field is written twice, once in lowerCamelCase and once in snake_case. Keep one.',
  }),
  'policy/alternative-set': message<{ readonly line: number; readonly column: number }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ line, column }) => `invalid value: oneof field is already set at [${line}:${column}]`,
    explanation: 'Only one of these fields may be present: one policy type in a document, one of `expr`, `all`, `any`, `none` in a match.',
  }),
  'policy/wrong-type': message<{ readonly expected: string; readonly type: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ expected, type }) => `expected ${expected} got ${type}`,
    explanation: 'The field takes another kind of value. A number with a dot is not a string (`version: 1.0`): put it in quotes.',
  }),
  'policy/enum-name': message<{ readonly name: string | undefined }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ name }) => (name === undefined ? 'invalid enum value' : `invalid enum value ${quoted(name)}`),
    explanation: 'The field takes one of a few names, written in full: `EFFECT_ALLOW`, not `ALLOW`.',
  }),
  'policy/integer': message<{ readonly text: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ text }) => `invalid integer value ${quoted(text)}: not an unsigned 64-bit integer`,
    explanation: 'The field takes an unsigned integer of at most 64 bits, as a number or as decimal text.',
  }),
  'policy/not-json': message<{ readonly type: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ type }) => `unexpected ${type}`,
    explanation: 'A constant is a JSON value, and JSON has neither infinity nor NaN.',
  }),
  'policy/required': message<Field>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field }) => `${field}: value is required`,
    explanation: 'The field is absent or empty, and the policy has no meaning without it.',
  }),
  'policy/empty-item': message<Field>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field }) => `${field}: must be at least 1 characters`,
    explanation: 'The items of this list may not be empty texts.',
  }),
  'policy/repeated-item': message<Field>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field }) => `${field}: repeated value must contain unique items`,
    explanation: 'Each item may be in this list once.',
  }),
  'policy/pattern': message<Field & { readonly pattern: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field, pattern }) => `${field}: does not match regex pattern \`${pattern}\``,
    explanation: 'The text has characters that this name may not have. Names of resources, principals and roles are exact: globs are for rules.',
  }),
  'policy/exact-text': message<Field & { readonly text: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field, text }) => `${field}: must equal \`${text}\``,
    explanation: 'There is one version of the policy language: `apiVersion: api.authz.dev/v1`.',
  }),
  'policy/enum-choice': message<Field & { readonly names: readonly string[] }>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field, names }) => `${field}: must be one of [${names.join(', ')}]`,
    explanation: 'The value exists, but not for this field.',
  }),
  'policy/alternative-missing': message<Field>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field }) => `${field}: exactly one field is required in oneof`,
    explanation: 'One of several fields has to be present: a policy type in a document, `match` in a condition, `expr`, `all`, `any` or `none` in a match.',
  }),
  'rule/no-roles': message<{ readonly rule: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: ({ rule }) => `rule ${rule} does not specify any roles or derived roles to match`,
    explanation: 'A rule of a resource policy needs `roles`, `derivedRoles`, or both. Use `roles: ["*"]` for everybody.',
  }),
  'rule/duplicate-name': message<{ readonly name: string; readonly number: number; readonly first: number; readonly at: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: ({ name, number, first, at }) =>
      `duplicate rule name ${quoted(name)}: rule #${number} has the same name as rule #${first} defined at ${at}`,
    explanation: 'The names of the rules of a policy tell its outputs apart, so each is used once.',
  }),
  'rule/duplicate-resource': message<{ readonly resource: string; readonly number: number; readonly first: number; readonly at: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: ({ resource, number, first, at }) =>
      `duplicate resource ${quoted(resource)} at rule #${number}: previous definition in rule #${first} at ${at}`,
    explanation: 'A principal policy has one rule for each resource text. Join the actions of the two.',
  }),
  'rule/duplicate-action-name': message<{
    readonly name: string;
    readonly resource: string;
    readonly number: number;
    readonly first: number;
    readonly at: string;
  }>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: ({ name, resource, number, first, at }) =>
      `duplicate action rule name ${quoted(name)}: action rule #${number} for resource ${quoted(resource)} has the same name as action rule #${first} defined at ${at}`,
    explanation: 'The names of the actions of one rule tell its outputs apart, so each is used once.',
  }),
  'derived-role/duplicate': message<{ readonly name: string; readonly number: number; readonly first: number; readonly at: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: ({ name, number, first, at }) =>
      `duplicate derived role definition ${quoted(name)}: definition #${number} has the same name as definition #${first} at ${at}`,
    explanation: 'A set defines each derived role once. Join the two with `any`, or rename one.',
  }),
  'export/legacy-variables': message<{ readonly policyType: 'variables' | 'constants' }>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: ({ policyType }) => `export ${policyType} policies do not support the deprecated top-level variables field`,
    explanation: 'Variables for others to import go into `exportVariables.definitions`.',
  }),
  'role-policy/no-version': message<Nothing>({
    severity: 'warning',
    stage: 'load',
    kind: 'load',
    text: () => 'role policy has no version: `default` is assumed',
    explanation: 'The version of a role policy may be left out for now, and will be required. Write `version: default`.',
  }),
};
