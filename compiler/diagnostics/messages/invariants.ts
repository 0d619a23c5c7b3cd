import { message } from './message.js';

/** Messages about documents of invariants (docs/spec/analysis.md#invariants). */
export const invariantMessages = {
  'invariant/empty': message<{ readonly name: string; readonly forms: readonly string[] }>({
    severity: 'error',
    stage: 'load',
    kind: 'empty statement',
    text: ({ name, forms }) => `statement \`${name}\` must have one of ${forms.join(', ')}`,
    explanation: `
A statement of an \`invariants\` document has a name and says nothing.

Add what it says, for example \`never: {resource: contact, actions: [delete], principal: {notRoles: [admin]}}\`.
`,
  }),
  'invariant/duplicate-name': message<{ readonly name: string; readonly at: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'duplicate statement',
    text: ({ name, at }) => `duplicate statement \`${name}\`: previous definition at ${at}`,
    explanation: `
Two statements of an \`invariants\` document have the same name, which is how reports tell them apart.

Rename one of the two.
`,
  }),
  'invariant/unknown-kind': message<{ readonly kind: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'unknown kind',
    text: ({ kind }) => `no policy covers the kind \`${kind}\``,
    explanation: `
A statement is about a kind of resource, or a glob of kinds, that no policy names: whatever it says would be about nothing.

Correct the name under \`resource\`. Without \`resource\` a statement is about all kinds.
`,
  }),
  'invariant/unknown-action': message<{ readonly action: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'unknown action',
    text: ({ action }) => `no rule for this kind matches the action \`${action}\``,
    explanation: `
A statement names an action that no rule for its kind names or matches by a glob. Such an action is always denied, so the name is probably misspelled.

Correct the name under \`actions\` or \`also\`. Without \`actions\` a statement is about all actions.
`,
  }),
  'invariant/unknown-rule': message<{ readonly rule: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'unknown rule',
    text: ({ rule }) => `there is no rule \`${rule}\``,
    explanation: `
A statement says that a rule is final, and no policy has the rule. The name of a rule is the id of its policy and its own name: \`resource.album.vdefault#locked\`, in a scope
\`resource.album.vdefault/acme#locked\`. A rule without a name is named after its position: \`rule-001\`.

Correct the name, or name the rule. \`authzc inspect\` lists the ids of all policies.
`,
  }),
  'invariant/not-a-deny': message<{ readonly rule: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'rule cannot be final',
    text: ({ rule }) => `the rule \`${rule}\` is an ALLOW: only a DENY can be final`,
    explanation: `
A statement says that a rule is final: wherever it applies, the decision is deny. The rule is an ALLOW.

Name a DENY rule. To say that requests are always allowed, use \`always\`.
`,
  }),
  'invariant/reads-runtime': message<{ readonly text: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'statement reads runtime',
    text: ({ text }) => `\`${text}\` reads \`runtime\`, which a statement cannot`,
    explanation: `
The condition of a statement reads \`runtime\`, directly or through a variable. Which derived roles are active depends on the policy that asks, and a statement is about requests,
whatever policies decide them.

Say what makes the role active: \`R.attr.owner == P.id\` in place of \`"owner" in runtime.effectiveDerivedRoles\`.
`,
  }),
  'invariant/when-may-fail': message<{ readonly text: string; readonly attribute: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'premise may fail',
    text: ({ text, attribute }) => `requests without \`${attribute}\` are left out: \`${text}\` is not true for them`,
    explanation: `
A \`when\` must be true, and an expression that reads a missing attribute is not: it fails. \`when: {match: {expr: R.attr.owner != P.id}}\` therefore leaves out the requests whose
resource has no owner, which are often those that a mistake allows.

Say the opposite in \`unless\`, which lets go of a request only where it is true: \`unless: {match: {expr: R.attr.owner == P.id}}\`. If requests without the attribute are meant to
be left out, say so: \`has(R.attr.owner) && R.attr.owner != P.id\`.
`,
  }),
};
