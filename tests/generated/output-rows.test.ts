import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { compileRules, compileTexts, loaded } from '../support/compiled.js';

/** An output is given once for each role text and each action text that matches (docs/spec/policy-language.md#when-outputs-are-emitted). */
const test = suite('repeated outputs');

const MANY = Array.from({ length: 40 }, (_, index) => `team${index}`);

const CASES: readonly {
  readonly title: string;
  readonly actions: readonly string[];
  readonly roles: readonly string[];
  /** Another rule of the policy. */
  readonly others?: readonly (readonly string[])[];
  /** Whether the module says how often. */
  readonly isSaid: boolean;
  readonly asked: readonly (readonly [role: string, action: string, times: number])[];
}[] = [
  {
    title: 'one text of each',
    actions: ['view', 'edit'],
    roles: ['user', 'admin'],
    isSaid: false,
    asked: [
      ['user', 'view', 1],
      ['admin', 'edit', 1],
      ['guest', 'view', 0],
    ],
  },
  {
    title: 'a role by its name and by globs',
    actions: ['view'],
    roles: ['user', 'u*', '*r', '*:x'],
    isSaid: false,
    asked: [
      ['user', 'view', 3],
      ['other', 'view', 1],
      ['unit', 'view', 1],
      ['guest', 'view', 0],
    ],
  },
  {
    title: 'everyone',
    actions: ['view', '*:x'],
    roles: ['*'],
    isSaid: false,
    asked: [
      ['user', 'view', 1],
      ['user', 'a:x', 1],
    ],
  },
  {
    title: 'an action by its name and by a glob',
    actions: ['view', 'v*'],
    roles: ['user', 'u*'],
    isSaid: true,
    asked: [
      ['user', 'view', 4],
      ['unit', 'view', 2],
      ['user', 'vote', 2],
    ],
  },
  {
    title: 'an action by two globs',
    actions: ['*w', 'v*'],
    roles: ['user'],
    isSaid: true,
    asked: [
      ['user', 'view', 2],
      ['user', 'vote', 1],
    ],
  },
  {
    title: 'roles that share a bit',
    actions: ['view'],
    roles: MANY,
    isSaid: true,
    asked: [['team3', 'view', 1]],
  },
  {
    title: 'more roles than bits',
    actions: ['view'],
    roles: ['team1', 'team3*'],
    others: MANY.map((role) => [role]),
    isSaid: true,
    asked: [
      ['team1', 'view', 1],
      ['team31', 'view', 1],
      ['team2', 'view', 0],
    ],
  },
];

for (const { title, actions, roles, others = [], isSaid, asked } of CASES)
  test(title, async () => {
    const rule = {
      name: 'told',
      actions,
      roles,
      effect: 'EFFECT_ALLOW',
      output: { when: { ruleActivated: '"told"' } },
    };
    const rules = [rule, ...others.map((of) => ({ actions: ['other'], roles: of, effect: 'EFFECT_ALLOW' }))];
    const compilation = compileRules('doc', rules);
    const { policies } = await loaded(compilation);
    const text = compilation.files.find(({ path }) => path === 'resource/doc.ts')?.text ?? '';
    assert.is(/\brows: /.test(text), isSaid);
    for (const [role, action, times] of asked) {
      const [result] = createEngine(policies).check({
        principal: { id: 'p', roles: [role] },
        resources: [{ resource: { kind: 'doc', id: 'd' }, actions: [action] }],
      });
      assert.is(result?.outputs.length, times, `${role}, ${action}`);
    }
  });

test('a role that inherits from others repeats outputs for each', async () => {
  const resourcePolicy = {
    resource: 'doc',
    version: 'default',
    rules: [
      {
        name: 'told',
        actions: ['view'],
        roles: ['clerk', 'user', 'admin'],
        effect: 'EFFECT_ALLOW',
        output: { when: { ruleActivated: '"told"' } },
      },
    ],
  };
  const rolePolicy = {
    role: 'clerk',
    parentRoles: ['user'],
    rules: [{ resource: 'doc', allowActions: ['view'] }],
  };
  const apiVersion = 'api.authz.dev/v1';
  const { policies } = await loaded(
    compileTexts({
      'doc.yaml': JSON.stringify({ apiVersion, resourcePolicy }),
      'clerk.yaml': JSON.stringify({ apiVersion, rolePolicy }),
    }),
  );
  const [result] = createEngine(policies).check({
    principal: { id: 'p', roles: ['clerk'] },
    resources: [{ resource: { kind: 'doc', id: 'd' }, actions: ['view'] }],
  });
  assert.is(result?.outputs.length, 2);
});

test.run();
