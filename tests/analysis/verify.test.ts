import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ready } from '../support/analysis/program-version.js';
import type { PolicyVersion } from '../../packages/analysis/decision/policy-version.js';
import type { VerifiedStatement, VerifyReport } from '../../packages/analysis/verify/report.js';
import { makeProver } from '../../packages/analysis/solve/prover.js';
import { verifyStatements, type VerifyOptions } from '../../packages/analysis/verify/verify.js';
import { compile, type Compilation } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import type { Program } from '../../compiler/ir/program.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { z3 } from '../support/solve/z3.js';

const test = suite('verify');

const CONTACT = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: contact
  version: default
  rules:
    - {name: admins, actions: ["*"], effect: EFFECT_ALLOW, roles: [admin]}
    - name: owners
      actions: [view, update]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: R.attr.ownerId == P.id}}
    - name: public
      actions: [view]
      effect: EFFECT_ALLOW
      roles: [user, guest]
      condition: {match: {expr: R.attr.public == true}}
    - name: locked
      actions: [update, delete]
      effect: EFFECT_DENY
      roles: ["*"]
      condition: {match: {expr: R.attr.locked == true}}
`;

function invariants(statements: string): string {
  return `apiVersion: api.authz.dev/v1
invariants:
  name: contacts
  statements:
${statements}`;
}

async function versionOf(compilation: Compilation): Promise<PolicyVersion> {
  const { policies } = await loaded(compilation);
  return {
    source: 'policies',
    program: compilation.program as Program,
    lowered: compilation.lowered as Program,
    ...ready(policies),
  };
}

async function verified(
  statements: string,
  texts: Readonly<Record<string, string>> = { 'contact.yaml': CONTACT },
  options: VerifyOptions = {},
): Promise<VerifyReport> {
  const compilation = compileTexts({ ...texts, 'invariants.yaml': invariants(statements) });
  return verifyStatements(await versionOf(compilation), compilation.invariants, options);
}

/** One statement, in flow style without its name. */
async function one(statement: string, texts?: Readonly<Record<string, string>>): Promise<VerifiedStatement> {
  const report = await verified(`    - name: one\n      ${statement}\n`, texts);
  return report.statements[0] as VerifiedStatement;
}

const answerOf = async (statement: string, texts?: Readonly<Record<string, string>>) =>
  (await one(statement, texts)).answer;

test('never', async () => {
  const only = '{resource: contact, actions: [delete], principal: {notRoles: [admin]}}';
  assert.is(await answerOf(`never: ${only}`), 'proved');
  const refuted = await one('never: {resource: contact, actions: [update], principal: {notRoles: [admin]}}');
  assert.is(refuted.answer, 'refuted');
  assert.equal(refuted.rows[0]?.request?.principal.roles, ['user']);
  assert.equal(refuted.rows[0]?.request?.resource.attr, { ownerId: 'alice' });
  assert.is(refuted.rows[0]?.decidedBy?.rule, 'resource.contact.vdefault#owners');
});

test('a request is let go of only where `unless` is true, and covered only where `when` is', async () => {
  const of = (more: string) =>
    answerOf(`never: {resource: contact, actions: [update], principal: {notRoles: [admin]}, ${more}}`);
  assert.is(await of('unless: {match: {expr: R.attr.ownerId == P.id}}'), 'proved');
  assert.is(await of('unless: {match: {expr: R.attr.ownerId != P.id}}'), 'refuted');
  assert.is(await of('when: {match: {expr: R.attr.locked == true}}'), 'proved');
  assert.is(await of('when: {match: {expr: R.attr.locked == false}}'), 'refuted');
});

test('always', async () => {
  const place = 'resource: contact, version: default, scope: ""';
  assert.is(await answerOf(`always: {${place}, principal: {roles: [admin]}, actions: [view]}`), 'proved');
  const refuted = await one(`always: {${place}, principal: {roles: [admin]}}`);
  assert.is(refuted.answer, 'refuted');
  assert.equal(
    refuted.rows.filter(({ answer }) => answer === 'refuted').map(({ action }) => action),
    ['delete', 'update'],
  );
  assert.is(
    await answerOf(
      `always: {${place}, principal: {allRoles: [user]}, actions: [view], when: {match: {expr: R.attr.public == true}}}`,
    ),
    'proved',
  );
});

test('always is refuted where no policy decides', async () => {
  const policy = (resource: string, version: string, scope: string): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  {resource: ${resource}, version: ${version}, scope: "${scope}", rules: [{actions: [view], effect: EFFECT_ALLOW, roles: ["*"]}]}
`;
  const all = {
    'root.yaml': policy('leave-request', 'default', ''),
    'acme.yaml': policy('leave-request', 'default', 'acme'),
    // The scope and the version exist, but not for the other kind.
    'other.yaml': policy('doc', 'default', ''),
    'second.yaml': policy('doc', 'v2', ''),
    'eve.yaml': `apiVersion: api.authz.dev/v1
principalPolicy: {principal: eve, version: v3, rules: [{resource: doc, actions: [{action: view, effect: EFFECT_ALLOW}]}]}
`,
  };
  const refutedAt = async (about: string): Promise<readonly unknown[]> => {
    const { answer, rows } = await one(`always: {actions: [view], ${about}}`, all);
    const refuted = rows.filter((row) => row.answer === 'refuted');
    return [answer, ...refuted.map(({ kind, version, scope }) => `${kind} ${version} ${scope}`)];
  };
  assert.equal(await refutedAt('resource: doc, version: default, scope: ""'), ['proved']);
  assert.equal(await refutedAt('resource: doc, version: v2, scope: ""'), ['proved']);
  assert.equal(await refutedAt('resource: leave-request, version: default, scope: acme'), ['proved']);
  assert.equal(await refutedAt('resource: leave-request, version: default'), [
    'refuted',
    'leave_request default elsewhere',
  ]);
  assert.equal(await refutedAt('resource: leave-request, scope: ""'), ['refuted', 'leave_request other ']);
  assert.equal(await refutedAt('resource: doc, version: default'), ['refuted', 'doc default elsewhere']);
  assert.equal(await refutedAt('resource: doc, version: v3'), ['refuted', 'doc v3 ']);
  assert.equal(await refutedAt('resource: "leave-*", version: default, scope: ""'), ['refuted', 'leave_x default ']);
  assert.equal(await refutedAt('version: default, scope: ""'), ['refuted', 'anything default ']);
  assert.equal(await refutedAt('resource: doc, version: v3, principal: {id: eve}'), ['refuted', 'doc v3 ']);
});

