import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  coverTests,
  diffPolicies,
  explainDecision,
  listReadSets,
  loadPolicies,
  loadTests,
  PolicyError,
  rulesWithoutSql,
  verifyPolicies,
  z3,
} from '../../packages/cli/analysis-library.js';
import { BROKEN_POLICY } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { folderOf } from '../support/cli/programs.js';
import { ROOT } from '../support/compiled.js';

/** The reports of `authzc/analysis` for the policies of this repository, beside those of the commands. */
const test = suite('analyses as a library and as commands');

const PRINCIPAL = { id: 'alice', roles: ['user'] };
const RESOURCE = { kind: 'album', id: 'a1', attr: { owner: 'bob', visibility: 'private' } };

/** The policies of this repository, and the same with a change, tests that fail and a suite that cannot run. */
const folder = folderOf({
  'principal.json': JSON.stringify(PRINCIPAL),
  'resource.json': JSON.stringify(RESOURCE),
});
for (const side of ['old', 'new']) cpSync(join(ROOT, 'policies'), join(folder, side), { recursive: true });
rewrite('new/album.yaml', 'R.attr.visibility == "public"', 'R.attr.visibility in ["public", "family"]');
rewrite('new/album_test.yaml', 'EFFECT_DENY', 'EFFECT_ALLOW');
writeFileSync(join(folder, 'new/unreadable_test.yaml'), 'name: [');
test.after(() => rmSync(folder, { recursive: true, force: true }));

test('reports are those of the commands', async () => {
  const [old, new_] = [loadPolicies(join(folder, 'old')), loadPolicies(join(folder, 'new'))];
  const differences = await diffPolicies(old, new_, { solver: z3 });
  assert.ok(differences.summary.widened > 0);
  assert.equal(differences, await printed('diff', 'old', 'new', '-o', 'json'));
  assert.equal(await verifyPolicies(old, { solver: z3 }), await printed('verify', 'old', '-o', 'json'));
  assert.equal(
    json(await explainDecision(old, { principal: PRINCIPAL, resource: RESOURCE, action: 'view' })),
    await printed(
      ...'explain old -o json --principal principal.json --resource resource.json --action view'.split(' '),
    ),
  );
  const read = await listReadSets(old, { kind: ['album'], action: ['edit', 'view'], level: 'response' });
  assert.ok(read.tables.some(({ decisions }) => decisions.some(({ paths }) => paths.length > 0)));
  const words = 'facts old -o json --kind album --action edit view --level response'.split(' ');
  assert.equal(json(read), await printed(...words));
  const { tests, coverage } = await coverTests(new_, loadTests(join(folder, 'new')));
  assert.equal(json(tests), await printed(...'test new -o json --coverage --coverage-output json'.split(' ')));
  assert.equal(coverage, JSON.parse(readFileSync(join(folder, 'coverage/coverage.json'), 'utf8')));
});

test('rules without SQL over tables of the program are those of the command', async () => {
  const tables = { album: { name: 'albums', columns: { owner: { column: 'owner_id', type: 'text' } } } } as const;
  writeFileSync(join(folder, 'tables.json'), JSON.stringify({ tables }));
  const policies = loadPolicies(join(folder, 'old'));
  const { errors, warnings } = rulesWithoutSql(policies, tables, { dialect: 'sqlite' });
  assert.equal(errors, []);
  assert.ok(warnings.some(({ text }) => text.includes('no column is mapped for request.resource.attr.visibility')));
  const options = ['--no-emit', '--no-cache', '--table', 'tables.json', '--dialect', 'sqlite', '-o', 'json'];
  const { warnings: ofCommand } = (await printed('compile', 'old', ...options)) as {
    readonly warnings: readonly object[];
  };
  assert.equal(warnings, ofCommand);
  const broken = { policies: [{ path: 'p.yaml', text: BROKEN_POLICY }] };
  assert.throws(
    () => rulesWithoutSql(broken, tables, { dialect: 'sqlite' }),
    (error: unknown) => error instanceof PolicyError,
  );
});

test.run();

function rewrite(path: string, from: string, to: string): void {
  const text = readFileSync(join(folder, path), 'utf8');
  assert.ok(text.includes(from), from);
  writeFileSync(join(folder, path), text.replace(from, to));
}

/** What a command prints as JSON. */
async function printed(...command: readonly string[]): Promise<unknown> {
  const { stdout, stderr } = await callAuthzc(command, folder);
  assert.ok(stdout.startsWith('{'), stderr);
  return JSON.parse(stdout);
}

function json(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
