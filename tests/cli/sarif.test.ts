import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import Ajv from 'ajv-draft-04';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MOST_RESULTS, sarifLog } from '../../packages/cli/findings/sarif.js';
import { BROKEN_POLICY, documentPolicy } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { type Ended, folderOf } from '../support/cli/programs.js';

const test = suite('SARIF');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const TYPO = `${documentPolicy('view')}      condition:
        match:
          expr: V.is_public
  variables:
    local:
      is_publik: R.attr.public == true
`;

const OWNED = `${documentPolicy('view')}      condition:
        match:
          expr: R.attr.owner == P.id || R.attr.public
`;

const SUITE = `name: documents
principals:
  ann: {id: ann, roles: [user]}
resources:
  hers: {kind: document, id: d1, attr: {owner: ann, public: false}}
tests:
  - name: owners view
    input: {principals: [ann], resources: [hers], actions: [view]}
    expected:
      - {principal: ann, resource: hers, actions: {view: EFFECT_ALLOW}}
`;

test('problems are results at their places, with rules, help and snippets', async () => {
  const { code, log } = await sarif({ 'policies/document.yaml': TYPO }, 'compile');
  assert.is(code, 3);
  const [run] = log.runs;
  const result = run?.results.find(({ ruleId }) => ruleId === 'variable/undefined');
  assert.is(result?.level, 'error');
  assert.is(result?.message.text, "Undefined variable 'is_public'\ndid you mean `is_publik`?");
  assert.equal(result?.locations, [
    {
      physicalLocation: {
        artifactLocation: { uri: 'policies/document.yaml', uriBaseId: 'SRCROOT' },
        region: { startLine: 12, startColumn: 17, endLine: 12, endColumn: 28, snippet: { text: 'V.is_public' } },
      },
    },
  ]);
  const rule = run?.tool.driver.rules[result?.ruleIndex as number];
  assert.is(rule?.id, 'variable/undefined');
  assert.match(rule?.help.markdown ?? '', 'import the set that defines it');
  assert.not.match(rule?.shortDescription.text ?? '\n', '\n');
  assert.equal(run?.tool.driver.rules.map(({ id }) => id).toSorted(), [
    ...new Set(run?.results.map(({ ruleId }) => ruleId).toSorted()),
  ]);
});

test('a misspelt name has a fix that replaces it and nothing else', async () => {
  const { log } = await sarif({ 'policies/document.yaml': TYPO }, 'compile');
  const [fix] = resultOf(log, 'variable/undefined').fixes ?? [];
  assert.equal(fix?.artifactChanges, [
    {
      artifactLocation: { uri: 'policies/document.yaml', uriBaseId: 'SRCROOT' },
      replacements: [
        {
          deletedRegion: { startLine: 12, startColumn: 19, endLine: 12, endColumn: 28 },
          insertedContent: { text: 'is_publik' },
        },
      ],
    },
  ]);
  const twice = TYPO.replace('expr: V.is_public', 'expr: V.is_public && V.is_public');
  for (const result of (await sarif({ 'policies/document.yaml': twice }, 'compile')).log.runs[0]?.results ?? [])
    for (const { artifactChanges } of result.fixes ?? []) {
      const region = artifactChanges[0]?.replacements[0]?.deletedRegion as NonNullable<PhysicalLocation['region']>;
      const line = twice.split('\n')[region.startLine - 1];
      assert.is(line?.slice(region.startColumn - 1, region.endColumn - 1), 'is_public');
    }
});

test('nothing found is a log without results', async () => {
  for (const command of ['compile', 'test']) {
    const files = { 'policies/document.yaml': OWNED, 'policies/document_test.yaml': SUITE };
    const { code, log } = await sarif(files, command);
    assert.is(code, 0);
    assert.equal(log.runs[0]?.results, []);
    assert.equal(log.runs[0]?.tool.driver.rules, []);
  }
});

test('fingerprints stay when lines move, and differ within a file', async () => {
  const broken = await sarif({ 'policies/document.yaml': BROKEN_POLICY }, 'compile');
  const moved = await sarif({ 'policies/document.yaml': `# about documents\n\n${BROKEN_POLICY}` }, 'compile');
  assert.equal(fingerprintsOf(broken.log), fingerprintsOf(moved.log));
  const rule = (name: string): string =>
    `    - {actions: [edit], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: V.${name}}}}\n`;
  const { log } = await sarif(
    { 'policies/document.yaml': `${documentPolicy('view')}${rule('x')}${rule('y')}` },
    'compile',
  );
  const all = fingerprintsOf(log);
  assert.ok(all.length >= 2);
  assert.is(new Set(all).size, all.length);
});

