import { inspect } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import { createEngine, type Engine } from '../../runtime/engine/index.js';
import type { CompiledBundle } from '../../runtime/engine/parts.js';
import { ALLOW } from '../../runtime/policy/index.js';
import { compileTexts, loaded } from '../support/compiled.js';

/**
 * `isAllowed` and `can` read usual requests by a shorter way than `check`. What is odd about a request must not make a
 * difference: all three decide alike, or fail. (Attributes: tests/properties/hostile-values.test.ts.)
 */
const test = suite('requests that are odd in a field');

/** How many roles the policies name: none, as many as are compared one by one, more, and more than there are bits. */
const NAMED = [0, 1, 2, 4, 5, 31];

for (const count of NAMED) {
  for (const hasGlobs of [false, true]) {
    test(`of ${count} roles${hasGlobs ? ' and a glob' : ''}`, async () => {
      const policies = await compiled(count, hasGlobs);
      for (const roles of oddRoles()) {
        for (const action of ['act-0', 'act-1', 'act-4', 'greet', 'everyone', 'other'])
          compare(policies, { principal: { id: 'ann', roles }, resource: RESOURCE, action });
      }
    });
  }
}

test('in any other field', async () => {
  const policies = await compiled(1, false);
  const outcomes = new Set<string>();
  for (const odd of ODD_VALUES) {
    for (const field of ['id', 'policyVersion', 'scope', 'actors']) {
      const principal = { id: 'ann', roles: ['role-0'], [field]: odd };
      outcomes.add(compare(policies, { principal, resource: RESOURCE, action: 'act-0' }));
    }
    for (const field of ['kind', 'id', 'policyVersion', 'scope']) {
      const resource = { ...RESOURCE, [field]: odd };
      outcomes.add(compare(policies, { principal: PRINCIPAL, resource, action: 'act-0' }));
    }
    outcomes.add(compare(policies, { principal: PRINCIPAL, resource: RESOURCE, action: odd }));
  }
  assert.equal([...outcomes].sort(), ['allowed', 'denied', 'refused']);
});

test.run();

interface OddRequest {
  readonly principal: object;
  readonly resource: object;
  readonly action: unknown;
}

type Outcome = 'allowed' | 'denied' | 'refused';

/** What `check` says by walking the rules, which the shorter ways have to say too. */
function compare(policies: CompiledBundle, { principal, resource, action }: OddRequest): Outcome {
  const request = { principal, resource, action } as Parameters<Engine['isAllowed']>[0];
  const walking = createEngine(withoutDecide(policies));
  const expected = outcomeOf(() => {
    const entry = { resource: request.resource, actions: [request.action] };
    return walking.check({ principal: request.principal, resources: [entry] })[0]?.actions[0]?.effect === ALLOW;
  });
  const engine = createEngine(policies);
  const detail = inspect(request, { depth: 4 });
  // Engines know the policies of a kind once they were asked about it, and forget the latest kind for another.
  assert.is(
    outcomeOf(() => engine.isAllowed(request)),
    expected,
    `isAllowed of ${detail}`,
  );
  for (const kind of ['document', 'document', 'folder']) {
    engine.isAllowed({ principal: PRINCIPAL, resource: { ...RESOURCE, kind }, action: 'act-0' });
    assert.is(
      outcomeOf(() => engine.isAllowed(request)),
      expected,
      `isAllowed after ${kind} of ${detail}`,
    );
    const can = outcomeOf(() => engine.for(request.principal).can(request.action, request.resource));
    assert.is(can, expected, `can after ${kind} of ${detail}`);
  }
  return expected;
}

function outcomeOf(decide: () => boolean): Outcome {
  try {
    return decide() ? 'allowed' : 'denied';
  } catch {
    return 'refused';
  }
}

const PRINCIPAL = { id: 'ann', roles: ['role-0'] };
const RESOURCE = { kind: 'document', id: 'd1' };

const ODD_VALUES: readonly unknown[] = [
  undefined,
  null,
  '',
  'document',
  'default',
  'a b',
  '.',
  0,
  7,
  true,
  [],
  {},
  ['role-0'],
  new String('document'),
  { toString: () => 'document' },
  Symbol('document'),
];

/** All short lists of these, and values that are lists in part. */
function oddRoles(): readonly unknown[] {
  const members = ['role-0', 'role-1', 'role-4', 'role-30', 'guest:1', 'other', '', undefined, 7];
  const lists = [[], ...members.map((one) => [one]), ...members.flatMap((one) => members.map((two) => [one, two]))];
  return [
    ...lists,
    ...[...lists, ['role-4', 'role-1', 'other']].map((list) => [...list, 'role-0']),
    // Holes.
    new Array(1),
    new Array(2),
    Object.assign(new Array(2), { 1: 'role-0' }),
    Object.assign(new Array(3), { 0: 'role-0', 2: 'role-1' }),
    // Longer than what is compared in pairs, with and without a duplicate.
    [...many(17), 'role-0'],
    [...many(17), 'role-0', 'role-0'],
    [...many(17), ''],
    // Lists of another kind, and what only resembles one.
    class extends Array<string> {}.from(['role-0', 'role-1']),
    new Proxy(['role-0', 'role-1'], {}),
    Object.freeze(['role-1', 'role-0']),
    Object.assign(['role-0'], { extra: true }),
    { 0: 'role-0', length: 1 },
    new Set(['role-0']),
    'role-0',
    undefined,
    null,
    [['role-0']],
    [new String('role-0')],
    [Symbol('role-0')],
  ];
}

function many(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `many-${index}`);
}

/** A policy of each of two kinds, whose roles have an action each. */
async function compiled(count: number, hasGlobs: boolean): Promise<CompiledBundle> {
  const rule = (action: string, role: string): object => ({ actions: [action], effect: 'EFFECT_ALLOW', roles: [role] });
  const rules = [
    ...Array.from({ length: count }, (_, index) => rule(`act-${index}`, `role-${index}`)),
    ...(hasGlobs ? [rule('greet', 'guest:*')] : []),
    rule('everyone', '*'),
  ];
  const policy = (kind: string): string =>
    stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy: { resource: kind, version: 'default', rules } });
  const texts = { 'document.yaml': policy('document'), 'folder.yaml': policy('folder') };
  return (await loaded(compileTexts(texts))).policies as CompiledBundle;
}

function withoutDecide(bundle: CompiledBundle): CompiledBundle {
  return {
    ...bundle,
    resourcePolicies: bundle.resourcePolicies.map((policy) => ({ ...policy, decide: undefined })),
  };
}
