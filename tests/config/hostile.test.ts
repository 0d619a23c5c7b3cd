import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError, loadConfig } from '../../server/config.js';
import { rounds } from '../support/effort.js';

const test = suite('hostile configurations');
/** The CPU time in which a text is rejected, in microseconds. */
const LONGEST = 60_000_000;
let folder = '';
test.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'authz-hostile-'));
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

/**
 * The reason that a text is rejected; undefined when it is accepted. It must be a ConfigError of one line, thrown soon.
 */
function problem(text: string | Buffer, sets: readonly string[] = []): string | undefined {
  const file = join(folder, 'c.yaml');
  writeFileSync(file, text);
  const before = process.cpuUsage();
  try {
    loadConfig({ file, sets, environment: { A: 'x', EVIL: '${A}', BOMB: '[[[[' } });
    return undefined;
  } catch (error) {
    assert.instance(error, ConfigError, `${(error as Error).stack}`);
    const { message } = error as Error;
    assert.not.match(message, '\n');
    assert.ok(message.length < 1000, `${message.length} characters`);
    return message;
  } finally {
    const { user } = process.cpuUsage(before);
    assert.ok(user < LONGEST, `${user} microseconds`);
  }
}

test('deep nesting is rejected and overflows no stack', () => {
  for (const depth of [100, 10_000, 200_000]) {
    assert.ok(problem(`engine: {globals: {a: ${'['.repeat(depth)}${']'.repeat(depth)}}}`), `lists ${depth}`);
    assert.ok(problem(`engine: {globals: ${'{a: '.repeat(depth)}1${'}'.repeat(depth)}}`), `maps ${depth}`);
    assert.ok(problem('['.repeat(depth)), `open lists ${depth}`);
    assert.ok(problem(`engine:\n  globals:\n    a:\n      ${'- '.repeat(depth)}1\n`), `block lists ${depth}`);
    assert.ok(problem('? '.repeat(depth)), `keys ${depth}`);
  }
  assert.ok(problem('', [`engine.globals.${'a.'.repeat(10_000)}b=1`]));
  assert.ok(problem('', [`engine.globals.a${'[0]'.repeat(10_000)}=1`]));
});

test('huge documents are rejected', () => {
  assert.match(String(problem(`engine: {defaultScope: "${'a'.repeat(5_000_000)}"}`)), 'larger than');
  assert.ok(
    problem(
      `engine: {globals: {${Array.from({ length: 20_000 }, (_value, index) => `k${index}: 1`).join(', ')}}}\nx: 1`,
    ),
  );
  assert.ok(problem(`# ${'a'.repeat(200_000)}\nx: 1`));
  assert.ok(problem(`${'a'.repeat(100_000)}: 1`));
  assert.ok(problem(`server: {httpListenAddr: "${'a:'.repeat(100_000)}"}`));
  assert.ok(problem(`server: {advanced: {http: {readTimeout: "${'1'.repeat(100_000)}"}}}`));
  assert.ok(problem(`server: {advanced: {http: {readTimeout: "${'1ms'.repeat(50_000)}!"}}}`));
  assert.ok(problem(`server: {workers: ${'9'.repeat(50_000)}}`));
  assert.ok(problem(`server: {adminAPI: {adminCredentials: {passwordHash: "${'A'.repeat(200_000)}!"}}}`));
});

test('alias bombs are rejected', () => {
  const lines = ['engine:', '  globals:', '    a0: &a0 [x, x]'];
  for (let level = 1; level < 40; level++) lines.push(`    a${level}: &a${level} [*a${level - 1}, *a${level - 1}]`);
  assert.match(String(problem(lines.join('\n'))), 'anchors');
  assert.ok(problem('server: &a {<<: *a}'));
  assert.ok(problem('a: &a [*a]'));
});

test('unusual documents are rejected', () => {
  for (const text of [
    '--- 1\n--- 2',
    '%YAML 1.1\n---\nserver: {}\n---\n',
    '!!js/function "x"',
    'server: !!binary eA==',
    'server: !evil {}',
    '? {a: 1}\n: 2',
    '? [1]\n: 2',
    'server: {}\n\tengine: {}',
    '\u0000',
    '"\\x',
    'server: "\\uD800"',
    '{"server": {"workers": 1}, "server": {}}',
    '*a',
    '&a',
    '- - -',
    ': :',
    'true',
    '1',
    '"text"',
    'null: 1',
    '1: 2',
    '~: {}',
    'server: {? : 1}',
    '<<: {server: {}}',
    '${EVIL}: 1',
    '$BOMB',
    '${',
    'a: ${}',
    'a: ${A',
    '@',
    '`',
    '%',
    '\uFEFF- 1',
    'constructor: {}',
    '__proto__: {workers: 1}',
    'server: {__proto__: {workers: 1}}',
    'server: {constructor: 1, toString: 2}',
    'hasOwnProperty: 1',
  ]) {
    assert.ok(problem(text) !== undefined, JSON.stringify(text));
  }
  assert.ok(problem(Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x80])) !== undefined);
});

const MUTATIONS = rounds(1200, 300);

test('every mutation of a valid configuration is a configuration or a clear error', () => {
  const seed =
    'server:\n  httpListenAddr: ":0"\n  tls: {cert: "", key: ""}\n  cors: {maxAge: 10m, allowedOrigins: [a, "b*"]}\nengine: {globals: {a: 1, b: [x, {c: null}]}}\nauxData:\n  jwt:\n    keySets:\n      - id: k\n        local: {file: ${A:b}, pem: true}\n        insecure: {optionalAlg: true}\naudit: {mask: [principal.attr.x]}\n';
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ':',
    '-',
    '&a ',
    '*a',
    '!x ',
    '"',
    "'",
    '\n',
    '  ',
    '\t',
    '#',
    '|',
    '>',
    '?',
    '$',
    '${',
    '$$',
    '~',
    '0x',
    '1e999',
    '.inf',
    '.nan',
    '<<',
    '\u0000',
    '\u2028',
    '\ud800',
    'null',
    '__proto__',
    '%',
    ',',
    '\\',
  ];
  // A fixed sequence, so that a failure repeats.
  let state = 12345;
  const random = (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  let accepted = 0;
  for (let round = 0; round < MUTATIONS; round++) {
    let text = seed;
    for (let change = random(4); change >= 0; change--) {
      const at = random(text.length);
      text = text.slice(0, at) + (pieces[random(pieces.length)] as string) + text.slice(at + random(3));
    }
    if (problem(text) === undefined) accepted += 1;
  }
  assert.ok(accepted > MUTATIONS / 120 && accepted < MUTATIONS - 10, String(accepted));
});

test('invalid overrides are rejected with a clear error', () => {
  const pieces = [
    'server',
    '.',
    '=',
    '[',
    ']',
    '{',
    '}',
    ',',
    '\\',
    '0',
    '-1',
    '999999',
    '$A',
    '${',
    'workers',
    '__proto__',
    'constructor',
    'x',
  ];
  let state = 99;
  const random = (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let round = 0; round < 1200; round++)
    problem('', [Array.from({ length: 1 + random(12) }, () => pieces[random(pieces.length)]).join('')]);
});

test.run();
