import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documentPolicy } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { type Ended, folderOf, PROGRAMS } from '../support/cli/programs.js';

/**
 * `authzc matrix | head -1` closes the pipe early, and `head -c 0` before anything is written. Every command ends as it
 * would with a reader: quietly, with the same exit code. On a full disk it fails and says so.
 */
const test = suite('readers that close the pipe');

const REQUEST = {
  'principal.yaml': 'id: alice\nroles: [user]\n',
  'resource.yaml': 'kind: document\nid: d1\n',
};
const folder = folderOf({
  'policies/document.yaml': documentPolicy('view'),
  'policies/untidy.yaml': documentPolicy('view')
    .replace('resource: document', 'resource:   other')
    .replace('"true"', '"1 =="'),
  ...REQUEST,
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

const COMMANDS: readonly (readonly string[])[] = [
  ['--help'],
  ['--version'],
  ['no-such-command'],
  ['compile', '-o', 'json', '--no-emit'],
  ['lint', '-o', 'json'],
  ['ci', '-o', 'sarif'],
  ['fmt', '--check'],
  ['matrix'],
  ['docs'],
  ['inspect'],
  ['diff', 'policies', 'policies', '-o', 'json'],
  ['verify'],
  ['check', 'policies', '--principal', 'principal.yaml', '--resource', 'resource.yaml', '--action', 'view'],
  ['explain', 'policies', '--principal', 'principal.yaml', '--resource', 'resource.yaml', '--action', 'view'],
  ['plan', 'policies', '--principal', 'principal.yaml', '--kind', 'document', '--action', 'view'],
  ['config', 'print'],
  ['completion', 'bash'],
];

for (const args of COMMANDS) {
  let read: Promise<Ended> | undefined;
  for (const stream of ['stdout', 'stderr'] as const)
    test(`${args.join(' ')}: ${stream}`, async () => {
      read ??= callAuthzc(args, folder);
      const child = spawn(process.execPath, [PROGRAMS.authzc, ...args], {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child[stream].destroy();
      const other = stream === 'stdout' ? child.stderr : child.stdout;
      const [written, [code, signal]] = await Promise.all([text(other), once(child, 'close')]);
      assert.equal([code, signal], [(await read).code, null]);
      assert.not.match(written, /EPIPE|Unhandled|node:internal/);
    });
}

const FULL = '/dev/full';
const QUIET = ['compile', 'lint', 'fmt', 'no-such-command', 'verify'];

if (existsSync(FULL))
  for (const args of COMMANDS.filter(([name = '']) => !QUIET.includes(name)))
    test(`${args.join(' ')}: a full disk`, async () => {
      const stdout = openSync(FULL, 'w');
      const child = spawn(process.execPath, [PROGRAMS.authzc, ...args], {
        cwd: folder,
        stdio: ['ignore', stdout, 'pipe'],
      });
      const [written, [code, signal]] = await Promise.all([text(child.stderr as Readable), once(child, 'close')]);
      closeSync(stdout);
      assert.is(written.split('\n').at(-2), 'authzc: cannot write to standard output: no space left on the device');
      assert.not.match(written, /ENOSPC|node:internal/);
      assert.equal([code, signal], [1, null]);
    });

test.run();
