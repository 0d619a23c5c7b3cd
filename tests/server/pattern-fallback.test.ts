import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PROGRAMS } from '../support/cli/programs.js';
import { discard, replaceFile, type Server, startProgram } from '../support/workers/server.js';
import { until } from '../support/timeout.js';

const test = suite('patterns that fall back to automata');

const folder = mkdtempSync(join(tmpdir(), 'authz-patterns-'));
const servers: Server[] = [];
const before = process.env['NODE_OPTIONS'];
test.after.each(() => {
  if (before === undefined) delete process.env['NODE_OPTIONS'];
  else process.env['NODE_OPTIONS'] = before;
  discard(servers);
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** A bundle whose rules match a name against patterns. */
function bundleWith(name: string, patterns: readonly string[]): string {
  const rules = patterns.map(
    (pattern) =>
      `    - { actions: [read], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: 'R.attr.name.matches("${pattern}")' } } }\n`,
  );
  const file = join(folder, `${name}.js`);
  const policies = join(folder, name);
  mkdirSync(policies);
  writeFileSync(
    join(policies, 'file.yaml'),
    `apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: file\n  version: default\n  rules:\n${rules.join('')}`,
  );
  const compiled = spawnSync(
    process.execPath,
    [PROGRAMS.authzc, 'compile', policies, '--bundle', file, '--out', join(folder, `${name}-generated`)],
    { encoding: 'utf8' },
  );
  assert.is(compiled.status, 0, compiled.stderr);
  return readFileSync(file, 'utf8');
}

/** The warnings of a server, from all its processes. */
function warningsOf(server: Server): readonly unknown[] {
  return server
    .log()
    .filter(({ message }) => message.includes('regular expressions'))
    .map(({ pattern, patterns }) => [pattern, patterns]);
}

async function start(text: string, ...sets: readonly string[]): Promise<Server> {
  const server = await startProgram(folder, text, sets);
  servers.push(server);
  return server;
}

test('on a platform with incorrect regular expressions the server warns when it loads a bundle, and for each later one', async () => {
  // The bug of V8 14.6.
  const lying = join(folder, 'lying.cjs');
  writeFileSync(
    lying,
    String.raw`const { test } = RegExp.prototype;
    RegExp.prototype.test = function (s) { return this.unicode ? !/[\ud800-\udbff][\udc00-\udfff]$/.test(s) && test.call(this, s) : test.call(this, s); };`,
  );
  const text = bundleWith('two', ['[^a-z0-9]$', '^[a-z]+$', '(a+)+$']);
  process.env['NODE_OPTIONS'] = `${before ?? ''} --require ${lying}`;
  const server = await start(text, 'server.workers=1');
  await until(() => warningsOf(server).length > 0, 'a warning');
  // Patterns on which backtracking is costly use automata on every platform.
  assert.equal(warningsOf(server), [['[^a-z0-9]$', 2]]);
  replaceFile(server.bundle, `${text}\n`);
  await until(() => warningsOf(server).length > 1, 'another warning');
  assert.is(server.log().find(({ message }) => message.includes('regular expressions'))?.['log.level'], 'warn');
});

test('on a correct platform the server does not warn', async () => {
  const server = await start(bundleWith('right', ['^[a-z]+$', '(a+)+$']), 'server.workers=1');
  replaceFile(server.bundle, bundleWith('other', ['^[0-9]+$']));
  await until(() => server.log().some(({ message }) => message === 'serving a new bundle'), 'the other bundle');
  assert.equal(warningsOf(server), []);
});

test.run();
