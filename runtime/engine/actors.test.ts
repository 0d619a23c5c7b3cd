import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../compiler/compile.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { loaded } from '../../tests/support/compiled.js';
import {
  createEngine,
  delegation,
  type Engine,
  EvaluationLimitError,
  explanations,
  mergeErrors,
  type PrincipalInput,
} from './index.js';
import { selects } from '../residual/index.js';

const sources = [
  new Source(
    'doc.yaml',
    `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  schemas: {principalSchema: {ref: authz:///principal.json}, resourceSchema: {ref: authz:///doc.json}}
  rules:
    - {name: readers, actions: [read, list], effect: EFFECT_ALLOW, roles: [user, agent], condition: {match: {expr: R.attr.team in P.attr.teams}}, output: {when: {ruleActivated: P.id, conditionNotMet: '"not " + P.id'}}}
    - {name: writers, actions: [write], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: R.attr.owner == P.id}}}
    - {name: frozen, actions: ["*"], effect: EFFECT_DENY, roles: ["*"], condition: {match: {expr: R.attr.frozen}}}
    - {name: costly, actions: [count], effect: EFFECT_ALLOW, roles: ["*"], condition: {match: {expr: "P.attr.teams.exists(t, t in R.attr.many)"}}}
`,
  ),
  new Source(
    'bot.yaml',
    `apiVersion: api.authz.dev/v1
principalPolicy:
  principal: bot
  version: default
  rules:
    - {resource: doc, actions: [{action: list, effect: EFFECT_DENY}]}
`,
  ),
];
const schemaTexts = new Map([
  ['principal.json', '{"type": "object", "properties": {"teams": {"type": "array"}}}'],
  ['doc.json', '{"type": "object", "properties": {"team": {"type": "string"}}}'],
]);
const bundle = await loaded(compile(sources, undefined, { schemaTexts }));
const traced = await bundle.traced();
const engine = createEngine(bundle.policies, { use: [delegation()] });

const ann = { id: 'ann', roles: ['user'], attr: { teams: ['a', 'b'] } };
const agent = { id: 'agent', roles: ['agent'], attr: { teams: ['b', 'c'] } };
const bot = { id: 'bot', roles: ['agent'], attr: { teams: ['b'] } };
const doc = (attr: { readonly [name: string]: unknown }) => ({ kind: 'doc', id: 'd1', attr });
const decisions = (principal: PrincipalInput, attr: { readonly [name: string]: unknown }, action = 'read') => {
  const resource = doc(attr);
  const [result] = engine.check({ principal, resources: [{ resource, actions: [action] }], includeMeta: true });
  return result?.actions.map(({ allowed, matchedPolicy }) => `${allowed} ${matchedPolicy}`);
};

test('an action is allowed if the principal and each actor may do it', () => {
  const chain = { ...ann, actors: [agent] };
  assert.equal(decisions(chain, { team: 'b' }), ['true resource.doc.vdefault']);
  assert.equal(decisions(chain, { team: 'a' }), ['false resource.doc.vdefault'], 'the agent has no team a');
  assert.equal(decisions(chain, { team: 'c' }), ['false resource.doc.vdefault'], 'ann has no team c');
  for (const team of ['a', 'b', 'c']) {
    const resource = doc({ team });
    assert.is(engine.isAllowed({ principal: chain, resource, action: 'read' }), team === 'b');
    assert.is(engine.for(chain).can('read', resource), team === 'b');
  }
});

test('the decision is that of the first of the chain that is denied', () => {
  const chain = { ...ann, actors: [agent, bot] };
  assert.equal(decisions(chain, { team: 'b' }, 'list'), ['false principal.bot.vdefault']);
  assert.equal(decisions(chain, { team: 'a' }, 'list'), ['false resource.doc.vdefault']);
});

test('a plan selects what all of them may have', () => {
  const { filter, filterDebug } = engine.plan({
    principal: { ...ann, actors: [agent] },
    resource: { kind: 'doc' },
    actions: ['read'],
  });
  for (const team of ['a', 'b', 'c', undefined]) {
    const attr = team === undefined ? {} : { team };
    assert.is(selects(filter, { id: 'd1', attr, policyVersion: undefined }), team === 'b', `team ${team}`);
  }
  assert.match(filterDebug, /^\(and .*\["a","b"\].*\["b","c"\]\)\)$/);
  const planned = (kind: string) =>
    engine.plan({ principal: { ...ann, actors: [agent] }, resource: { kind }, actions: ['write'] });
  for (const [kind, text] of [
    ['doc', '(false)'],
    ['folder', 'NO_MATCH'],
  ] as const)
    assert.equal([planned(kind).filter.kind, planned(kind).filterDebug], ['KIND_ALWAYS_DENIED', text]);
});

test('outputs are those of all, and violations of an actor are named by its place', () => {
  const warning = createEngine(bundle.policies, { schemaEnforcement: 'warn', use: [delegation()] });
  const [result] = warning.check({
    principal: { ...ann, actors: [agent, { ...bot, attr: { teams: 'b' } }] },
    resources: [{ resource: doc({ team: 7 }), actions: ['read'] }],
  });
  assert.equal(
    result?.outputs.map((output) => ('val' in output ? output.val : output.error)),
    ['not ann', 'not agent', 'not bot'],
  );
  assert.equal(
    result?.validationErrors.map(({ source, path }) => `${source} ${path}`),
    ['SOURCE_PRINCIPAL /actors/1/teams', 'SOURCE_RESOURCE /team'],
  );
});