test('paths are relative to the repository, and are URIs', async () => {
  const files = { '.git/HEAD': '', 'apps/my app/policies/ä.yaml': BROKEN_POLICY };
  const { log } = await sarif(files, 'compile', [], 'apps/my app');
  const { artifactLocation } = resultOf(log, 'expression/invalid').locations[0]?.physicalLocation ?? {};
  assert.is(artifactLocation?.uri, 'apps/my%20app/policies/%C3%A4.yaml');
});

test('a problem of the whole set is one of the folder of policies', async () => {
  const scoped = documentPolicy('view').replace('version: default', 'version: default\n  scope: a.b');
  const { log } = await sarif({ 'policies/document.yaml': scoped }, 'compile');
  const { artifactLocation } = resultOf(log, 'scope/missing').locations[0]?.physicalLocation ?? {};
  assert.is(artifactLocation?.uri, 'policies/');
});

test('failed tests are results of compile and test, at the name of the test, with the rule that decided', async () => {
  const files = {
    'policies/document.yaml': OWNED,
    'checks/document_test.yaml': SUITE.replace('EFFECT_ALLOW', 'EFFECT_DENY'),
  };
  for (const command of ['compile', 'test']) {
    const { code, log } = await sarif(files, command, ['--tests', 'checks']);
    assert.is(code, 4);
    const result = resultOf(log, 'test/failed');
    assert.match(result.message.text, /^owners view: ann view hers: expected EFFECT_DENY, got EFFECT_ALLOW\n/);
    const { artifactLocation, region } = result.locations[0]?.physicalLocation ?? {};
    assert.is(artifactLocation?.uri, 'checks/document_test.yaml');
    assert.equal([region?.startLine, region?.snippet?.text], [7, 'owners view']);
    const [related] = result.relatedLocations ?? [];
    assert.is(related?.message.text, 'resource.document.vdefault#users applies');
    assert.is(related?.physicalLocation.region?.startLine, 6);
  }
});

test('suites that cannot be run, uncovered clauses and surviving mutants are results of test', async () => {
  const files = { 'policies/document.yaml': OWNED, 'policies/document_test.yaml': SUITE };
  const { code, log, stderr } = await sarif(files, 'test', ['--coverage', '--mutate']);
  assert.is(code, 0);
  assert.match(stderr, 'mutants: ');
  const uncovered = resultsOf(log, 'test/not-covered').map(({ message }) => message.text);
  assert.ok(uncovered.includes('users: R.attr.public: only false'), uncovered.join('\n'));
  assert.match(resultOf(log, 'test/surviving-mutant').message.text, /^no test catches the change from `.*` to `.*`\n/);

  const wrong = { ...files, 'policies/document_test.yaml': SUITE.replace('view: EFFECT_ALLOW', 'view: PERHAPS') };
  const invalid = await sarif(wrong, 'test');
  assert.is(invalid.code, 4);
  const { region } = resultOf(invalid.log, 'test/error').locations[0]?.physicalLocation ?? {};
  assert.is(region?.startLine, 10);
});

