import { message, quoted } from './message.js';

type Nothing = Readonly<Record<string, never>>;
export interface Field {
  /** lowerCamelCase path of the field in the document: `resourcePolicy.rules[0].effect`. */
  readonly field: string;
}

/**
 * The shape of a policy: mapping onto fields, structural and semantic validation
 * (docs/spec/policy-language.md#compilation-phases).
 */
export const policyMessages = {
  'policy/unknown-field': message<{ readonly name: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ name }) => `unknown field ${quoted(name)}`,
    explanation: `
There is no field of this name at this place. Names are case-sensitive, in lowerCamelCase (\`derivedRoles\`) or snake_case (\`derived_roles\`).

Correct the spelling and the indentation: a field that is known elsewhere may stand a level too high or too low. Notes for people go into \`description\` or
\`metadata.annotations\`.
`,
  }),
  'policy/duplicate-field': message<{ readonly line: number; readonly column: number }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ line, column }) => `duplicate field definition: previous definition at [${line}:${column}]`,
    explanation: `
The same field is written twice, once in lowerCamelCase and once in snake_case: \`importDerivedRoles\` and \`import_derived_roles\` are one field.

Keep one of the two, and move the values of the other into it.
`,
  }),
  'policy/alternative-set': message<{ readonly line: number; readonly column: number }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ line, column }) => `invalid value: oneof field is already set at [${line}:${column}]`,
    explanation: `
Only one of these fields may be present: one policy type in a document, one of \`expr\`, \`all\`, \`any\`, \`none\` in a match.

Put each policy into a file of its own. To join several matches, put them below one operator:

\`\`\`yaml
match:
  all:
    of:
      - expr: R.attr.public == true
      - any:
          of:
            - expr: R.attr.status == "OPEN"
\`\`\`
`,
  }),
  'policy/wrong-type': message<{ readonly expected: string; readonly type: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ expected, type }) => `expected ${expected} got ${type}`,
    explanation: `
The field takes another kind of value than what is written.

- \`expected string value got Float\`: a number with a dot is no text. Put it in quotes: \`version: "1.0"\`.
- \`expected sequence got String\`: write a list, \`roles: [user]\`.
- \`expected object got Null\`: the key has no value. Remove it, or indent what belongs below it.
- \`expected bool value got String\`: write \`true\` or \`false\` without quotes.
`,
  }),
  'policy/enum-name': message<{ readonly name: string | undefined }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ name }) => (name === undefined ? 'invalid enum value' : `invalid enum value ${quoted(name)}`),
    explanation: `
The field takes one of a few names, written in full and in capitals.

Write \`EFFECT_ALLOW\` or \`EFFECT_DENY\` for \`effect\`, \`SCOPE_PERMISSIONS_OVERRIDE_PARENT\` or \`SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS\` for
\`scopePermissions\`.
`,
  }),
  'policy/integer': message<{ readonly text: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ text }) => `invalid integer value ${quoted(text)}: not an unsigned 64-bit integer`,
    explanation: `
The field takes an unsigned integer of at most 64 bits, as a number or as decimal text.

Correct the number. \`metadata.hash\` need not be written at all.
`,
  }),
  'policy/not-json': message<{ readonly type: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ type }) => `unexpected ${type}`,
    explanation: `
A constant is a JSON value, and JSON has neither infinity nor NaN.

Write a number that is large enough, or the text \`".inf"\` in quotes if a text is meant.
`,
  }),
  'policy/required': message<Field>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field }) => `${field}: value is required`,
    explanation: `
The field is absent or empty, and the policy has no meaning without it. The message names it by its path: \`rules[0]\` is the first rule.

Add the field with a value.
`,
  }),
  'policy/empty-item': message<Field>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field }) => `${field}: must be at least 1 characters`,
    explanation: `
The items of this list may not be empty texts: nothing is called so.

Remove the item, or write the name that was meant. Everything is \`"*"\`.
`,
  }),
  'policy/repeated-item': message<Field>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field }) => `${field}: repeated value must contain unique items`,
    explanation: `
Each item may be in this list once.

Remove the repetition.
`,
  }),
  'policy/pattern': message<Field & { readonly pattern: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field, pattern }) => `${field}: does not match regex pattern \`${pattern}\``,
    explanation: `
The text has characters that a name at this place may not have. The pattern in the message says which it may have:

- resources, principals and roles of a policy are exact names without \`* ? [ ] { } !\`; globs are for the rules;
- versions have letters, digits and \`_\`: \`version: v1_0\`;
- scopes are parts divided by dots: \`scope: acme.hr\`;
- names of sets and derived roles have letters, digits, \`_\`, \`-\` and \`.\`; names of rules begin with a letter.

Rename it.
`,
  }),
  'policy/exact-text': message<Field & { readonly text: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field, text }) => `${field}: must equal \`${text}\``,
    explanation: `
There is one version of the policy language.

Write \`apiVersion: api.authz.dev/v1\`.
`,
  }),
  'policy/enum-choice': message<Field & { readonly names: readonly string[] }>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field, names }) => `${field}: must be one of [${names.join(', ')}]`,
    explanation: `
The value exists, but not for this field.

Write one of those that the message lists.
`,
  }),
  'policy/alternative-missing': message<Field>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field }) => `${field}: exactly one field is required in oneof`,
    explanation: `
One of several fields has to be present, and none is: a policy type in a document (\`resourcePolicy\`, \`principalPolicy\`, \`rolePolicy\`, \`derivedRoles\`,
\`exportVariables\`, \`exportConstants\`), \`match\` in a condition, one of \`expr\`, \`all\`, \`any\`, \`none\` in a match.

Add the one that was meant. For a rule without condition leave \`condition\` out.
`,
  }),
  'rule/no-roles': message<{ readonly rule: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: ({ rule }) => `rule ${rule} does not specify any roles or derived roles to match`,
    explanation: `
The rule of a resource policy names nobody.

Add \`roles\`, \`derivedRoles\`, or both. Everybody is \`roles: ["*"]\`.
`,
  }),
  'rule/duplicate-name': message<{
    readonly name: string;
    readonly number: number;
    readonly first: number;
    readonly at: string;
  }>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: ({ name, number, first, at }) =>
      `duplicate rule name ${quoted(name)}: rule #${number} has the same name as rule #${first} defined at ${at}`,
    explanation: `
Two rules of the policy have one name. The name identifies the rule: its outputs, and what is remembered of its condition within a request.

Rename one of the two, or leave the name out: a rule without a name is called by its place, \`rule-001\`.
`,
  }),
  'rule/duplicate-resource': message<{
    readonly resource: string;
    readonly number: number;
    readonly first: number;
    readonly at: string;
  }>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: ({ resource, number, first, at }) =>
      `duplicate resource ${quoted(resource)} at rule #${number}: previous definition in rule #${first} at ${at}`,
    explanation: `
A principal policy has one rule for each resource text, and this text is there twice.

Move the actions of this rule into the other one.
`,
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
    explanation: `
Two actions of one rule have one name. The name identifies the action: its outputs, and what is remembered of its condition within a request.

Rename one of the two, or leave the name out.
`,
  }),
  'derived-role/duplicate': message<{
    readonly name: string;
    readonly number: number;
    readonly first: number;
    readonly at: string;
  }>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: ({ name, number, first, at }) =>
      `duplicate derived role definition ${quoted(name)}: definition #${number} has the same name as definition #${first} at ${at}`,
    explanation: `
A set defines each derived role once.

Rename one of the two. If both were meant to lead to the role, join their conditions with \`any\` and their \`parentRoles\` in one list.
`,
  }),
  'export/legacy-variables': message<{ readonly policyType: 'variables' | 'constants' }>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: ({ policyType }) => `export ${policyType} policies do not support the deprecated top-level variables field`,
    explanation: `
The top-level \`variables\` are an older spelling for the local variables of a policy. Exported sets have none.

Move the variables that others import to \`exportVariables.definitions\`.
`,
  }),
  'role-policy/no-version': message<Nothing>({
    severity: 'warning',
    stage: 'load',
    kind: 'load',
    text: () => 'role policy has no version: `default` is assumed',
    explanation: `
The version of a role policy may be left out for now, and will be required in a later version of the language.

Write \`version: default\`.
`,
  }),
};
