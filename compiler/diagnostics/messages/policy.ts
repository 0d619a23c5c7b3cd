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
The field does not exist here. Names are case-sensitive, in lowerCamelCase (\`derivedRoles\`) or snake_case (\`derived_roles\`).

Correct the spelling and the indentation: a field that exists elsewhere may be one level too high or too low. Put notes into \`description\` or \`metadata.annotations\`.
`,
  }),
  'policy/duplicate-field': message<{ readonly line: number; readonly column: number }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ line, column }) => `duplicate field definition: previous definition at [${line}:${column}]`,
    explanation: `
The same field occurs twice, once in lowerCamelCase and once in snake_case: \`importDerivedRoles\` and \`import_derived_roles\` are one field.

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

Put each policy into its own file. To join several matches, put them below one operator:

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
The value does not have the type of the field.

- \`expected string value got Float\`: a number with a dot is not a string. Quote it: \`version: "1.0"\`.
- \`expected sequence got String\`: write a list, \`roles: [user]\`.
- \`expected object got Null\`: the key has no value. Remove it, or indent the lines that belong below it.
- \`expected bool value got String\`: write \`true\` or \`false\` without quotes.
`,
  }),
  'policy/enum-name': message<{ readonly name: string | undefined }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ name }) => (name === undefined ? 'invalid enum value' : `invalid enum value ${quoted(name)}`),
    explanation: `
The field accepts only a few names, written in full and in capitals.

Write \`EFFECT_ALLOW\` or \`EFFECT_DENY\` for \`effect\`, \`SCOPE_PERMISSIONS_OVERRIDE_PARENT\` or \`SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS\` for \`scopePermissions\`.
`,
  }),
  'policy/integer': message<{ readonly text: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ text }) => `invalid integer value ${quoted(text)}: not an unsigned 64-bit integer`,
    explanation: `
The field accepts an unsigned integer of at most 64 bits, as a number or as a decimal string.

Correct the number. \`metadata.hash\` is optional.
`,
  }),
  'policy/not-json': message<{ readonly type: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'parse',
    text: ({ type }) => `unexpected ${type}`,
    explanation: `
A constant must be a JSON value, and JSON has neither infinity nor NaN.

Write a number that is large enough, or the quoted string \`".inf"\` if you need a string.
`,
  }),
  'policy/required': message<Field>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field }) => `${field}: value is required`,
    explanation: `
The field is required, but absent or empty. The message shows its path: \`rules[0]\` is the first rule.

Add the field with a value.
`,
  }),
  'policy/empty-item': message<Field>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field }) => `${field}: must be at least 1 characters`,
    explanation: `
The items of this list must not be empty strings.

Remove the item, or write the intended name. \`"*"\` matches everything.
`,
  }),
  'policy/repeated-item': message<Field>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field }) => `${field}: repeated value must contain unique items`,
    explanation: `
The items of this list must be unique.

Remove the duplicate.
`,
  }),
  'policy/pattern': message<Field & { readonly pattern: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field, pattern }) => `${field}: does not match regex pattern \`${pattern}\``,
    explanation: `
The name contains characters that are not allowed here. The message shows the pattern that names must match:

- resources, principals and roles of a policy are exact names without \`* ? [ ] { } !\`; only rules can have globs;
- versions have letters, digits and \`_\`: \`version: v1_0\`;
- scopes are segments separated by dots: \`scope: acme.hr\`;
- names of sets and derived roles have letters, digits, \`_\`, \`-\` and \`.\`; names of rules start with a letter.

Rename it.
`,
  }),
  'policy/exact-text': message<Field & { readonly text: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field, text }) => `${field}: must equal \`${text}\``,
    explanation: `
The \`apiVersion\` is not supported. There is only one version of the policy language.

Write \`apiVersion: api.authz.dev/v1\`.
`,
  }),
  'policy/enum-choice': message<Field & { readonly names: readonly string[] }>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field, names }) => `${field}: must be one of [${names.join(', ')}]`,
    explanation: `
The name is known, but this field does not accept it.

Write one of the names that the message lists.
`,
  }),
  'policy/alternative-missing': message<Field>({
    severity: 'error',
    stage: 'load',
    kind: 'validation',
    text: ({ field }) => `${field}: exactly one field is required in oneof`,
    explanation: `
One of several fields is required, and none is present: a policy type in a document (\`resourcePolicy\`, \`principalPolicy\`, \`rolePolicy\`, \`derivedRoles\`, \`exportVariables\`,
\`exportConstants\`, \`invariants\`, \`tenantRoles\`), \`match\` in a condition, one of \`expr\`, \`all\`, \`any\`, \`none\` in a match.

Add the intended field. For a rule without condition, omit \`condition\`.
`,
  }),
  'rule/no-roles': message<{ readonly rule: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: ({ rule }) => `rule ${rule} does not specify any roles or derived roles to match`,
    advice: 'add `roles: [user]`, `roles: ["*"]` for all, or `derivedRoles: [owner]`',
    explanation: `
The rule of a resource policy has neither roles nor derived roles.

Add \`roles\`, \`derivedRoles\`, or both. \`roles: ["*"]\` matches everyone.
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
    advice: 'rename one of the two',
    explanation: `
Two rules of the policy have the same name. The name identifies the rule in outputs, and the result of its condition within a request.

Rename one of the two, or omit the name: an unnamed rule is named after its position, \`rule-001\`.
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
    advice: 'move the actions of both into one rule',
    explanation: `
A principal policy may have only one rule for each resource, and this resource occurs twice.

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
    advice: 'rename one of the two',
    explanation: `
Two actions of one rule have the same name. The name identifies the action in outputs, and the result of its condition within a request.

Rename one of the two, or omit the name.
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
    advice: 'rename one of the two, or join their conditions with `any`',
    explanation: `
A set defines the same derived role twice.

Rename one of the two. If both definitions should lead to the role, join their conditions with \`any\` and their \`parentRoles\` in one list.
`,
  }),
  'export/legacy-variables': message<{ readonly policyType: 'variables' | 'constants' | 'tenant roles' }>({
    severity: 'error',
    stage: 'load',
    kind: 'load',
    text: ({ policyType }) =>
      policyType === 'tenant roles'
        ? 'a document of tenant roles has no variables'
        : `export ${policyType} policies do not support the deprecated top-level variables field`,
    explanation: `
The top-level \`variables\` are an older spelling of the local variables of a policy. Exported sets have no local variables.

Move the variables that other policies import to \`exportVariables.definitions\`.
`,
  }),
  'role-policy/no-version': message<Nothing>({
    severity: 'warning',
    stage: 'load',
    kind: 'load',
    text: () => 'role policy has no version: `default` is assumed',
    explanation: `
The role policy has no \`version\`. The field is optional for now, and will be required in a later version of the language.

Write \`version: default\`.
`,
  }),
};
