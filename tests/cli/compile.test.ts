import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BROKEN_POLICY, documentPolicy } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { type Ended, filesIn, folderOf, PROGRAMS } from '../support/cli/programs.js';
import { NO_TERMINAL, onTerminal } from '../support/cli/terminal.js';
import { skip } from '../support/skip.js';

const test = suite('authzc compile');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const GOOD = { 'policies/document.yaml': documentPolicy('view') };
const BAD = { 'policies/document.yaml': BROKEN_POLICY };

test('without arguments it compiles policies/ to generated/ and dist/policies.js, prints nothing and succeeds', async () => {
  const folder = newFolder(GOOD);
  assert.equal(await authzc(folder, 'compile'), { code: 0, stdout: '', stderr: '' });
  const files = filesIn(folder);
  for (const path of [
    'generated/index.ts',
    'generated/resource/document.ts',
    'generated/manifest.json',
    'dist/policies.js',
    'dist/policies.js.map',
  ]) {
    assert.ok(files.includes(path), path);
  }
  const { policies } = (await import(pathToFileURL(join(folder, 'dist/policies.js')).href)) as {
    policies: { resourcePolicies: readonly unknown[] };
  };
  assert.is(policies.resourcePolicies.length, 1);
});

test('flags set the folders of policies and modules, and the bundle file', async () => {
  const folder = newFolder({ 'rules/document.yaml': documentPolicy('view') });
  const options = ['compile', 'rules/', '--out', 'src/made/', '--bundle=out/p.js'];
  assert.is((await authzc(folder, ...options)).code, 0);
  assert.is((await authzc(folder, ...options)).code, 0);
  assert.is((await authzc(folder, ...options, '--check')).code, 0);
  const made = filesIn(folder).filter((path) => !path.startsWith('src/made/'));
  assert.equal(made, ['out/p.d.ts', 'out/p.js', 'out/p.js.map', 'rules/document.yaml']);
  assert.ok(filesIn(folder).includes('src/made/index.ts'));
});

test('compiling again changes nothing, and deletes modules without a policy', async () => {
  const folder = newFolder({ ...GOOD, 'policies/other.yaml': documentPolicy('view').replace('document', 'other') });
  await authzc(folder, 'compile');
  const index = join(folder, 'generated/resource/document.ts');
  const { mtimeMs } = statSync(index);
  rmSync(join(folder, 'policies/other.yaml'));
  assert.is((await authzc(folder, 'compile')).code, 0);
  assert.is(statSync(index).mtimeMs, mtimeMs);
  assert.not(filesIn(folder).includes('generated/resource/other.ts'));
});

test('a folder with other code is never emptied: status 1, and the error names a file of it', async () => {
  const folder = newFolder({ ...GOOD, 'src/app.ts': 'export {};\n' });
  for (const out of ['src', '.']) {
    const { code, stderr } = await authzc(folder, 'compile', '--out', out);
    assert.is(code, 1);
    assert.match(stderr, /`(?:src\/)?app\.ts`/);
    assert.equal(filesIn(folder), ['policies/document.yaml', 'src/app.ts']);
  }
});

test('a folder without policies that decide ends with status 1, says so and writes nothing, unless --allow-empty', async () => {
  const disabled = documentPolicy('view').replace('resourcePolicy', 'disabled: true\nresourcePolicy');
  for (const files of [
    { 'policies/.keep': '' },
    { 'policies/x_test.yaml': 'name: x' },
    { 'policies/notes.txt': 'x' },
    { 'policies/a.yaml': '# nothing yet\n' },
    { 'policies/a.yaml': disabled },
  ]) {
    const folder = newFolder(files);
    const { code, stdout, stderr } = await authzc(folder, 'compile', '--skip-tests');
    assert.equal([code, stdout], [1, '']);
    assert.match(
      stderr,
      /^authzc: `policies` holds no (?:enabled )?policies, so every request would be denied; [^\n]*--allow-empty\n$/,
    );
    assert.equal(filesIn(folder), Object.keys(files));
    assert.equal(await authzc(folder, 'compile', '--skip-tests', '--allow-empty'), { code: 0, stdout: '', stderr: '' });
    assert.ok(filesIn(folder).includes('dist/policies.js'));
  }
});

