import {
  coverTests,
  diffPolicies,
  explainDecision,
  PolicyError,
  type PolicyTexts,
  verifyPolicies,
  z3,
} from 'authzc/analysis';

/** A program that analyses policies. Prints one line of JSON. */
function policies(condition: string): PolicyTexts {
  const policy = `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: note
  version: default
  rules:
    - name: readers
      actions: [read]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: ${JSON.stringify(condition)}}}
`;
  const invariants = `
apiVersion: api.authz.dev/v1
invariants:
  name: notes
  statements:
    - name: guests do not read
      never: {resource: note, actions: [read], principal: {notRoles: [user]}}
    - name: users read
      always: {resource: note, actions: [read], principal: {roles: [user]}}
`;
  return {
    policies: [
      { path: 'note.yaml', text: policy },
      { path: 'invariants.yaml', text: invariants },
    ],
  };
}

const tests = `
name: notes
principals: {anna: {id: anna, roles: [user]}}
resources: {small: {id: "1", kind: note, attr: {size: 1}}}
tests:
  - name: small notes
    input: {principals: [anna], resources: [small], actions: [read]}
    expected: [{principal: anna, resource: small, actions: {read: EFFECT_ALLOW}}]
`;

const small = policies('R.attr.size < 2');
const { rows } = await diffPolicies(small, policies('R.attr.size < 2 && R.attr.size < 3'), { solver: z3 });
const { statements } = await verifyPolicies(small, { solver: z3 });
const { decision, nearMisses } = await explainDecision(small, {
  principal: { id: 'anna', roles: ['user'] },
  resource: { kind: 'note', id: '1', attr: { size: 2 } },
  action: 'read',
});
const covered = await coverTests(small, [{ path: 'note_test.yaml', text: tests }]);
const refused = await diffPolicies(small, policies('R.attr.size <')).catch((error: unknown) => error);

console.log(
  JSON.stringify({
    differences: rows.map(({ action, verdict, narrowed }) => [
      action,
      verdict,
      narrowed.answer === '?' ? narrowed.reason : narrowed.by,
    ]),
    statements: statements.map(({ name, answer }) => [name, answer]),
    decision,
    changes: nearMisses?.changes[0],
    tests: covered.tests.summary,
    coverage: covered.coverage.total,
    refused: refused instanceof PolicyError ? codesOf(refused) : refused,
  }),
);

function codesOf({ reports }: PolicyError): { readonly [set: string]: readonly string[] } {
  return Object.fromEntries(Object.entries(reports).map(([set, { errors }]) => [set, errors.map(({ code }) => code)]));
}
