import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listLineage, readGrants } from '../../packages/cli/migrate/accesscontrol/grants.js';
import { policiesOfGrants } from '../../packages/cli/migrate/accesscontrol/policies.js';
import { createEngine } from '../../runtime/engine/index.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { folderOf } from '../support/cli/programs.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { Random } from '../support/oracle/random.js';

const test = suite('authzc migrate accesscontrol');

/** The part of the package that is compared. Types of the package itself would be those of one version. */
interface AccessControlPackage {
  readonly AccessControl: new (
    grants: object,
    options: { readonly policy: { readonly ownerField: string } },
  ) => {
    readonly can: (
      roles: readonly string[],
      context: object,
    ) => { readonly do: (action: string, resource: string) => { readonly granted: boolean } };
  };
}
const PACKAGE: string = 'accesscontrol';
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const GRANTS = {
  user: {
    post: {
      read: [{ attributes: ['*'], possession: 'any' }],
      update: [{ attributes: ['*', '!id'], possession: 'own' }],
    },
  },
  moderator: {
    $extend: ['user'],
    post: {
      update: [{ attributes: ['*'], possession: 'any', condition: ['$.post.locked', '!=', true] }],
      delete: [{ attributes: ['*'], possession: 'any' }],
    },
  },
  muted: { $extend: ['user'], post: { update: [{ attributes: ['*'], possession: 'own', effect: 'deny' }] } },
};

test('it prints the policies, writes them with --write, and overwrites nothing', async () => {
  const folder = folderOf({ 'grants.json': JSON.stringify(GRANTS) });
  folders.push(folder);
  const shown = await callAuthzc(['migrate', 'accesscontrol', 'grants.json'], folder);
  assert.match(shown.stdout, '# policies/post.yaml\napiVersion: api.authz.dev/v1');
  assert.match(shown.stdout, 'Nothing was written. With --write, 1 file is written.');
  assert.is(shown.code, 0);
  const args = ['migrate', 'accesscontrol', 'grants.json', '--write'];
  assert.equal((await callAuthzc(args, folder)).stdout, 'policies/post.yaml\n1 file written.\n');
  assert.match(readFileSync(join(folder, 'policies/post.yaml'), 'utf8'), 'expr: R.attr.ownerId == P.id');
  assert.match((await callAuthzc(args, folder)).stderr, '`policies/post.yaml` exists, and would be overwritten');
});

test('what has no counterpart is named and grants nothing', async () => {
  const grants = {
    user: {
      post: { read: [{ attributes: ['*'], condition: ['$.ip', 'cidr', '10.0.0.0/8'] }], edit: [{ attributes: ['*'] }] },
    },
  };
  const folder = folderOf({ 'grants.json': JSON.stringify(grants) });
  folders.push(folder);
  const { code, stdout } = await callAuthzc(['migrate', 'accesscontrol', 'grants.json', '-o', 'json'], folder);
  assert.is(code, 1);
  const { files, open } = JSON.parse(stdout) as { files: { text: string }[]; open: string[] };
  assert.equal(open, ['user read post: the path `$.ip` has no counterpart; no rule was written']);
  assert.not.match(files[0]?.text ?? '', 'read');
  for (const [text, message] of [
    ['{"a": {"b": {"read:mine": ["*"]}}}', 'a.b.read:mine: `read:mine` is not an action'],
    ['{"a": {"$extend": ["b"]}}', 'a.$extend: there is no role `b`'],
    ['{"grants": {}, "requirements": {"global": ["x"]}}', '`requirements`: gates of `require()` restrict all grants'],
    ['{"a":', 'is not JSON'],
  ] as const) {
    writeFileSync(join(folder, 'grants.json'), text);
    const failed = await callAuthzc(['migrate', 'accesscontrol', 'grants.json'], folder);
    assert.is(failed.code, 1);
    assert.match(failed.stderr, message);
  }
});

