import { cpSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/compiled.js';
import { PROGRAMS, run } from '../support/cli/programs.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { applicationOf, policyOf } from './support.js';

const test = suite('authzc usages');

const CODE = `import { createEngine } from 'authz/runtime';
declare const bundle: Parameters<typeof createEngine>[0];
export const isAllowed = createEngine(bundle).isAllowed({ principal: { id: 'ann', roles: ['user'] }, resource: { kind: 'a', id: '1' }, action: 'veiw' });
`;
const application = applicationOf({ 'src/app.ts': CODE, 'policies/a.yaml': policyOf('a', ['view']) });
test.after(() => application.remove());

test('problems have the severity, the place and the exit code that the options say', async () => {
  const listed = await callAuthzc(['usages', '-o', 'list'], application.folder);
  assert.equal(listed, {
    code: 1,
    stdout: `src/app.ts:3:144: error[usage/unknown-action]: no rule for kind \`a\` names action \`veiw\`: did you mean \`view\`?
policies/a.yaml:6:17: warning[usage/unused-action]: the application never asks for action \`view\` on kind \`a\`
1 action of 1 kind asked
`,
    stderr: '',
  });
  const logged = await callAuthzc(['usages', '-o', 'sarif', '--fail-on', 'none'], application.folder);
  assert.is(logged.code, 0);
  const { results, tool } = JSON.parse(logged.stdout).runs[0];
  assert.equal(
    results.map(({ ruleId, level }: { ruleId: string; level: string }) => [ruleId, level]),
    [
      ['usage/unknown-action', 'error'],
      ['usage/unused-action', 'warning'],
    ],
  );
  assert.equal(results[0].locations[0].physicalLocation.artifactLocation, { uri: 'src/app.ts', uriBaseId: 'SRCROOT' });
  assert.match(tool.driver.rules[0].help.text, 'vocabulary');
  const { asks } = JSON.parse((await callAuthzc(['usages', '-o', 'json'], application.folder)).stdout);
  assert.equal(asks, [
    {
      kind: 'a',
      action: 'veiw',
      file: 'src/app.ts',
      line: 3,
      column: 144,
      call: { file: 'src/app.ts', line: 3, column: 26 },
    },
  ]);
});

test('a missing package, folder or application is named with what to do', async () => {
  const at = (words: readonly string[]) => callAuthzc(['usages', ...words], application.folder);
  const none = await at(['nowhere']);
  assert.equal([none.code, none.stderr], [1, 'authzc: nowhere: no such folder\n']);
  const empty = await at(['policies']);
  assert.equal(
    [empty.code, empty.stderr],
    [1, 'authzc: policies has no TypeScript: name the folder of an application\n'],
  );
  // Where neither the project nor authzc has the package.
  const alone = join(application.folder, 'alone');
  cpSync(join(PROGRAMS.authzc, '..'), alone, { recursive: true });
  for (const name of ['esbuild', 're2js', 'yaml'])
    symlinkSync(join(ROOT, 'node_modules', name), join(application.folder, 'node_modules', name));
  for (const name of ['ts-morph', 'authz']) rmSync(join(application.folder, 'node_modules', name));
  const missing = await run(join(alone, 'authzc.js'), ['usages'], application.folder);
  assert.is(missing.code, 1, missing.stderr);
  assert.match(
    missing.stderr,
    'authzc: ts-morph is not installed, and reading TypeScript needs it: npm install --save-dev ts-morph\n',
  );
});

test.run();
