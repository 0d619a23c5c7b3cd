import { message } from './message.js';

/**
 * Messages of `link`: problems of the whole set (docs/spec/policy-language.md#errors-of-the-set) and of names
 * (docs/spec/policy-language.md#compile-errors).
 */
export const setMessages = {
  'policy/duplicate': message<{ policy: string; otherFile: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'duplicate definition',
    text: ({ policy, otherFile }) => `duplicate definition of ${policy} (previous definition in ${otherFile})`,
    shown: ({ policy }) => `duplicate definition of ${policy}`,
    explanation: `
Two enabled documents have the same identity: type, name, version and scope. Names are compared in their sanitized form, so \`a-b\` and \`a_b\` are the same name, and a role policy
without a version has the version \`default\`.

Remove one of the documents, change its version or scope, or set \`disabled: true\` in it.
`,
  }),
  'policy/disabled': message<{ policy: string }>({
    severity: 'warning',
    stage: 'load',
    kind: 'disabled policy',
    text: ({ policy }) => `${policy} is disabled and counts as absent`,
    explanation: `
A policy is disabled, which may be the cause of the other problems: a disabled policy cannot be imported, and it leaves a gap in a chain of scopes. Disabled policies are reported only together with other problems.

Remove \`disabled: true\`, or the references to the document.
`,
  }),
  'import/missing': message<{ import: string; name: string; policy: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'missing import',
    text: (p) => `cannot find ${p.import} '${p.name}' imported by policy ${p.policy}`,
    explanation: `
A name under \`importDerivedRoles\`, \`variables.import\` or \`constants.import\` is not the name of an enabled document of that type. The message shows the sanitized name: \`d-1\` and
\`d_1\` are the same name.

Correct the name, or add the document that defines the set.
`,
  }),
  'scope/missing': message<{ policy: string; descendants: readonly string[] }>({
    severity: 'error',
    stage: 'load',
    kind: 'missing scope',
    text: ({ policy, descendants }) =>
      `scoped policy ${policy} is not found but is required by descendant policies ${descendants.join(', ')}`,
    advice: 'add that policy, or correct the scope of those that require it',
    explanation: `
A resource or principal policy with scope \`a.b.c\` needs a policy of the same name and version at \`a.b\`, at \`a\` and at the root (no scope).

Add the missing policy; it does not need rules. A resource policy may be missing if a role policy of that scope and version has a rule for the resource.
`,
  }),
  'scope/too-deep': message<{ limit: number }>({
    severity: 'error',
    stage: 'load',
    kind: 'scope too deep',
    text: ({ limit }) => `the scope of this policy has more than ${limit} segments`,
    explanation: `
A scope may have at most 100 segments; \`a.b.c\` has three.

Use a shorter scope.
`,
  }),
  'scope/permissions-conflict': message<{ scope: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'scope permissions conflict',
    text: ({ scope }) => `policies sharing ${scopeText(scope)} have conflicting scopePermissions`,
    explanation: `
All resource and principal policies of a scope must have the same \`scopePermissions\`: their ALLOWs either override the parent scope or need its consent. A policy
without the field overrides the parent scope, but must not be combined with policies that set \`SCOPE_PERMISSIONS_OVERRIDE_PARENT\`.

Give all policies of the scope the same \`scopePermissions\`, or remove the field from those that override the parent scope.
`,
  }),
  'scope/permissions-differ': message<{ scope: string }>({
    severity: 'warning',
    stage: 'load',
    kind: 'scope permissions differ',
    text: ({ scope }) => `the two policies sharing ${scopeText(scope)} have different scopePermissions`,
    explanation: `
The two policies of a scope have different \`scopePermissions\`: the ALLOWs of one override the parent scope, and the ALLOWs of the other need its consent. Each policy uses its own setting. With a third document in the scope, this becomes
the error \`scope/permissions-conflict\`.

Give both policies the same \`scopePermissions\`.
`,
  }),
  'role-policy/parent-roles-differ': message<{ policy: string; other: string }>({
    severity: 'warning',
    stage: 'load',
    kind: 'parent roles differ',
    text: ({ policy, other }) =>
      `${policy} and ${other} list different parent roles for one role: each request uses those of its policy version`,
    explanation: `
Two versions of a role policy, for the same role and scope, list different \`parentRoles\`. A request gets the parent roles of the version that it names. Other PDPs may use the
parent roles of either version for both.

Give all versions the same \`parentRoles\`.
`,
  }),
  'role-policy/parent-roles-in-one-version': message<{ role: string; version: string; others: string }>({
    severity: 'warning',
    stage: 'load',
    kind: 'parent roles in one version',
    text: ({ role, version, others }) =>
      `role \`${role}\` has parent roles in version \`${version}\`, and no role policy in: ${others}`,
    explanation: `
A role policy gives a role parents, but other versions have resource policies and no role policy for this role. A request gets the parent roles of the version that it names, so in
those versions the role has no parents, and may be denied. Other PDPs may use the parent roles of one version for all.

Add a role policy with the same \`parentRoles\` for each of these versions. If the role must have no parents there, keep the policies as they are.
`,
  }),
  'derived-role/unknown': message<{ name: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'unknown derived role',
    text: ({ name }) => `Derived role "${name}" is not defined in any imports`,
    explanation: `
A rule names a derived role that no imported set defines.

Correct the name, or add the set that defines it to \`importDerivedRoles\`.
`,
  }),
  'derived-role/ambiguous': message<{ name: string; definitions: readonly string[] }>({
    severity: 'error',
    stage: 'compile',
    kind: 'ambiguous derived role',
    text: ({ name, definitions }) =>
      `Derived role "${name}" is defined in more than one import: ${definitions.join(', ')}`,
    shown: ({ name }) => `Derived role "${name}" is defined in more than one import`,
    explanation: `
A rule names a derived role that several imported sets define.

Rename one of the definitions, or import only one of the sets.
`,
  }),
  'variable/undefined': message<Undefined>({
    severity: 'error',
    stage: 'compile',
    kind: 'undefined variable',
    text: (p) => undefinedText('variable', p),
    explanation: `
An expression selects a variable that the policy neither imports nor defines. Nothing is inherited from other scopes or from imported derived roles.

Correct the name, define the variable under \`variables.local\`, or import the set that defines it under \`variables.import\`.
`,
  }),
  'constant/undefined': message<Undefined>({
    severity: 'error',
    stage: 'compile',
    kind: 'undefined constant',
    text: (p) => undefinedText('constant', p),
    explanation: `
An expression selects a constant that the policy neither imports nor defines. Nothing is inherited from other scopes or from imported derived roles.

Correct the name, define the constant under \`constants.local\`, or import the set that defines it under \`constants.import\`.
`,
  }),
  'variable/redefined': message<{ name: string; definitions: readonly string[] }>({
    severity: 'error',
    stage: 'compile',
    kind: 'variable redefined',
    text: ({ name, definitions }) => `Variable '${name}' has multiple definitions in ${enumerate(definitions)}`,
    shown: ({ name }) => `Variable '${name}' has multiple definitions`,
    explanation: `
A variable is defined in more than one place: imported sets, \`variables.local\`, and the deprecated top-level \`variables\`. No place takes precedence.

Rename one of the definitions or remove it.
`,
  }),
  'constant/redefined': message<{ name: string; definitions: readonly string[] }>({
    severity: 'error',
    stage: 'compile',
    kind: 'constant redefined',
    text: ({ name, definitions }) => `Constant '${name}' has multiple definitions in ${enumerate(definitions)}`,
    shown: ({ name }) => `Constant '${name}' has multiple definitions`,
    explanation: `
A constant is defined in more than one place: imported sets and \`constants.local\`. No place takes precedence.

Rename one of the definitions or remove it.
`,
  }),
  'variable/cyclic': message<{ names: readonly string[]; places: readonly string[] }>({
    severity: 'error',
    stage: 'compile',
    kind: 'cyclical variable definitions',
    text: ({ names, places }) =>
      names.length === 1
        ? `Variable '${names[0]}' references itself`
        : `Variables ${enumerate(names.map((name, index) => `'${name}' (${places[index]})`))} form a cycle`,
    shown: ({ names }) =>
      names.length === 1
        ? `Variable '${names[0]}' references itself`
        : `Variables ${enumerate(names.map((name) => `'${name}'`))} form a cycle`,
    explanation: `
A variable must not refer to itself, directly or through other variables.

Break the cycle: inline one of the definitions.
`,
  }),
  'variable/too-deep': message<{ name: string; limit: number }>({
    severity: 'error',
    stage: 'compile',
    kind: 'variables nested too deeply',
    text: ({ name, limit }) => `variable \`${name}\` uses a chain of more than ${limit} variables`,
    advice: 'write some of the variables as one expression',
    explanation: `
A chain of variables that use each other may have at most 200 variables.

Shorten the chain: combine several of the definitions.
`,
  }),
  'variable/invalid-name': message<{ reason: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'invalid variable name',
    text: ({ reason }) => reason,
    advice: 'use letters, digits and `_`, and begin with a letter: `is_public`',
    explanation: `
The name of a variable must start with a letter or \`_\`, contain only letters, digits and \`_\`, and must not be \`true\`, \`false\`, \`null\` or \`in\`.

Rename the variable.
`,
  }),
  'constant/invalid-name': message<{ reason: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'invalid constant name',
    text: ({ reason }) => reason,
    advice: 'use letters, digits and `_`, begin with a letter, and use no keyword of CEL: `allowed_ids`',
    explanation: `
The name of a constant must start with a letter or \`_\`, contain only letters, digits and \`_\`, and must not be \`true\`, \`false\`, \`null\` or \`in\`.

Rename the constant.
`,
  }),
  'condition/script': message<Nothing>({
    severity: 'error',
    stage: 'compile',
    kind: 'scripts in conditions are no longer supported',
    text: () => 'Unsupported feature',
    explanation: `
A condition uses \`script\`, which is no longer supported. Conditions are CEL expressions.

Write the condition as \`match: { expr: ... }\`.
`,
  }),
  'client/unproved': message<{
    readonly kind: string;
    readonly action: string;
    readonly claim: 'allowed' | 'denied';
    readonly reason: string;
  }>({
    severity: 'error',
    stage: 'compile',
    kind: 'client projection not proved',
    text: ({ kind, action, claim, reason }) =>
      `cannot prove that \`${action}\` of \`${kind}\` is always ${claim} when the client answers so: ${reason}`,
    explanation: `
The compiler could not prove that the answers of a client projection agree with the server. \`authzc compile --client\` writes a projection only if a solver proves that its answers \`allowed\` and \`denied\` are correct for all values of the attributes that the client does not know, so it writes nothing.

If the reason is \`no solver\`, install one: \`npm install --save-dev z3-solver\`. If it is \`resource limit\`, the condition is too complex for the solver: remove the action from \`client.yaml\`, or remove an attribute, so that the client answers \`conditional\`.
`,
  }),
  'output/empty': message<Nothing>({
    severity: 'error',
    stage: 'compile',
    kind: 'empty output',
    text: () => 'output must have at least one expression',
    explanation: `
An \`output\` block is empty: neither \`when.ruleActivated\` nor \`when.conditionNotMet\` has an expression.

Add an expression, or remove the block.
`,
  }),
  'vocabulary/undeclared-role': message<{ readonly word: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'undeclared role',
    text: ({ word }) => `role \`${word}\` is not declared in the vocabulary`,
    explanation: `
The project declares its roles under \`vocabulary.roles\` in \`.authz.yaml\`, but not this one. A glob must match at least one of them.

Correct the name, or declare the role.
`,
  }),
  'vocabulary/undeclared-action': message<{ readonly word: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'undeclared action',
    text: ({ word }) => `action \`${word}\` is not declared in the vocabulary`,
    explanation: `
The project declares its actions under \`vocabulary.actions\` in \`.authz.yaml\`, but not this one. A glob must match at least one of them.

Correct the name, or declare the action.
`,
  }),
};

export interface Undefined {
  readonly name: string;
  /** The variable whose definition refers to it; absent for a condition or an output. */
  readonly referencedIn?: string | undefined;
}

/** No parameters. */
type Nothing = Readonly<Record<never, never>>;

function scopeText(scope: string): string {
  return scope === '' ? 'the root scope' : `scope ${scope}`;
}

function undefinedText(what: 'variable' | 'constant', { name, referencedIn }: Undefined): string {
  const reference = referencedIn === undefined ? '' : ` referenced in variable '${referencedIn}'`;
  return `Undefined ${what} '${name}'${reference}`;
}

/** `a and b`, `a, b, and c`. */
function enumerate(items: readonly string[]): string {
  if (items.length < 3) return items.join(' and ');
  return `${items.slice(0, -1).join(', ')}, and ${items.at(-1)}`;
}
