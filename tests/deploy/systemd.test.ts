import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/compiled.js';
import { skip } from '../support/skip.js';
import { LAST_RESORT } from '../support/timeout.js';

const test = suite('the systemd unit');

const file = join(ROOT, 'deploy/systemd/authz.service');
const ANALYZE = '/usr/bin/systemd-analyze';
const lines = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const settings = new Map(
  lines
    .flatMap((line) => [/^(\w+)=(.*)$/.exec(line)])
    .flatMap((match) => (match === null ? [] : [[match[1] as string, match[2] as string] as const])),
);

test('the unit has its three sections, with only settings in them', () => {
  assert.equal(
    lines.filter((line) => line.startsWith('[')),
    ['[Unit]', '[Service]', '[Install]'],
  );
  assert.ok(lines.every((line) => /^\[\w+\]$|^[A-Z]\w*=/.test(line)));
});

test('the unit runs a program that the build creates, with valid options', () => {
  const command = settings.get('ExecStart') ?? '';
  assert.match(command, '/dist/server.js ');
  const program = readFileSync(join(ROOT, 'packages/cli/server-program.ts'), 'utf8');
  for (const [option] of command.matchAll(/--[\w-]+/g)) assert.match(program, `'${option} <`);
});

test('the stop timeout is longer than the server takes to drain requests', () => {
  assert.ok(Number.parseInt(settings.get('TimeoutStopSec') ?? '', 10) > 30);
});

test('the unit is sandboxed', () => {
  const wanted = {
    DynamicUser: 'yes',
    NoNewPrivileges: 'yes',
    ProtectSystem: 'strict',
    ProtectHome: 'yes',
    PrivateDevices: 'yes',
    CapabilityBoundingSet: '',
    RestrictAddressFamilies: 'AF_INET AF_INET6 AF_UNIX',
  };
  for (const [name, value] of Object.entries(wanted)) assert.is(settings.get(name), value, name);
  // V8 generates code at runtime.
  assert.not(settings.has('MemoryDenyWriteExecute'));
});

test('systemd accepts every setting', () => {
  if (!existsSync(ANALYZE)) {
    skip(import.meta.url, 'systemd-analyze is not installed');
    return;
  }
  const { stdout, stderr } = spawnSync(ANALYZE, ['verify', '--man=no', file], {
    encoding: 'utf8',
    timeout: LAST_RESORT,
  });
  const said = `${stdout}${stderr}`
    .split('\n')
    .filter((line) => line.includes('authz.service') && !line.includes('is not executable'));
  assert.equal(said, []);
});

test.run();
