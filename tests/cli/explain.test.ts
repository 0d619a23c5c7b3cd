import type { Explanation } from '../../runtime/engine/parts.js';
import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BROKEN_POLICY } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { folderOf } from '../support/cli/programs.js';

const test = suite('authzc explain');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const ALBUM = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  variables:
    local:
      is_owner: R.attr.owner == P.id
  rules:
    - name: owners
      actions: [view, edit]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: V.is_owner}}
    - name: small
      actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          all:
            of:
              - expr: R.attr.size <= 10
              - expr: R.attr.tags.exists(t, t == "public")
    - name: locked
      actions: [edit]
      effect: EFFECT_DENY
      roles: ["*"]
      condition: {match: {expr: R.attr.locked}}
`;

const FILES = {
  'policies/album.yaml': ALBUM,
  'alice.yaml': 'id: alice\nroles: [user]\n',
  'album.yaml': 'kind: album\nid: a1\nattr: {owner: bob, size: 12, tags: [family]}\n',
};

const EXPLAIN = ['explain', '--principal', 'alice.yaml', '--resource', 'album.yaml'];

test('each rule is shown with the values of its condition, and then the least change that turns the decision', async () => {
  const { code, stdout, stderr } = await explain(['--action', 'view']);
  assert.is(stderr, '');
  assert.is(code, 0);
  assert.is(
    stdout,
    `DENY  alice may not view album a1: no rule allows
as user
  root scope  resource.album.vdefault
    ✘ owners  ALLOW  policies/album.yaml:9:7
      ✘ V.is_owner  policies/album.yaml:7:17  R.attr.owner == P.id  "bob" == "alice"
    ✘ small   ALLOW  policies/album.yaml:14:7
      ✘ all
        ✘ R.attr.size <= 10  policies/album.yaml:22:23  12 <= 10
        ✘ R.attr.tags.exists(t, t == "public")  policies/album.yaml:23:23  R.attr.tags is ["family"]
would be allowed with 1 change
  resource.attr.owner "bob" → "alice"
