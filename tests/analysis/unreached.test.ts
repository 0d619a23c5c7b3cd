import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExplainer } from '../../packages/analysis/explain/explain.js';
import { fold } from '../../compiler/optimise/index.js';
import type { Program } from '../../compiler/ir/program.js';
import type { EngineOptions } from '../../runtime/engine/index.js';
import { compileTexts } from '../support/compiled.js';

const test = suite('why no rule is reached');

const HEAD = { apiVersion: 'api.authz.dev/v1' };
const rules = [{ actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['user'] }];
const PLACES = [
  ['album', 'default', ''],
  ['album', 'default', 'acme'],
  ['album', 'default', 'acme.hr'],
  ['album', '2024', ''],
  ['leave-request', 'default', ''],
  ['leave-request', 'default', 'other'],
] as const;
const texts = Object.fromEntries([
  ...PLACES.map(([resource, version, scope], index) => [
    `${index}.yaml`,
    JSON.stringify({ ...HEAD, resourcePolicy: { resource, version, scope, rules } }),
  ]),
  ...[...Array(10).keys()].map((index) => [
    `many-${index}.yaml`,
    JSON.stringify({ ...HEAD, resourcePolicy: { resource: 'many', version: `v${index}`, rules } }),
  ]),
  [
    'role.yaml',
    JSON.stringify({
      ...HEAD,
      rolePolicy: { role: 'clerk', scope: 'zed', rules: [{ resource: 'tool', allowActions: ['*'] }] },
    }),
  ],
  [
    'eve.yaml',
    JSON.stringify({
      ...HEAD,
      principalPolicy: {
        principal: 'eve',
        version: 'default',
        rules: ['report', 'draft*'].map((resource) => ({
          resource,
          actions: [{ action: 'view', effect: 'EFFECT_ALLOW' }],
        })),
      },
    }),
  ],
]);
const { lowered } = compileTexts(texts);
const program = fold(lowered as Program);

interface Place {
  readonly kind: string;
  readonly policyVersion?: string;
  readonly scope?: string;
}

function explain(place: Place, options: EngineOptions = {}, { id = 'ann', action = 'view' } = {}) {
  const request = { principal: { id, roles: ['user'] }, resource: { id: '1', ...place }, action };
  return makeExplainer(program, options).explain(request);
}

const GENERAL = 'no rule matches this action and these roles';

const SENTENCES: readonly (readonly [Place, string | undefined, EngineOptions?])[] = [
  [{ kind: 'album' }, undefined],
  [{ kind: 'albun' }, 'no policy covers kind `albun`: did you mean `album`?'],
  [{ kind: 'zebra' }, 'no policy covers kind `zebra`: the kinds are `album`, `leave-request` and `many`'],
  [
    { kind: 'leave_request', policyVersion: 'v1' },
    'no policy of kind `leave_request` has version `v1`: its only version is `default`',
  ],
  [
    { kind: 'album', policyVersion: '2023' },
    'no policy of kind `album` has version `2023`: its versions are `2024` and `default`; did you mean `2024`?',
  ],
  [
    { kind: 'album' },
    'no policy of kind `album` has version `2025`: its versions are `2024` and `default`; did you mean `2024`?',
    { defaultPolicyVersion: '2025' },
  ],
  [
    { kind: 'many' },
    'no policy of kind `many` has version `default`: its versions are `v0`, `v1`, `v2`, `v3`, `v4`, `v5`, `v6`, `v7` and 2 more',
  ],
  [
    { kind: 'album', scope: 'acme.hx' },
    'no policy of kind `album`, version `default`, is in scope `acme.hx`: its scopes are the root, `acme` and `acme.hr`; did you mean `acme.hr`?',
  ],
  [{ kind: 'album', scope: 'acme.hx' }, undefined, { lenientScopeSearch: true }],
  [{ kind: 'album', scope: '.acme' }, undefined],
  [
    { kind: 'many', policyVersion: 'v3', scope: 'nowhere' },
    'no policy of kind `many`, version `v3`, is in scope `nowhere`: its only scope is the root',
  ],
  [
    { kind: 'leave-request', scope: 'acme.nowhere' },
    'no policy of kind `leave-request` is in scope `acme.nowhere`: its scopes are the root and `other`',
  ],
  [
    { kind: 'leave-request' },
    'no policy of kind `leave-request` is in scope `othr`: its scopes are the root and `other`; did you mean `other`?',
    { defaultScope: 'othr' },
  ],
];

test('the kind, version or scope without a policy is named, with the ones that have policies', () => {
  for (const [place, sentence, options] of SENTENCES)
    assert.is(explain(place, options).unreached, sentence, JSON.stringify([place, options]));
});

test('with policies, no rule matches', () => {
  assert.is(explain({ kind: 'album' }, {}, { action: 'share' }).unreached, GENERAL);
  assert.is(explain({ kind: 'report' }, {}, { action: 'share' }).unreached, GENERAL, 'another principal has a policy');
  assert.match(explain({ kind: 'draft-1' }).unreached ?? '', 'no policy covers kind');
  assert.is(explain({ kind: 'draft-1' }, {}, { id: 'eve', action: 'share' }).unreached, GENERAL);
});

test('a place is said to have no policy exactly where decisions find none', () => {
  let unmatched = 0;
  for (const kind of ['album', 'leave_request', 'many', 'none'])
    for (const policyVersion of ['', 'default', '2024', 'v9', 'v10'])
      for (const scope of ['', 'acme', 'acme.hr', 'acme.hr.uk', 'acme.x', 'other', 'other.a', 'zed', 'zed.a', 'no'])
        for (const lenientScopeSearch of [false, true])
          for (const defaultScope of ['', 'acme']) {
            const place = { kind, policyVersion, scope };
            const { unreached, matchedPolicy } = explain(
              place,
              { lenientScopeSearch, defaultScope },
              { action: 'share' },
            );
            assert.is(unreached !== GENERAL, matchedPolicy === 'NO_MATCH', JSON.stringify({ place, unreached }));
            if (matchedPolicy === 'NO_MATCH') unmatched += 1;
          }
  assert.ok(unmatched > 50 && unmatched < 750, String(unmatched));
});

test.run();