test('kinds are matched as people write them', async () => {
  const policy = CONTACT.replace('resource: contact', 'resource: leave-request');
  for (const resource of ['leave-request', 'leave_request', 'leave-*', 'leave_*', '*-request', 'leave:*', '*'])
    assert.is(
      await answerOf(`never: {resource: "${resource}", actions: [delete], principal: {notRoles: [admin]}}`, {
        'contact.yaml': policy,
      }),
      'proved',
      resource,
    );
});

test('implies', async () => {
  assert.is(await answerOf('implies: {resource: contact, actions: [update], also: [view]}'), 'proved');
  const refuted = await one('implies: {resource: contact, actions: [view], also: [update]}');
  assert.is(refuted.answer, 'refuted');
  assert.is(refuted.rows[0]?.also, 'update');
});

test('reachable', async () => {
  const proved = await one('reachable: {resource: contact}');
  assert.equal(
    proved.rows.map(({ action, answer, request }) => [action, answer, request !== undefined]),
    [
      ['delete', 'proved', true],
      ['update', 'proved', true],
      ['view', 'proved', true],
    ],
  );
  assert.is(
    await answerOf('reachable: {resource: contact, actions: [delete], principal: {notRoles: [admin]}}'),
    'refuted',
  );
});

test('final', async () => {
  assert.is(await answerOf('final: {rule: resource.contact.vdefault#locked}'), 'proved');
});

test('a solver decides what booleans and search leave open', async () => {
  const small = CONTACT.replace('R.attr.public == true', 'R.attr.size < 10');
  const statement = `    - name: one
      never:
        resource: contact
        actions: [view]
        principal: {roles: [guest], notRoles: [admin, user]}
        when: {match: {expr: R.attr.size > 20}}
`;
  const texts = { 'contact.yaml': small };
  const open = await verified(statement, texts);
  assert.equal(open.statements[0]?.rows[0]?.reason, 'no solver');
  const prover = () => Promise.resolve(makeProver(z3(), { effort: 3 }));
  const decided = await verified(statement, texts, { prover });
  assert.equal([decided.statements[0]?.answer, decided.statements[0]?.rows[0]?.by], ['proved', 'solver']);
  assert.match(decided.limits.solver, 'z3');
});

test('the search ends at every effort', async () => {
  const impossible = `    - name: one
      never: {resource: contact, actions: [view], when: {match: {expr: R.attr.a > 2 && R.attr.a < 1}}}
`;
  for (const effort of [1, 2, 4]) {
    const { statements } = await verified(impossible, undefined, { effort });
    assert.equal([effort, statements[0]?.answer], [effort, 'undecided']);
  }
});

