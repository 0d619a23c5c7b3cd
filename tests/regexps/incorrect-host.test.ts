import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../compiler/compile.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { minifiedProgram } from '../../scripts/minified-program.js';
import { Random } from '../support/oracle/random.js';
import { randomCorpus } from './corpus.js';
import { disagreementProgram } from './program.js';

/** Replacements of the native `test`, for patterns as decisions use them. */
const HOSTS: readonly (readonly [name: string, test: string])[] = [
  [
    'misses code points of two units at the end',
    String.raw`!/[\ud800-\udbff][\udc00-\udfff]$/.test(s) && test.call(this, s)`,
  ],
  [
    'takes the end of the last line for the end',
    String.raw`test.call(this, s) || (s.endsWith('\n') && test.call(this, s.slice(0, -1)))`,
  ],
  [
    'splits pairs',
    `test.call(new RegExp(this.source.replace(/\\\\u\\{[0-9a-f]{5,}\\}/g, '\\\\uffff').replace(/\\\\u\\{([0-9a-f]+)\\}/g, (_, code) => '\\\\u' + code.padStart(4, '0'))), s)`,
  ],
  [
    'repeats three times at most',
    String.raw`test.call(new RegExp(this.source.replace(/\{(\d+),[4-9]\}/g, (_, least) => '{' + least + ',' + Math.max(least, 3) + '}'), 'u'), s)`,
  ],
  ['matches everything', 'true'],
  ['matches nothing', 'false'],
  ['throws', `(() => { throw new SyntaxError('Invalid flags') })()`],
];

const POLICY = String.raw`apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: file
  version: default
  rules:
    - { actions: ["*"], effect: EFFECT_ALLOW, roles: ["*"] }
    - actions: [read]
      effect: EFFECT_DENY
      roles: ["*"]
      condition: { match: { expr: 'R.attr.name.matches("[^a-z0-9]$")' } }
    - actions: [write]
      effect: EFFECT_DENY
      roles: ["*"]
      condition: { match: { expr: '!R.attr.name.matches("^[a-z]+(\\.[a-z]+)*$")' } }
`;

/** Each name, and whether it may be read and written. */
const NAMES: readonly (readonly [name: string, read: boolean, write: boolean])[] = [
  ['abc', true, true],
  ['abc.de', true, true],
  ['abc\u{1f600}', false, false],
  ['abc\n', false, false],
  ['ab\ud83d', false, false],
  ['', true, false],
];

const test = suite('hosts with incorrect regular expressions');

const programs: { [file: string]: string } = {};

test.before(async () => {
  const corpus = randomCorpus(new Random(4), 120, 16);
  for (const asked of ['native', 'verified'] as const)
    programs[`${asked}.mjs`] = await disagreementProgram(corpus, asked);
  const { files } = compile([new Source('file.yaml', POLICY)]);
  programs['bundle.mjs'] = await minifiedProgram(
    `import { createEngine } from 'authz/runtime';
    import { policies } from 'policies';
    const engine = createEngine(policies);
    const ask = (name, action) => engine.isAllowed({ principal: { id: 'a', roles: ['user'] }, resource: { kind: 'file', id: 'f', attr: { name } }, action });
    export const answers = () => JSON.stringify(${JSON.stringify(NAMES)}.map(([name]) => [name, ask(name, 'read'), ask(name, 'write')]));`,
    files,
  );
});

for (const [name, replacement] of HOSTS) {
  test(`a host that ${name}: rules still deny correctly, native matching is wrong, and verified matching is right`, () => {
    const answers = answersOnHost(replacement);
    assert.equal(JSON.parse(answers['bundle.mjs'] ?? ''), NAMES);
    assert.is.not(answers['native.mjs'], '');
    assert.is(answers['verified.mjs'], '');
  });
}

test.run();

/** The answers of each program in a process whose native regular expressions are replaced before they are loaded. */
function answersOnHost(replacement: string): { readonly [file: string]: string } {
  const folder = mkdtempSync(join(tmpdir(), 'authz-host-'));
  try {
    writeFileSync(
      join(folder, 'host.mjs'),
      `const { test } = RegExp.prototype;
      RegExp.prototype.test = function (s) { return this.unicode ? ${replacement} : test.call(this, s); };
      const told = {};
      for (const file of ${JSON.stringify(Object.keys(programs))}) told[file] = (await import('./' + file)).answers();
      process.stdout.write(JSON.stringify(told));`,
    );
    for (const [file, program] of Object.entries(programs)) writeFileSync(join(folder, file), program);
    const { stdout, stderr, status } = spawnSync(process.execPath, [join(folder, 'host.mjs')], {
      encoding: 'utf8',
      maxBuffer: 100_000_000,
    });
    assert.is(status, 0, stderr);
    return JSON.parse(stdout) as { readonly [file: string]: string };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
