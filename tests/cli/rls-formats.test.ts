import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callAuthzc } from '../support/cli/call-authzc.js';

/** What the texts of the formats say is the subject of tests/sql/rls-formats.test.ts. */
const test = suite('formats of authzc rls');

const folder = mkdtempSync(join(tmpdir(), 'authz-rls-formats-'));
test.after(() => rmSync(folder, { recursive: true }));

mkdirSync(join(folder, 'policies'));
writeFileSync(
  join(folder, 'policies/doc.yaml'),
  `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - {name: owner, actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: "R.attr.owner == P.id"}}}
`,
);
writeFileSync(
  join(folder, 'tables.yaml'),
  `tables:
  doc:
    name: public.docs
    columns: {owner: {column: owner, type: text, nulls: never}}
    rls: {select: view, to: [app]}
`,
);

const rls = (...options: readonly string[]): ReturnType<typeof callAuthzc> =>
  callAuthzc(['rls', 'policies', '--table', 'tables.yaml', ...options], folder);

/** The script that each format has. */
async function script(): Promise<string> {
  const { code, stdout, stderr } = await rls();
  assert.is(code, 0, stderr);
  assert.match(stdout, 'CREATE POLICY');
  return stdout;
}

for (const [format, file] of [
  ['prisma', 'prisma/migrations/1_rls/migration.sql'],
  ['supabase', 'supabase/migrations/1_rls.sql'],
] as const)
  test(`-o ${format} writes the script as a migration of the tool, and needs its name`, async () => {
    const nameless = await rls('-o', format);
    assert.is(nameless.code, 2);
    assert.match(nameless.stderr, `-o ${format} needs --name`);
    const written = await rls('-o', format, '--name', '1_rls');
    assert.is(written.code, 0, written.stderr);
    assert.match(readFileSync(join(folder, file), 'utf8'), await script());
    assert.is((await rls('-o', format, '--name', '../1_rls')).code, 2);
    assert.not(existsSync(join(folder, '1_rls.sql')));
  });

test('-o drizzle writes a module and what it needs, and --check compares both', async () => {
  const nowhere = await rls('-o', 'drizzle');
  assert.is(nowhere.code, 2);
  assert.match(nowhere.stderr, 'name their folder with --out');
  const written = await rls('-o', 'drizzle', '--out', 'db');
  assert.is(written.code, 0, written.stderr);
  const names = readdirSync(join(folder, 'db'));
  assert.is(names.length, 2);
  assert.is((await rls('-o', 'drizzle', '--check', 'db')).code, 0);
  for (const name of names) {
    const file = join(folder, 'db', name);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, `${text}\n`);
    const changed = await rls('-o', 'drizzle', '--check', 'db');
    assert.is(changed.code, 1, name);
    assert.match(changed.stderr, name);
    writeFileSync(file, text);
  }
});

test('-o json has the objects of the script', async () => {
  const { code, stdout, stderr } = await rls('-o', 'json');
  assert.is(code, 0, stderr);
  const text = JSON.stringify(JSON.parse(stdout));
  assert.match(text, 'public.docs');
  const [, condition = ''] = /CREATE POLICY [\s\S]*?USING \(([\s\S]*?)\);/.exec(await script()) ?? [];
  assert.is.not(condition, '');
  assert.match(text, JSON.stringify(condition.trim()).slice(1, -1));
});

test.run();