test('a run that ends early leaves the rest undecided', async () => {
  const { statements, limits } = await verified('    - name: one\n      never: {resource: contact}\n', undefined, {
    isOver: () => 'interrupted',
  });
  assert.equal(
    [statements[0]?.answer, statements[0]?.rows[0]?.reason, limits.interrupted],
    ['undecided', 'time', true],
  );
});

const SCOPED = {
  'contact.yaml': CONTACT,
  'acme.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: contact
  version: default
  scope: acme
  rules:
    - {name: editors, actions: [update], effect: EFFECT_ALLOW, roles: [user]}
`,
  'bob.yaml': `apiVersion: api.authz.dev/v1
principalPolicy:
  principal: bob
  version: default
  rules:
    - resource: "*"
      actions: [{action: delete, effect: EFFECT_ALLOW}]
`,
};

test('a rule is not final where a scope below it allows', async () => {
  const { answer, rows } = await one('final: {rule: resource.contact.vdefault#locked}', SCOPED);
  assert.is(answer, 'refuted');
  const refuted = rows.filter((row) => row.answer === 'refuted');
  assert.equal(
    refuted.map(({ scope, principal, action }) => [scope, principal?.id, action]),
    [
      ['', 'bob', 'delete'],
      ['acme', undefined, 'update'],
      ['acme', 'bob', 'delete'],
      ['acme', 'bob', 'update'],
    ],
  );
});

test('principals with policies of their own have rows of their own', async () => {
  const about = 'resource: contact, scope: "", actions: [delete]';
  const { rows } = await one(`never: {${about}, principal: {notRoles: [admin]}}`, SCOPED);
  assert.equal(
    rows.map(({ principal, answer }) => [principal?.id ?? 'anyone', answer]),
    [
      ['anyone', 'proved'],
      ['bob', 'refuted'],
    ],
  );
  assert.is(await answerOf(`never: {${about}, principal: {id: carol, notRoles: [admin]}}`, SCOPED), 'proved');
  const carol = await one(`never: {${about}, principal: {id: carol}}`, SCOPED);
  assert.equal(
    carol.rows.map(({ request }) => request?.principal),
    [{ id: 'carol', roles: ['admin'], attr: {} }],
  );
  assert.is(await answerOf(`always: {${about}, principal: {id: bob}}`, SCOPED), 'refuted');
  const unknown = await one('reachable: {resource: invoice, actions: [delete]}', SCOPED);
  assert.equal(
    unknown.rows.map(({ kind, scope, answer, request }) => [kind, scope, answer, request?.principal.id]),
    ['', 'acme', 'elsewhere'].map((scope) => ['invoice', scope, 'proved', 'bob']),
  );
});

test('where schemas are enforced, only requests that satisfy them count', async () => {
  const schema = JSON.stringify({ type: 'object', properties: { size: { type: 'number' } }, required: ['size'] });
  const contact = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: contact
  version: default
  schemas: {resourceSchema: {ref: "authz:///contact.json"}}
  rules:
    - {name: all, actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: has(R.attr.size)}}}
`;
  const document = invariants(
    '    - name: one\n      always: {resource: contact, version: default, scope: "", actions: [view], principal: {roles: [user]}}\n',
  );
  const sources = Object.entries({ 'contact.yaml': contact, 'invariants.yaml': document });
  const compilation = compile(
    sources.map(([path, text]) => new Source(path, text)),
    new Diagnostics(),
    { schemaTexts: new Map([['contact.json', schema]]) },
  );
  const version = await versionOf(compilation);
  const answerWith = async (schemaEnforcement: 'none' | 'reject') =>
    (await verifyStatements(version, compilation.invariants, { engine: { schemaEnforcement } })).statements[0]?.answer;
  assert.is(await answerWith('none'), 'refuted');
  assert.is(await answerWith('reject'), 'undecided');
});

test('each statement is announced before it is verified', async () => {
  const steps: string[] = [];
  const statements = ['view', 'update', 'delete'].map(
    (action) => `    - name: ${action}\n      never: {resource: contact, actions: [${action}]}\n`,
  );
  await verified(statements.join(''), undefined, { onStep: (done, all) => steps.push(`${done} of ${all}`) });
  assert.equal(steps, ['1 of 3', '2 of 3', '3 of 3']);
});

test('rules that share results are not decided', async () => {
  const shared = CONTACT.replace('name: owners', 'name: rule-003').replace('name: public', '# no name');
  const { answer, rows } = await one('never: {resource: contact, actions: [view]}', { 'contact.yaml': shared });
  assert.equal([answer, rows[0]?.reason], ['undecided', 'rules share results']);
});

test('a statement about nothing is refuted', async () => {
  const { answer, reason } = await one('never: {resource: contact, scope: acme}');
  assert.equal([answer, reason], ['refuted', 'matches no policy']);
});

test.run();