test('--no-emit fails for a folder without files, but not for policies that only other policies import', async () => {
  assert.is((await authzc(newFolder({ 'policies/.keep': '' }), 'compile', '--no-emit')).code, 1);
  assert.is((await authzc(newFolder({ 'policies/.keep': '' }), 'compile', '--check')).code, 1);
  const shared = 'apiVersion: api.authz.dev/v1\nexportVariables: {name: e}\n';
  assert.is((await authzc(newFolder({ 'policies/e.yaml': shared }), 'compile', '--no-emit')).code, 0);
});

test('on a terminal, success prints one line to stderr: policies, rules, tests, files and time', async () => {
  if (NO_TERMINAL !== undefined) return skip(import.meta.url, NO_TERMINAL);
  const folder = newFolder(GOOD);
  const shown = async (options: string): Promise<string> => {
    const { stdout } = onTerminal(`"${process.execPath}" "${PROGRAMS.authzc}" ${options}`, folder);
    // A slow machine also sees the steps, and that they are erased.
    return (await text(stdout)).replaceAll(/\r\u001b\[K(?:[^\r\n]* \.\.\.)?/g, '');
  };
  assert.match(
    await shown('compile'),
    /^1 policy, 1 rule, \d+ files written to generated and dist\/policies\.js in \d+\.\d s\r?\n$/,
  );
  assert.match(await shown('compile --check'), /^1 policy, 1 rule, generated is up to date in /);
  assert.match(await shown('compile --no-emit'), /^1 policy, 1 rule, nothing written in /);
});

test('policies that do not compile end with status 3, and nothing is written', async () => {
  const folder = newFolder(BAD);
  const { code, stdout } = await authzc(folder, 'compile');
  assert.is(code, 3);
  assert.match(stdout, 'document.yaml');
  assert.equal(filesIn(folder), ['policies/document.yaml']);
});

test('--no-bundle writes the generated modules only, and leaves a bundle that is there', async () => {
  const folder = newFolder(GOOD);
  assert.equal(await authzc(folder, 'compile', '--no-bundle'), { code: 0, stdout: '', stderr: '' });
  const modules = filesIn(folder).filter((path) => path.startsWith('generated/'));
  assert.ok(modules.includes('generated/resource/document.ts'));
  assert.not(filesIn(folder).some((path) => path.startsWith('dist/')));
  assert.is((await authzc(folder, 'compile')).code, 0);
  const bundled = filesIn(folder);
  assert.ok(bundled.includes('dist/policies.js'));
  assert.equal(
    bundled.filter((path) => path.startsWith('generated/')),
    modules,
  );
  assert.is((await authzc(folder, 'compile', '--no-bundle')).code, 0);
  assert.equal(filesIn(folder), bundled);
});

test('--no-emit writes nothing, whether the policies compile or not', async () => {
  const good = newFolder(GOOD);
  assert.equal(await authzc(good, 'compile', '--no-emit'), { code: 0, stdout: '', stderr: '' });
  assert.equal(filesIn(good), ['policies/document.yaml']);
  const bad = newFolder(BAD);
  assert.is((await authzc(bad, 'compile', '--no-emit')).code, 3);
  assert.equal(filesIn(bad), ['policies/document.yaml']);
});

test('-o json prints one document with each diagnostic, its file and its location', async () => {
  const { code, stdout } = await authzc(newFolder(BAD), 'compile', '--no-emit', '-o', 'json');
  assert.is(code, 3);
  const { errors, warnings } = JSON.parse(stdout) as {
    errors: readonly { [fact: string]: unknown }[];
    warnings: readonly unknown[];
  };
  const [{ stage, kind, file, position, message } = {}] = errors;
  assert.equal(
    { stage, kind, file, position },
    {
      stage: 'compile',
      kind: 'invalid expression',
      file: 'document.yaml',
      position: { line: 12, column: 11, path: '$.resourcePolicy.rules[0].condition.match.expr' },
    },
  );
  assert.match(String(message), /^Invalid expression `R\.attr\.owner ==`: \[/);
  assert.equal(warnings, []);
});

test('-o json prints nothing when there is no diagnostic', async () => {
  assert.equal(await authzc(newFolder(GOOD), 'compile', '--no-emit', '--output=json'), {
    code: 0,
    stdout: '',
    stderr: '',
  });
});

test('-o list prints one line per diagnostic; -o pretty, the default, also shows the source', async () => {
  const folder = newFolder(BAD);
  const list = await authzc(folder, 'compile', '--no-emit', '-o', 'list');
  assert.match(list.stdout, /^policies\/document\.yaml:12:\d+: [^\n]+\n$/);
  assert.is(list.code, 3);
  const pretty = await authzc(folder, 'compile', '--no-emit');
  assert.match(pretty.stdout, 'expr: R.attr.owner ==');
  assert.equal(await authzc(folder, 'compile', '--no-emit', '-o', 'pretty'), pretty);
  assert.not.match(pretty.stdout, '\u001b');
});

test('human output has the path from the working directory and the location, and no message lists tokens', async () => {
  const mistakes: readonly (readonly [expression: string, column: number, says: string])[] = [
    ['R.attr.owner ==', 32, 'the expression ends too early'],
    ['R.attr.x & 1', 26, 'unexpected `&`'],
    ['1 +* 2', 20, 'unexpected `*`'],
    ['1 == 2 3', 24, 'unexpected `3`'],
    ['(R.attr.x', 26, 'missing `)` at the end'],
    ["R.attr.x == 'a", 29, 'a string is not closed'],
    ['R.attr.x == "a" && R.kin == "b"', 38, "undefined field 'kin'"],
  ];
  for (const [expression, column, says] of mistakes) {
    const folder = newFolder({
      'project/policies/document.yaml': BROKEN_POLICY.replace('R.attr.owner ==', expression),
      'other/.keep': '',
    });
    for (const [from, directory, shown] of [
      ['project', 'policies', 'policies/document.yaml'],
      ['other', '../project/policies/', '../project/policies/document.yaml'],
      ['project/policies', '.', 'document.yaml'],
    ] as const) {
      const { stdout } = await authzc(
        join(folder, from),
        'compile',
        directory,
        '--no-emit',
        '-o',
        from === 'project' ? 'pretty' : 'list',
      );
      const [line = ''] = stdout.split('\n');
      assert.ok(
        line.startsWith(`${shown}:12:${column}: error[expression/invalid]: `),
        `${line} is not at ${shown}:12:${column}`,
      );
      assert.match(line, says);
      assert.not.match(stdout, /expecting|<EOF>|NUM_|IDENTIFIER/);
      if (from === 'project') assert.match(stdout, new RegExp(`\\n {5}\\| {${column}}\\^`));
    }
    const { file, message } = (
      JSON.parse((await authzc(join(folder, 'project'), 'compile', '--no-emit', '-o', 'json')).stdout) as {
        errors: [{ file: string; message: string }];
      }
    ).errors[0];
    assert.is(file, 'document.yaml');
    assert.match(message, /^Invalid expression `/);
  }
});

test('--check succeeds when the generated modules are up to date', async () => {
  const folder = newFolder(GOOD);
  await authzc(folder, 'compile');
  rmSync(join(folder, 'dist'), { recursive: true });
  assert.equal(await authzc(folder, 'compile', '--check'), { code: 0, stdout: '', stderr: '' });
  assert.not(filesIn(folder).some((path) => path.startsWith('dist/')));
});

test('--check fails with status 1, names missing, changed and stale files and the command that fixes them, and writes nothing', async () => {
  const folder = newFolder({ ...GOOD, 'policies/gone.yaml': documentPolicy('view').replace('document', 'gone') });
  await authzc(folder, 'compile', '--out', 'made');
  rmSync(join(folder, 'policies/gone.yaml'));
  const changed = join(folder, 'made/resource/document.ts');
  writeFileSync(changed, `${readFileSync(changed, 'utf8')}// by hand\n`);
  rmSync(join(folder, 'made/hash.ts'));
  writeFileSync(join(folder, 'made/resource/mine.ts'), '// written by hand\n');
  const before = filesIn(folder);

  const { code, stdout, stderr } = await authzc(folder, 'compile', '--check', '--out', 'made');
  assert.is(code, 1);
  assert.is(stdout, '');
  assert.match(stderr, /missing +made\/hash\.ts/);
  assert.match(stderr, /differs +made\/resource\/document\.ts/);
  assert.match(stderr, /stale +made\/resource\/gone\.ts/);
  assert.not.match(stderr, 'mine.ts');
  assert.match(stderr, 'authzc compile policies --out made');
  assert.equal(filesIn(folder), before);

  // The command in the message fixes it.
  const [, options = ''] = /run: npx authzc (.*)/.exec(stderr) ?? [];
  assert.is((await authzc(folder, ...options.split(' '))).code, 0);
  assert.is((await authzc(folder, 'compile', '--check', '--out', 'made')).code, 0);
});

test('--check ends with status 1 for a folder that was never generated, and with status 3 for policies that do not compile', async () => {
  assert.is((await authzc(newFolder(GOOD), 'compile', '--check')).code, 1);
  assert.is((await authzc(newFolder(BAD), 'compile', '--check')).code, 3);
});

test('--check with --no-emit is a usage error, because one of them would have no effect', async () => {
  assert.is((await authzc(newFolder(GOOD), 'compile', '--check', '--no-emit')).code, 2);
});

test('a folder that is missing, a file or unreadable ends with status 1 and one line that names it', async () => {
  const folder = newFolder(GOOD);
  const missing = await authzc(folder, 'compile', 'nowhere');
  assert.equal([missing.code, missing.stdout, missing.stderr.split('\n').length], [1, '', 2]);
  assert.match(missing.stderr, 'nowhere');
  assert.is((await authzc(folder, 'compile', 'policies/document.yaml')).code, 1);
});

test('an unreadable file ends with status 1 and its name', async () => {
  // root can read every file.
  if (process.getuid?.() === 0)
    return skip(import.meta.url, 'root can read everything, so an unreadable file is not tested');
  const folder = newFolder(GOOD);
  chmodSync(join(folder, 'policies/document.yaml'), 0);
  const { code, stderr } = await authzc(folder, 'compile');
  assert.is(code, 1);
  assert.match(stderr, 'document.yaml');
});

test('an output path that is not writable ends with status 1', async () => {
  const folder = newFolder({ ...GOOD, generated: 'a file where a folder should be' });
  const { code, stderr } = await authzc(folder, 'compile');
  assert.is(code, 1);
  assert.match(stderr, /^authzc: [^\n]+\n$/);
});

test('invalid arguments end with status 2 and an explanation on stderr', async () => {
  const folder = newFolder(GOOD);
  const attempts = [
    ['compile', '--nope'],
    ['compile', '-o', 'tree'],
    ['compile', 'a', 'b'],
    ['nope'],
    [],
    ['compile', '--out'],
  ];
  for (const options of attempts) {
    const { code, stdout, stderr } = await authzc(folder, ...options);
    assert.is(code, 2, options.join(' '));
    assert.is(stdout, '', options.join(' '));
    assert.is.not(stderr, '', options.join(' '));
  }
  assert.equal(filesIn(folder), ['policies/document.yaml']);
});

test('--help and --version succeed and print to stdout', async () => {
  const folder = newFolder({});
  const help = await authzc(folder, '--help');
  assert.is(help.code, 0);
  assert.match(help.stdout, /compile[\s\S]*serve/);
  const version = await authzc(folder, '--version');
  assert.is(version.code, 0);
  assert.match(version.stdout, /^\d+\.\d+\.\d+/);
});

test.run();

function newFolder(files: { readonly [path: string]: string }): string {
  const folder = folderOf(files);
  folders.push(folder);
  return folder;
}

function authzc(folder: string, ...options: readonly string[]): Promise<Ended> {
  return callAuthzc(options, folder);
}