test('lists and objects of both versions mean the same', () => {
  const list = [
    { role: 'user', resource: 'post', action: 'read:any', attributes: '*, !id' },
    { role: 'admin', $extend: 'user' },
  ];
  const second = { user: { post: { 'read:any': ['*', '!id'] } }, admin: { $extend: ['user'] } };
  const third = { user: { post: { read: [{ attributes: ['*', '!id'] }] } }, admin: { $extend: ['user'] } };
  const [first, ...others] = [list, second, third].map((json) => policiesOfGrants(readGrants(json), 'ownerId'));
  for (const other of others) assert.equal(other, first);
  assert.equal(listLineage('admin', readGrants(list)), ['admin', 'user']);
});

test('random grants decide as accesscontrol does', async () => {
  const { AccessControl } = (await import(PACKAGE)) as AccessControlPackage;
  let compared = 0;
  const random = new Random(Number(process.env['SEED'] ?? 1));
  for (let round = 0; round < 20; round += 1) {
    const json = randomGrants(random);
    const { policies: texts, open } = policiesOfGrants(readGrants(json), 'ownerId');
    for (const line of open) assert.match(line, 'a deny that overlaps a grant in part has no counterpart');
    const isOpen = (role: string, action: string, kind: string): boolean =>
      open.some((line) => line.startsWith(`${role} ${action} ${kind}:`));
    const control = new AccessControl(json, { policy: { ownerField: 'ownerId' } });
    if (texts.size === 0) continue;
    const { policies } = await loaded(compileTexts(Object.fromEntries(texts)));
    const engine = createEngine(policies);
    for (const roles of [['a'], ['b'], ['c'], ['a', 'b'], ['a', 'b', 'c']])
      for (const ownerId of ['ann', 'bob'])
        for (const value of [undefined, 3, 9])
          for (const kind of ['post', 'page'])
            for (const action of ['read', 'update']) {
              if (roles.some((role) => isOpen(role, action, kind))) continue;
              compared += 1;
              const attr = { ownerId, ...(value === undefined ? {} : { value }) };
              const context = { user: { id: 'ann' }, [kind]: attr };
              const granted = (possession: string): boolean =>
                control.can(roles, context).do(`${action}:${possession}`, kind).granted;
              const expected = granted('any') || (ownerId === 'ann' && granted('own'));
              const request = { principal: { id: 'ann', roles }, resource: { kind, id: 'r', attr }, action };
              assert.is(engine.isAllowed(request), expected, JSON.stringify({ json, roles, attr, kind, action }));
            }
  }
  assert.ok(compared > 1_000, `${compared}`);
});

test.run();

/** Grants of three roles to two kinds, with denies, conditions, and roles that extend others. */
function randomGrants(random: Random): object {
  const one = <T>(...items: readonly T[]): T => random.pick(items);
  const rule = (): object => {
    const effect = one('grant', 'grant', 'deny');
    const attributes =
      effect === 'deny' ? one(['*'], ['title']) : one(['*'], ['title'], ['*', '!id'], ['title', 'text'], []);
    const condition = one(undefined, undefined, ['$.X.value', '<', 5], { not: ['$.X.value', '==', 3] }, [
      '$.X.value',
      '!=',
      9,
    ]);
    return { effect, possession: one('any', 'own'), attributes, ...(effect === 'grant' && condition && { condition }) };
  };
  const actions = (kind: string): object =>
    JSON.parse(
      JSON.stringify(
        Object.fromEntries(['read', 'update'].map((action) => [action, Array.from({ length: random.below(4) }, rule)])),
      ).replaceAll('$.X', `$.${kind}`),
    ) as object;
  const role = (extended: readonly string[]): object => ({
    ...(extended.length > 0 && { $extend: extended }),
    post: actions('post'),
    page: actions('page'),
  });
  return { a: role([]), b: role(one([], ['a'])), c: role(one([], ['a'], ['b'])) };
}
