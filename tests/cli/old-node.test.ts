import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PROGRAMS } from '../support/cli/programs.js';
import { ROOT } from '../support/compiled.js';
import { skip } from '../support/skip.js';

/** Every program that people start, on a version of Node that is too old. */
const test = suite('a version of Node that is too old');

const OLD_NODE = join(ROOT, '.cache/runtimes/node-18');

const { engines, scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly engines: { readonly node: string };
  readonly scripts: { readonly [name: string]: string };
};

const STARTED = {
  authzc: PROGRAMS.authzc,
  'authz-server': PROGRAMS.server,
  'npm ci': scriptOf('preinstall'),
  'npm start': scriptOf('start'),
  'npm test': scriptOf('pretest'),
};

for (const [name, program] of Object.entries(STARTED))
  test(`${name} says in one sentence which version it needs`, async () => {
    if (!existsSync(OLD_NODE)) return skip(import.meta.url, 'Node 18 is not installed (.ci/run does)');
    const { code, output } = await run(OLD_NODE, program);
    const needed = engines.node.replace('>=', '');
    assert.is(output, `authz needs Node ${needed} or newer, and this is v18.20.8.\n`);
    assert.is(code, 1);
  });

test('this version is not too old', async () => {
  assert.equal(await run(process.execPath, STARTED['npm test']), { code: 0, output: '' });
});

test.run();

/** The file that a script of package.json runs. */
function scriptOf(name: string): string {
  return join(ROOT, (scripts[name] ?? '').replace(/^node /, ''));
}

function run(node: string, program: string): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    execFile(node, [program], (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr });
    });
  });
}
