import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Compute, sessionValue } from '../../packages/rls/session-value.js';
import { callAuthzc } from '../support/cli/call-authzc.js';

const test = suite('computed values of a bundle');

const folder = mkdtempSync(join(process.cwd(), 'node_modules/.cache-rls-computed-'));
test.after(() => rmSync(folder, { recursive: true }));

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  schemas:
    principalSchema: {ref: "authz:///user.json", ignoreWhen: {actions: [edit]}}
  variables: {local: {domain: 'P.attr.email.split("@")[1]'}}
  rules:
    - {actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: "V.domain == R.attr.owner || P.attr.n * P.attr.n > R.attr.n"}}}
    - {actions: [edit], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: "R.attr.owner == P.id"}}}
    - {actions: [share], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: "size(P.attr.email.split('@')) * 2147483648 * 2147483648 > R.attr.n"}}}
`;

const TABLES = `tables:
  doc:
    name: public.docs
    columns:
      owner: {column: owner, type: text, nulls: never}
      n: {column: n, type: number, nulls: never}
    rls: {select: view, update: edit, to: [app]}
rls: {schemas: enforce}
`;

const SCHEMA = '{"type": "object", "required": ["email"], "properties": {"email": {"type": "string"}}}';

write('policies/doc.yaml', POLICY);
write('policies/_schemas/user.json', SCHEMA);
write('tables.yaml', TABLES);

test('the bundle of `authzc compile --table` computes what the script of `authzc rls` reads', async () => {
  const compile = [
    'compile',
    'policies',
    '--table',
    'tables.yaml',
    '--out',
    'generated',
    '--bundle',
    'dist/policies.mjs',
  ];
  const written = await callAuthzc(compile, folder);
  assert.is(written.code, 0, written.stderr);
  const upToDate = await callAuthzc([...compile, '--check'], folder);
  assert.is(upToDate.code, 0, upToDate.stderr);
  const script = await callAuthzc(['rls', 'policies', '--table', 'tables.yaml'], folder);
  assert.is(script.code, 0, script.stderr);
  const { computed } = (await import(pathToFileURL(join(folder, 'dist/policies.mjs')).href)) as { computed: Compute };

  const values = computed({ id: 'ann', roles: ['user'], attr: { email: 'ann@acme', n: 2 } });
  const read = new Set([...script.stdout.matchAll(/'((?:boolean|text|json)_[0-9a-f]{12})'/g)].map(([, id]) => id));
  assert.equal(Object.keys(values).sort(), [...read].sort());
  assert.is(read.size, 3);
  const content = (found: ReturnType<Compute>): readonly string[] =>
    Object.values(found)
      .map((value) => JSON.stringify(value))
      .sort();
  assert.equal(content(values), ['["acme"]', '[4]', '[true]']);
  assert.equal(content(computed({ id: 'ann', roles: ['user'], attr: { email: 5 } })), ['[]', '[]', '[false]']);
  assert.match(
    sessionValue({ id: 'ann', roles: ['user'], attr: { email: 'a@b' } }, undefined, computed),
    /"computed":\{.*\["b"\]/,
  );
  for (const attr of [{ email: 'a@b\0' }, { email: 'a@\ud800' }, { email: 'a@b', n: 1e300 }])
    assert.throws(() => computed({ id: 'ann', roles: ['user'], attr }), /^TypeError|computed\./);

  // Without tables there is no such module.
  const plain = await callAuthzc(
    compile.filter((word) => !word.startsWith('--table') && word !== 'tables.yaml'),
    folder,
  );
  assert.is(plain.code, 0, plain.stderr);
  assert.not.ok(existsSync(join(folder, 'generated/computed.ts')));
  assert.not.match(readFileSync(join(folder, 'generated/index.ts'), 'utf8'), 'computed');
  const stale = await callAuthzc([...compile, '--check'], folder);
  assert.is(stale.code, 1);
  assert.match(stale.stderr, 'computed.ts');
});

test('a session that is a token has no computed values', async () => {
  write('supabase.yaml', TABLES.replace('schemas: enforce', 'principal: supabase'));
  const { code, stderr } = await callAuthzc(['rls', 'policies', '--table', 'supabase.yaml'], folder);
  assert.is(code, 1);
  assert.match(stderr, /rls\/not-in-sql/);
  assert.match(stderr, /a token of supabase does not have it/);
});

test('an integer that JSON does not keep is refused with the session', async () => {
  write('share.yaml', TABLES.replace('select: view', 'select: share').replace('rls: {schemas: enforce}', ''));
  const compile = ['compile', 'policies', '--table', 'share.yaml', '--out', 'shared', '--bundle', 'dist/share.mjs'];
  assert.is((await callAuthzc(compile, folder)).code, 0);
  const { computed } = (await import(pathToFileURL(join(folder, 'dist/share.mjs')).href)) as { computed: Compute };
  assert.throws(() => computed({ id: 'ann', roles: ['user'], attr: { email: 'a' } }), /more than 53 bits/);
});

test.run();

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
