import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { SHARED } from '../support/compiled.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { type Ended, folderOf, PROGRAMS } from '../support/cli/programs.js';
import { skip } from '../support/skip.js';

const test = suite('authzc inspect');
const HEAD = 'apiVersion: api.authz.dev/v1\n';
const FILES = {
  'policies/limits.yaml': `${HEAD}exportConstants: {name: limits, definitions: {most: 10, least: [1, {"__proto__": 2}]}}\n`,
  'policies/shared.yaml': `${HEAD}exportVariables: {name: shared, definitions: {mine: R.attr.owner == P.id, small: R.attr.size < C.most, team: 'P.attr["the team"]'}}\n`,
  'policies/roles.yaml': `${HEAD}derivedRoles: {name: roles, definitions: [{name: owner, parentRoles: [user], condition: {match: {expr: R.attr.by == P.id}}}]}\n`,
  'policies/album.yaml': `${HEAD}resourcePolicy:
  resource: album
  version: default
  importDerivedRoles: [roles]
  constants: {import: [limits], local: {word: "x\\e[31m"}}
  variables: {import: [shared], local: {own: V.small && !V.gone}}
  rules:
    - {actions: [view, edit], effect: EFFECT_ALLOW, derivedRoles: [owner, ghost]}
    - actions: [view, "share:*"]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {any: {of: [{expr: V.own}, {none: {of: [{expr: has(request.principal.attr.banned)}]}}]}}}
      output: {when: {ruleActivated: request.resource.attr.?label}}
`,
  'policies/scoped.yaml': `${HEAD}resourcePolicy: {resource: album, version: "2", scope: acme.hr, variables: {import: [nowhere]}, rules: [{actions: [view], effect: EFFECT_DENY, roles: ["*"], condition: {match: {expr: V.somewhere}}}]}\n`,
  'policies/ann.yaml': `${HEAD}principalPolicy: {principal: ann, version: default, rules: [{resource: album, actions: [{action: "*", effect: EFFECT_ALLOW}]}]}\n`,
  'policies/guest.yaml': `${HEAD}rolePolicy: {role: guest, rules: [{resource: album, allowActions: [view, list]}]}\n`,
  'policies/old.yaml': `${HEAD}disabled: true\nprincipalPolicy: {principal: ann, version: default, rules: [{resource: album, actions: [{action: old, effect: EFFECT_ALLOW}]}]}\n`,
};
const LINE = '-'.repeat(80);
let folder = '';
test.before(() => {
  folder = folderOf({ ...FILES, 'broken/a.yaml': `${HEAD}resourcePolicy: {resource: album}\n` });
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

test('a policy is shown as a block: its id, its actions, and the attributes, constants and variables it can read', async () => {
  const { code, stdout, stderr } = await inspect('policies', 'resource.album.vdefault');
  assert.is(stderr, '');
  assert.is(code, 0);
  assert.is(
    stdout,
    `POLICY ID : resource.album.vdefault
ACTIONS   : edit,share:*,view
ATTRIBUTES: P.attr.banned,R.attr.label,R.attr.size
CONSTANTS : least,most,word
VARIABLES : gone,mine,own,small,team
${LINE}
`,
  );
});

test('without ids all policies of a folder are shown by id, including those that do not link', async () => {
  const { code, stdout } = await inspect('policies');
  assert.is(code, 0);
  assert.equal(idsIn(stdout), [
    'derived_roles.roles',
    'export_constants.limits',
    'export_variables.shared',
    'principal.ann.vdefault',
    'resource.album.v2/acme.hr',
    'resource.album.vdefault',
    'role.guest.vdefault',
  ]);
});

test('JSON says where each name is defined, what its value is, and whether a rule uses it', async () => {
  const album = (await results('json'))['resource.album.vdefault'];
  assert.equal(album?.['derivedRoles'], [
    { name: 'ghost', kind: 'KIND_UNDEFINED' },
    { name: 'owner', kind: 'KIND_IMPORTED', source: 'derived_roles.roles' },
  ]);
  assert.equal(album?.['variables'], [
    { name: 'gone', kind: 'KIND_UNDEFINED', used: true },
    {
      name: 'mine',
      kind: 'KIND_IMPORTED',
      value: 'R.attr.owner == P.id',
      source: 'export_variables.shared',
      used: false,
    },
    { name: 'own', kind: 'KIND_LOCAL', value: 'V.small && !V.gone', source: 'resource.album.vdefault', used: true },
    {
      name: 'small',
      kind: 'KIND_IMPORTED',
      value: 'R.attr.size < C.most',
      source: 'export_variables.shared',
      used: true,
    },
    {
      name: 'team',
      kind: 'KIND_IMPORTED',
      value: 'P.attr["the team"]',
      source: 'export_variables.shared',
      used: false,
    },
  ]);
  assert.equal(
    (
      (album?.['constants'] ?? []) as readonly {
        readonly name: string;
        readonly kind: string;
        readonly used: boolean;
      }[]
    ).map(({ name, kind, used }) => [name, kind, used]),
    [
      ['least', 'KIND_IMPORTED', false],
      ['most', 'KIND_IMPORTED', true],
      ['word', 'KIND_LOCAL', false],
    ],
  );
});

test('an exported definition counts as used when an importing policy uses it', async () => {
  const all = await results('json');
  assert.equal(all['export_variables.shared']?.['variables'], [
    {
      name: 'mine',
      kind: 'KIND_EXPORTED',
      value: 'R.attr.owner == P.id',
      source: 'export_variables.shared',
      used: false,
    },
    {
      name: 'small',
      kind: 'KIND_EXPORTED',
      value: 'R.attr.size < C.most',
      source: 'export_variables.shared',
      used: true,
    },
    {
      name: 'team',
      kind: 'KIND_EXPORTED',
      value: 'P.attr["the team"]',
      source: 'export_variables.shared',
      used: false,
    },
  ]);
  assert.equal(all['export_variables.shared']?.['attributes'], [
    { kind: 'KIND_PRINCIPAL_ATTRIBUTE', name: 'the team' },
    { kind: 'KIND_RESOURCE_ATTRIBUTE', name: 'owner' },
    { kind: 'KIND_RESOURCE_ATTRIBUTE', name: 'size' },
  ]);
  assert.equal(all['derived_roles.roles']?.['derivedRoles'], [
    { name: 'owner', kind: 'KIND_EXPORTED', source: 'derived_roles.roles' },
  ]);
});

test('a name that a missing import could define is unknown, not undefined', async () => {
  assert.equal((await results('json'))['resource.album.v2/acme.hr']?.['variables'], [
    { name: 'somewhere', kind: 'KIND_UNKNOWN', used: true },
  ]);
});

test('compact JSON, indented JSON and YAML have equal content, and no control character of a policy reaches the terminal', async () => {
  const [json, pretty, yaml] = await Promise.all(
    ['json', 'prettyjson', 'yaml'].map((format) => inspect('policies', '-o', format)),
  );
  assert.is(json?.stdout.trimEnd().split('\n').length, 1);
  assert.equal(JSON.parse(pretty?.stdout ?? ''), JSON.parse(json?.stdout ?? ''));
  assert.is(JSON.stringify(parse(yaml?.stdout ?? '')), JSON.stringify(JSON.parse(json?.stdout ?? '')));
  for (const shown of [json, pretty, yaml]) assert.not.match(shown?.stdout ?? '', '\u001b');
});

test('policies are selected by unanchored regular expressions on name, version and scope', async () => {
  const chosen = async (...options: readonly string[]): Promise<readonly string[]> =>
    idsIn((await inspect('policies', ...options)).stdout);
  assert.equal(await chosen('--name-regexp', '^a'), [
    'principal.ann.vdefault',
    'resource.album.v2/acme.hr',
    'resource.album.vdefault',
  ]);
  assert.equal(await chosen('--name-regexp', '^a', '--version-regexp', 'default'), [
    'principal.ann.vdefault',
    'resource.album.vdefault',
  ]);
  assert.equal(await chosen('--scope-regexp', 'hr$'), ['resource.album.v2/acme.hr']);
  assert.equal(await chosen('--scope-regexp', '^(a+)+$'), []);
});

test('disabled policies are hidden by default, and marked when they are shown', async () => {
  const { stdout } = await inspect('policies', '--include-disabled', '--name-regexp', 'ann', '-o', 'json');
  const found = JSON.parse(stdout).results;
  assert.equal(found['principal.ann.vdefault'].actions, ['*']);
  assert.equal(found['principal.ann.vdefault (old.yaml)'].actions, ['old']);
  assert.is(found['principal.ann.vdefault (old.yaml)'].disabled, true);
});

test('without headers only the values are printed', async () => {
  const { stdout } = await inspect('policies', 'role.guest.vdefault', '--no-headers');
  assert.is(stdout, 'role.guest.vdefault\nlist,view\n\n\n\n');
});

test('an unknown id ends with status 1 and suggests the nearest one, after the known ids', async () => {
  const { code, stdout, stderr } = await inspect('policies', 'role.guest.vdefault', 'role.gest.vdefault');
  assert.is(code, 1);
  assert.equal(idsIn(stdout), ['role.guest.vdefault']);
  assert.match(stderr, 'there is no policy `role.gest.vdefault`');
  assert.match(stderr, 'did you mean `role.guest.vdefault`?');
});

test('an invalid regular expression or format ends with status 2', async () => {
  const bad = await inspect('policies', '--name-regexp', '(');
  assert.is(bad.code, 2);
  assert.match(bad.stderr, '--name-regexp');
  assert.is((await inspect('policies', '-o', 'tree')).code, 2);
});

test('an invalid policy ends with status 3 and is shown; a missing folder ends with status 1', async () => {
  const broken = await inspect('broken');
  assert.is(broken.code, 3);
  assert.is(broken.stdout, '');
  assert.match(broken.stderr, 'a.yaml:');
  assert.is((await inspect('nowhere')).code, 1);
});

test('the reader may close the pipe early', () => {
  const many = folderOf(
    Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [
        `${index}.yaml`,
        FILES['policies/guest.yaml'].replace('guest', `guest${index}`),
      ]),
    ),
  );
  const { stdout, stderr } = spawnSync(
    'sh',
    ['-c', `"${process.execPath}" "${PROGRAMS.authzc}" inspect . -o yaml | head -n 1`],
    { cwd: many, encoding: 'utf8' },
  );
  rmSync(many, { recursive: true, force: true });
  assert.is(stdout, 'results:\n');
  assert.is(stderr, '');
});

test('the recorded sets of policies can be inspected, whether or not they compile', async () => {
  const recorded = join(SHARED, 'conformance', 'compile');
  if (!existsSync(recorded)) return skip(import.meta.url, 'the recorded suites are not here (../shared/conformance)');
  const sets = readdirSync(recorded).filter((name) => name.startsWith('inspect-'));
  const codes = await Promise.all(
    sets.map(async (name) => [name, (await inspect(join(recorded, name, 'policies'))).code]),
  );
  // This set has a rule without roles.
  assert.equal(
    codes.filter(([, code]) => code !== 0).map(([name, code]) => `${name} ${code}`),
    ['inspect-missing_imports 3'],
  );
});

function inspect(...options: readonly string[]): Promise<Ended> {
  return callAuthzc(['inspect', ...options], folder);
}

async function results(
  format: string,
): Promise<{ readonly [id: string]: { readonly [field: string]: unknown } | undefined }> {
  return JSON.parse((await inspect('policies', '-o', format)).stdout).results;
}

function idsIn(text: string): readonly string[] {
  return [...text.matchAll(/^POLICY ID : (.*)$/gm)].map(([, id]) => id ?? '');
}

test.run();