test('statements that are not proved are results of verify, with the request that refutes them', async () => {
  const invariants = `apiVersion: api.authz.dev/v1
invariants:
  name: documents
  statements:
    - name: nobody views
      never: {resource: document, actions: [view]}
    - name: guests do nothing
      never: {resource: document, principal: {roles: [guest], notRoles: [user]}}
`;
  const files = { 'policies/document.yaml': documentPolicy('view'), 'policies/invariants.yaml': invariants };
  const { code, log } = await sarif(files, 'verify', ['--no-solver']);
  assert.is(code, 1);
  const refuted = resultsOf(log, 'invariant/refuted');
  assert.is(refuted.length, 1);
  const { message, locations } = refuted[0] as Result;
  assert.match(message.text, /^nobody views: .* may view document [^\n]*\nprincipal \{/);
  assert.is(locations[0]?.physicalLocation.artifactLocation.uri, 'policies/invariants.yaml');
  assert.is(locations[0]?.physicalLocation.region?.startLine, 5);
  const wrong = { ...files, 'policies/invariants.yaml': invariants.replace('[view]', '[veiw]') };
  assert.is((await sarif(wrong, 'verify')).code, 3);
});

test('one document fits on standard output', async () => {
  const files = { 'policies/document.yaml': OWNED, 'policies/document_test.yaml': SUITE };
  for (const command of ['compile', 'test']) {
    const ended = await authzc(newFolder(files), [command, '-o', 'sarif', '--test-output', 'junit']);
    assert.equal([ended.code, ended.stdout], [2, '']);
    assert.match(ended.stderr, /^authzc: `--output sarif` includes [^\n]*\n$/);
  }
});

test('hostile text stays text, and a log has a limit', () => {
  const line = 'x: "\u202e\u001b[31m"';
  const region = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 2, line };
  const finding = {
    rule: 'a',
    level: 'note' as const,
    message: 'bell \u0007\nreversed \u202e',
    location: { path: 'a.yaml', region },
  };
  const rules = [{ id: 'a', level: 'note' as const, help: '`A` thing. More.' }];
  const log = JSON.parse(sarifLog([finding], rules)) as Log;
  assert.is(log.runs[0]?.results[0]?.message.text, 'bell \\x07\nreversed \\u{202e}');
  assert.is(log.runs[0]?.tool.driver.rules[0]?.shortDescription.text, 'A thing.');
  assert.equal(problemsOf(log), []);
  const many = Array.from({ length: MOST_RESULTS + 1 }, () => finding);
  assert.is((JSON.parse(sarifLog(many, rules)) as Log).runs[0]?.results.length, MOST_RESULTS);
});

test.run();

interface PhysicalLocation {
  readonly artifactLocation: { readonly uri: string };
  readonly region?: {
    readonly startLine: number;
    readonly startColumn: number;
    readonly endColumn: number;
    readonly snippet?: { readonly text: string };
  };
}

interface Result {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: string;
  readonly message: { readonly text: string };
  readonly locations: readonly { readonly physicalLocation: PhysicalLocation }[];
  readonly partialFingerprints: { readonly [name: string]: string };
  readonly relatedLocations?: readonly {
    readonly message: { readonly text: string };
    readonly physicalLocation: PhysicalLocation;
  }[];
  readonly fixes?: readonly {
    readonly artifactChanges: readonly {
      readonly replacements: readonly { readonly deletedRegion: NonNullable<PhysicalLocation['region']> }[];
    }[];
  }[];
}

interface Log {
  readonly runs: readonly {
    readonly tool: {
      readonly driver: {
        readonly rules: readonly {
          readonly id: string;
          readonly help: { readonly markdown: string };
          readonly shortDescription: { readonly text: string };
        }[];
      };
    };
    readonly results: readonly Result[];
  }[];
}

/** Runs a command with `-o sarif`; what it prints satisfies the schema of SARIF 2.1.0. */
async function sarif(
  files: { readonly [path: string]: string },
  command: string,
  flags: readonly string[] = [],
  below = '',
): Promise<{ readonly code: number | null; readonly log: Log; readonly stderr: string }> {
  const { code, stdout, stderr } = await authzc(join(newFolder(files), below), [command, '-o', 'sarif', ...flags]);
  const log = JSON.parse(stdout) as Log;
  assert.equal(problemsOf(log), []);
  return { code, log, stderr };
}

const SCHEMA = join(
  createRequire(import.meta.url).resolve('@microsoft/jest-sarif/package.json'),
  '../lib/schemas/sarif-2.1.0-rtm.5.json',
);
const validate = new Ajv.default({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(
  JSON.parse(readFileSync(SCHEMA, 'utf8')) as object,
);

function problemsOf(log: Log): readonly string[] {
  validate(log);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function resultsOf({ runs }: Log, rule: string): readonly Result[] {
  return runs.flatMap(({ results }) => results).filter(({ ruleId }) => ruleId === rule);
}

function resultOf(log: Log, rule: string): Result {
  const [result] = resultsOf(log, rule);
  assert.ok(result, `${rule} is missing`);
  return result as Result;
}

function fingerprintsOf({ runs }: Log): readonly (string | undefined)[] {
  return runs.flatMap(({ results }) => results).map((result) => result.partialFingerprints['authzc/v1']);
}

function newFolder(files: { readonly [path: string]: string }): string {
  const folder = folderOf(files);
  folders.push(folder);
  return folder;
}

function authzc(folder: string, options: readonly string[]): Promise<Ended> {
  return callAuthzc(options, folder);
}