test('an actor whose attributes violate their schema denies, and so do its plans', () => {
  const rejecting = createEngine(bundle.policies, { schemaEnforcement: 'reject', use: [delegation()] });
  const chain = (teams: unknown) => ({ ...ann, actors: [{ ...agent, attr: { teams } }] });
  const resource = doc({ team: 'b' });
  assert.is(rejecting.isAllowed({ principal: chain(['b']), resource, action: 'read' }), true);
  assert.is(rejecting.isAllowed({ principal: chain({ b: 1 }), resource, action: 'read' }), false);
  const { filter } = rejecting.plan({ principal: chain({ b: 1 }), resource: { kind: 'doc' }, actions: ['read'] });
  assert.is(filter.kind, 'KIND_ALWAYS_DENIED');
});

test('a chain has the limits of one call', () => {
  const many = Array.from({ length: 300 }, (_, index) => `m${index}`);
  const limited = createEngine(bundle.policies, { limits: { evaluationCost: 40_000 }, use: [delegation()] });
  const principal = { ...ann, attr: { teams: [...many.keys()].map((index) => `t${index}`).concat('m1') } };
  const resource = doc({ many });
  assert.is(limited.isAllowed({ principal, resource, action: 'count' }), true);
  const chain = { ...principal, actors: Array.from({ length: 8 }, () => principal) };
  const resources = [{ resource, actions: ['count'] }];
  assert.throws(() => limited.isAllowed({ principal: chain, resource, action: 'count' }), isLimit);
  assert.throws(() => limited.check({ principal: chain, resources }), isLimit);
  assert.throws(() => limited.for(chain).can('count', resource), isLimit);
});

test('more than eight actors, actors of actors and what is no list are refused', () => {
  const eight = Array.from({ length: 8 }, () => bot);
  const hostile: readonly (readonly [unknown, RegExp])[] = [
    [[...eight, bot], /more than 8/],
    [[{ ...bot, actors: [agent] }], /has actors/],
    [[{ ...bot, actors: null }], /has actors/],
    [[{ ...bot, actors: {} }], /has actors/],
    [{ 0: bot, length: 1 }, /not a list/],
    [{}, /not a list/],
    ['', /not a list/],
    [null, /not a list/],
    [[null], /principal\.actors\[0\]\.id is not a string/],
    [[undefined], /principal\.actors\[0\]\.id is not a string/],
  ];
  for (const [actors, message] of hostile) {
    const principal = { ...ann, actors } as PrincipalInput;
    for (const ask of calls(principal)) assert.throws(() => ask(engine), message);
  }
  assert.is(
    engine.isAllowed({ principal: { ...ann, actors: eight }, resource: doc({ team: 'b' }), action: 'read' }),
    true,
  );
});

test('an engine that decides about principals alone refuses actors, whatever they are', () => {
  const plain = [createEngine(bundle.policies), createEngine(bundle.policies, { traced, use: [explanations()] })];
  for (const actors of [[agent], [undefined], {}, { length: 2 }, 'x', 1] as const) {
    const principal = { ...ann, actors } as unknown as PrincipalInput;
    for (const ask of calls(principal))
      for (const one of plain) assert.throws(() => ask(one), /`actors` needs `use: \[delegation\(\)\]`/);
  }
  for (const actors of [[], undefined]) for (const ask of calls({ ...ann, actors })) for (const one of plain) ask(one);
});

test('an explanation has the errors and the policies of all', () => {
  const audited = createEngine(bundle.policies, { traced, use: [delegation(), explanations()] });
  const principal = { ...ann, actors: [{ ...agent, attr: {} }, bot] };
  const request = {
    principal,
    resources: [{ resource: doc({ team: 'b', frozen: false }), actions: ['list'] }],
  };
  const { evaluationErrors, effectivePolicies, effectiveDerivedRoles } = audited.explain(request);
  assert.equal(
    evaluationErrors.map((errors) => errors.map(({ message }) => message)),
    [['no such key: teams']],
  );
  assert.equal(
    effectivePolicies.map(({ policy }) => policy),
    ['principal.bot.vdefault', 'resource.doc.vdefault'],
  );
  assert.equal(effectiveDerivedRoles, [[]]);
  assert.equal(mergeErrors(audited.explain(request)).length, 1);
  assert.equal(audited.explain(request).effectivePolicies.length, 2);
  const plan = { principal, resource: { kind: 'doc' }, actions: ['list'] };
  assert.equal(audited.explain(plan).evaluationErrors.length, 1);
  assert.is(audited.explain(plan).effectiveDerivedRoles, undefined);
});

test.run();

/** Each call of an engine. */
function calls(principal: PrincipalInput): readonly ((asked: Engine) => unknown)[] {
  const resource = doc({ team: 'b' });
  return [
    (asked) => asked.check({ principal, resources: [{ resource, actions: ['read'] }] }),
    (asked) => asked.isAllowed({ principal, resource, action: 'read' }),
    (asked) => asked.for(principal).can('read', resource),
    (asked) => asked.plan({ principal, resource: { kind: 'doc' }, actions: ['read'] }),
  ];
}

function isLimit(error: unknown): boolean {
  return error instanceof EvaluationLimitError;
}
