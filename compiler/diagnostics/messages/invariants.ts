import { message } from './message.js';

/** Messages about documents of invariants (docs/spec/analysis.md#invariants). */
export const invariantMessages = {
  'invariant/empty': message<{ readonly name: string; readonly forms: readonly string[] }>({
    severity: 'error',
    stage: 'load',
    kind: 'empty statement',
    text: ({ name, forms }) => `statement \`${name}\` must have one of ${forms.join(', ')}`,
    advice:
      'say what must hold, such as `never: {resource: contact, actions: [delete], principal: {notRoles: [admin]}}`',
    explanation: `
A statement of an \`invariants\` document has a name but no content.

Add one of the listed fields, for example \`never: {resource: contact, actions: [delete], principal: {notRoles: [admin]}}\`.
`,
  }),
  'invariant/duplicate-name': message<{ readonly name: string; readonly at: string }>({
    severity: 'error',
    stage: 'load',
    kind: 'duplicate statement',
    text: ({ name, at }) => `duplicate statement \`${name}\`: previous definition at ${at}`,
    advice: 'rename one of the two',
    explanation: `
Two statements of an \`invariants\` document have the same name, but reports identify statements by name.

Rename one of the two.
`,
  }),
  'invariant/unknown-kind': message<{ readonly kind: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'unknown kind',
    text: ({ kind }) => `no policy covers the kind \`${kind}\``,
    explanation: `
A statement names a kind of resource, or a glob of kinds, that no policy covers, so it covers no request.

Correct the name under \`resource\`. A statement without \`resource\` covers all kinds.
`,
  }),
  'invariant/unknown-action': message<{ readonly action: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'unknown action',
    text: ({ action }) => `no rule for this kind matches the action \`${action}\``,
    explanation: `
A statement names an action that no rule for its kind names or matches by a glob. Such an action is always denied, so the name is probably misspelled.

Correct the name under \`actions\` or \`also\`. A statement without \`actions\` covers all actions.
`,
  }),
  'invariant/unknown-rule': message<{ readonly rule: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'unknown rule',
    text: ({ rule }) => `there is no rule \`${rule}\``,
    explanation: `
A statement says that a rule is final, but no policy contains the rule. The name of a rule is the id of its policy and its own name: \`resource.album.vdefault#locked\`, in a scope
\`resource.album.vdefault/acme#locked\`. A rule without a name is named after its position: \`rule-001\`.

Correct the name, or name the rule. \`authzc inspect\` lists the ids of all policies.
`,
  }),
  'invariant/not-a-deny': message<{ readonly rule: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'rule cannot be final',
    text: ({ rule }) => `the rule \`${rule}\` is an ALLOW: only a DENY can be final`,
    advice: 'name a DENY rule, or write `always` for requests that must be allowed',
    explanation: `
A statement says that an ALLOW rule is final, but only a DENY rule can be. Final means that the decision is deny wherever the rule applies.

Name a DENY rule. To say that requests are always allowed, use \`always\`.
`,
  }),
  'invariant/reads-runtime': message<{ readonly text: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'statement reads runtime',
    text: ({ text }) => `\`${text}\` reads \`runtime\`, which statements cannot read`,
    advice: 'write the condition of the derived role instead, such as `R.attr.owner == P.id`',
    explanation: `
The condition of a statement reads \`runtime\`, directly or through a variable. Which derived roles are active depends on the evaluated policy, but a statement covers requests
regardless of the policies that decide them.

Write the condition of the derived role instead: \`R.attr.owner == P.id\` in place of \`"owner" in runtime.effectiveDerivedRoles\`.
`,
  }),
  'invariant/when-may-fail': message<{ readonly text: string; readonly attribute: string }>({
    severity: 'warning',
    stage: 'compile',
    kind: 'premise may fail',
    text: ({ text, attribute }) => `requests without \`${attribute}\` are left out: \`${text}\` is not true for them`,
    explanation: `
\`when\` leaves out requests without an attribute, because an expression that reads a missing attribute is not true but fails. \`when: {match: {expr: R.attr.owner != P.id}}\` therefore excludes the requests
whose resource has no owner, and mistakes often allow exactly these.

Write the opposite in \`unless\`, which excludes a request only if it is true: \`unless: {match: {expr: R.attr.owner == P.id}}\`. To exclude requests without the attribute
on purpose, write \`has(R.attr.owner) && R.attr.owner != P.id\`.
`,
  }),
};
