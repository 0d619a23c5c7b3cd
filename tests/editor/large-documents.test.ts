import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CodeActionRequest, LSPErrorCodes, SemanticTokensRequest } from 'vscode-languageserver-protocol/node';
import { LONGEST_CHECKED } from '../../packages/editor/find-problems.js';
import { folderDiagnostics } from '../../packages/editor/folder-diagnostics.js';
import { ROOT } from '../support/compiled.js';
import { policyOfRules } from './rules.js';
import { until } from '../support/timeout.js';
import { withServer } from './served.js';

const test = suite('an editor with large policies');

test('compiles few of the texts that someone writes, and one folder at a time', async () => {
  /** How often a file or the folder was compiled. */
  let compiled = 0;
  let running = 0;
  const options = {
    findVocabulary: () => {
      compiled += 1;
      return {};
    },
    diagnoseFolder: async (workspace: Parameters<typeof folderDiagnostics>[0]) => {
      running += 1;
      assert.is(running, 1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      const found = folderDiagnostics(workspace);
      running -= 1;
      return found;
    },
  };
  await withServer({ 'doc.yaml': policyOfRules(1) }, options, async ({ client, shown, uriOf, open, edit }) => {
    await open('doc.yaml', policyOfRules(1));
    await until(() => compiled > 0 && running === 0);
    compiled = 0;
    const textDocument = { uri: uriOf('doc.yaml') };
    const range = { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } };
    const answers: Promise<string>[] = [];
    const outcome = (answer: Promise<unknown>): Promise<string> =>
      answer.then(
        () => 'answered',
        ({ code }) => (code === LSPErrorCodes.ContentModified ? 'outdated' : 'failed'),
      );
    for (let count = 0; count < EDITS; count += 1) {
      await edit('doc.yaml', `${policyOfRules(1, count === EDITS - 1 ? 'unknown: 1' : `# ${count}`)}${COMMENTS}`);
      const context = { diagnostics: [] };
      answers.push(outcome(client.sendRequest(SemanticTokensRequest.type, { textDocument })));
      answers.push(outcome(client.sendRequest(CodeActionRequest.type, { textDocument, range, context })));
    }
    await until(() => shown.some(([, codes]) => codes.includes('policy/unknown-field')));
    const outcomes = await Promise.all(answers);
    assert.equal(outcomes.slice(-2), ['answered', 'answered']);
    assert.not(outcomes.includes('failed'));
    assert.ok(compiled <= EDITS / 4, `${compiled} compilations of ${EDITS} edits`);
  });
});

const EDITS = 40;
const COMMENTS = '# a line of a long document\n'.repeat(12_000);

test('says of a policy that is too large that it is not checked, and nothing of others that it may refute', async () => {
  const large = policyOfRules(20_000);
  assert.ok(large.length > LONGEST_CHECKED);
  const options = {
    findVocabulary: () => ({}),
    diagnoseFolder: async (workspace: Folder) => folderDiagnostics(workspace),
  };
  const scoped = policyOfRules(1).replace('version: default', 'version: default\n  scope: acme');
  const roles =
    'apiVersion: api.authz.dev/v1\nderivedRoles: { name: a, definitions: [{ name: b, parentRoles: [c] }] }\n';
  await withServer({ 'doc.yaml': large, 'scoped.yaml': scoped, 'roles.yaml': roles }, options, async (served) => {
    const { shown, open, edit } = served;
    const of = (file: string) => shown.filter(([path]) => path === file).map(([, codes]) => codes);
    await until(() => shown.length === 1);
    assert.equal(shown, [['doc.yaml', ['file/too-large']]]);
    await open('scoped.yaml', scoped);
    await open('doc.yaml', large);
    await until(() => of('doc.yaml').length > 2);
    assert.equal(
      shown.filter(([path, codes]) => path !== 'doc.yaml' || `${codes}` !== 'file/too-large'),
      [],
    );
    await edit('doc.yaml', policyOfRules(1, 'unknown: 1'));
    await until(() => of('doc.yaml').at(-1)?.[0] === 'policy/unknown-field');
  });
});

test('works in proportion to the rules', () => {
  const output = execFileSync(process.execPath, ['--import', 'tsx', 'tests/editor/measure-edits.ts'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const { small, large } = JSON.parse(output);
  assert.ok(small > 100_000);
  assert.ok(large <= 2.5 * small, `twice the rules take ${(large / small).toFixed(2)} times the work`);
});

type Folder = Parameters<typeof folderDiagnostics>[0];

test.run();