`,
  );
});

test('a DENY that applies, and a part that cannot be evaluated', async () => {
  const files = { ...FILES, 'album.yaml': 'kind: album\nid: a1\nattr: {owner: alice, locked: true}\n' };
  const denied = await explain(['--action', 'edit'], files);
  assert.match(denied.stdout, /^DENY {2}alice may not edit album a1: locked applies\n/);
  assert.match(denied.stdout, / {4}✔ locked {2}DENY {3}policies\/album.yaml:24:7\n {6}✔ R.attr.locked/);
  assert.match(denied.stdout, /would be allowed with 1 change\n {2}resource.attr.locked true → (false|absent)/);

  const missing = await explain(['--action', 'edit']);
  assert.match(missing.stdout, /! R\.attr\.locked .* cannot be evaluated: no such key: locked\n/);
});

test('in strict evaluation a condition that cannot be evaluated denies', async () => {
  const files = { ...FILES, 'album.yaml': 'kind: album\nid: a1\nattr: {owner: alice}\n' };
  const lenient = await explain(['--action', 'edit'], files);
  assert.match(lenient.stdout, /^ALLOW {2}alice may edit album a1: owners applies\n/);
  const strict = await explain(['--action', 'edit', '--strict-evaluation'], files);
  assert.match(
    strict.stdout,
    /^DENY {2}alice may not edit album a1: locked cannot be evaluated, and evaluation is strict\n/,
  );
  assert.match(strict.stdout, / {4}! locked {2}DENY {3}policies\/album.yaml:24:7\n {6}! R.attr.locked .*no such key/);
  assert.match(strict.stdout, /would be allowed with 1 change\n {2}resource.attr.locked absent → false/);
});

test('JSON has the same as data, and --keep leaves a part of the request alone', async () => {
  const { code, stdout } = await explain(['--action', 'view', '--output', 'json', '--keep', 'resource']);
  assert.is(code, 0);
  const { decision, steps, nearMisses } = JSON.parse(stdout) as Explanation;
  assert.is(decision, 'DENY');
  assert.equal(
    steps.map(({ role, policy, rules }) => [role, policy, rules.map(({ name, result }) => `${name} ${result}`)]),
    [['user', 'resource.album.vdefault', ['owners does not apply', 'small does not apply']]],
  );
  assert.equal(nearMisses, { changes: [], isComplete: true, sampled: 0 });
});

test('check --explain has the tree of each action, as text and as data', async () => {
  const folder = folderOf(FILES);
  folders.push(folder);
  const words = ['check', ...EXPLAIN.slice(1), '--action', 'view', '--action', 'edit', '--explain'];
  const { code, stdout } = await callAuthzc(words, folder);
  assert.is(code, 0);
  assert.match(
    stdout,
    /^view: EFFECT_DENY by resource\.album\.vdefault\nedit: EFFECT_DENY by .*\n\nDENY {2}alice may not view/,
  );
  assert.match(stdout, /\n\nDENY {2}alice may not edit album a1: no rule allows\nas user\n/);
  const data = await callAuthzc([...words, '-o', 'json'], folder);
  const { actions } = JSON.parse(data.stdout) as {
    readonly actions: readonly { readonly effect: string; readonly explanation: Explanation }[];
  };
  assert.equal(
    actions.map(({ effect, explanation }) => [effect, explanation.decision, explanation.steps.length]),
    [
      ['EFFECT_DENY', 'DENY', 1],
      ['EFFECT_DENY', 'DENY', 1],
    ],
  );
});

test('an action that no rule is about', async () => {
  const { stdout, stderr } = await explain(['--action', 'share']);
  assert.match(stderr, /share/);
  assert.match(stdout, /^DENY .*: no rule allows\nno rule matches this action and these roles\n/);
});

test('a kind that no policy has is said to be one, by explain and by check --explain', async () => {
  const files = { ...FILES, 'album.yaml': FILES['album.yaml'].replace('kind: album', 'kind: albun') };
  const { stdout } = await explain(['--action', 'view'], files);
  const text = /no rule allows\nno policy covers kind `albun`: did you mean `album`\?\n/;
  assert.match(stdout, text);
  const folder = folderOf(files);
  folders.push(folder);
  assert.match(
    (await callAuthzc(['check', ...EXPLAIN.slice(1), '--action', 'view', '--explain'], folder)).stdout,
    text,
  );
});

test('a version or a scope without policies is named by explain and by check', async () => {
  const resource = `${FILES['album.yaml']}policyVersion: v2\n`;
  const version = 'no policy of kind `album` has version `v2`: its only version is `default`';
  const { stdout, stderr } = await explain(['--action', 'view'], { ...FILES, 'album.yaml': resource });
  assert.ok(stdout.includes(`no rule allows\n${version}\n`), stdout);
  assert.is(stderr, `warning: ${version}\n`);
  const folder = folderOf({ ...FILES, 'album.yaml': `${FILES['album.yaml']}scope: acme.hr\n` });
  folders.push(folder);
  const scope = 'warning: no policy of kind `album` is in scope `acme.hr`: its only scope is the root\n';
  const check = [...EXPLAIN.slice(1), '--action', 'view'];
  assert.is((await callAuthzc(['check', ...check], folder)).stderr, scope);
  assert.is((await callAuthzc(['check', ...check, '--lenient-scope-search'], folder)).stderr, '');
});

test('each principal of a chain is explained, as all of them must be allowed', async () => {
  const files = (roles: string, owner = 'alice') => ({
    ...FILES,
    'album.yaml': `kind: album\nid: a1\nattr: {owner: ${owner}, size: 2, tags: [public]}\n`,
    'actors.yaml': `principals: [{id: bot, roles: [user]}, {id: tool, roles: [${roles}]}]\n`,
    'chain.yaml': `id: alice\nroles: [user]\nactors: [{id: bot, roles: [user]}, {id: tool, roles: [${roles}]}]\n`,
  });
  const chain = ['explain', '--principal', 'chain.yaml', '--resource', 'album.yaml', '--action'];
  for (const [roles, action, decision, head, heads] of [
    [
      'user',
      'view',
      'ALLOW',
      'alice through bot and tool may view album a1: all of them may',
      ['ALLOW', 'ALLOW', 'ALLOW'],
    ],
    [
      'guest',
      'view',
      'DENY',
      'alice through bot and tool may not view album a1: tool may not',
      ['ALLOW', 'ALLOW', 'DENY'],
    ],
    [
      'user',
      'edit',
      'DENY',
      'alice through bot and tool may not edit album a1: bot and tool may not',
      ['ALLOW', 'DENY', 'DENY'],
    ],
  ] as const) {
    const made = folderOf(files(roles));
    folders.push(made);
    const { code, stdout, stderr } = await callAuthzc([...chain, action], made);
    assert.is(code, 0, stderr);
    const [first, ...blocks] = stdout.split('\n\n').filter((block) => !/^To |^The smallest/.test(block));
    assert.is(first, `${decision}  ${head}`);
    assert.equal(
      blocks.map((block) => block.split(/\s/)[0]).filter((word) => word === 'ALLOW' || word === 'DENY'),
      heads,
      stdout,
    );
    // In a file of their own, and as JSON.
    const own = [...EXPLAIN, '--action', action, '--actors', 'actors.yaml'];
    assert.is((await callAuthzc(own, made)).stdout, stdout);
    const json = JSON.parse((await callAuthzc([...own, '-o', 'json'], made)).stdout);
    assert.is(json.decision, decision);
    assert.equal(
      json.chain.map((one: Explanation & { principal: string }) => [one.principal, one.decision]),
      ['alice', 'bot', 'tool'].map((id, index) => [id, heads[index]]),
    );
    const checked = await callAuthzc(['check', ...chain.slice(1), action], made);
    assert.is(checked.stdout.includes('ALLOW'), decision === 'ALLOW', checked.stdout);
    const twice = await callAuthzc([...chain, action, '--actors', 'actors.yaml'], made);
    assert.is(twice.code, 2);
    assert.match(twice.stderr, /name the actors once/);
  }
});

test('bad input is refused with the reason', async () => {
  const noFile = await explain(['--action', 'view'], { ...FILES, 'alice.yaml': 'roles: 1\n' });
  assert.is(noFile.code, 2);
  assert.match(noFile.stderr, /alice\.yaml/);
  const broken = await explain(['--action', 'view'], { ...FILES, 'policies/album.yaml': BROKEN_POLICY });
  assert.is(broken.code, 3);
  assert.match(broken.stderr, /policies\/album\.yaml:/);
  const near = await explain(['--action', 'view', '--near', 'many']);
  assert.is(near.code, 2);
  assert.match(near.stderr, /must be a number from 0 to 999/);
});

test.run();

async function explain(args: readonly string[], files: { readonly [path: string]: string } = FILES) {
  const folder = folderOf(files);
  folders.push(folder);
  return callAuthzc([...EXPLAIN, ...args], folder);
}
