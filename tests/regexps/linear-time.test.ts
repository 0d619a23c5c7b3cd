import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../compiler/compile.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { minifiedProgram } from '../../scripts/minified-program.js';

/** Patterns for which a backtracking engine takes exponential time, in a program as its author would ship it. */
const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: file
  version: default
  rules:
    - { actions: [read], effect: EFFECT_ALLOW, roles: ["*"], condition: { match: { expr: 'R.attr.name.matches("(a+)+$")' } } }
    - { actions: [edit], effect: EFFECT_ALLOW, roles: ["*"], condition: { match: { expr: 'R.attr.name.matches("^(a|a)*$")' } } }
`;

/** A backtracking engine tries all 2^60 ways through the short one. The long one overflows its stack. */
const LENGTHS = [60, 90_000];

/** Linear, it takes a second. */
const MAX_MILLISECONDS = 300_000;

const test = suite('constant patterns that are costly to backtrack');

test('a bundle matches them in linear time, without RE2', async () => {
  const { files } = compile([new Source('file.yaml', POLICY)], undefined, { checksOnly: true });
  const generated = files.map(({ text }) => text).join('\n');
  assert.match(generated, "cel.literalPattern('(a+)+$', cel.AUTOMATON)");
  assert.not.match(generated, 'cel.RE2');
  const bundle = await minifiedProgram(
    `import { createEngine } from 'authz/runtime';
    import { policies } from 'policies';
    const engine = createEngine(policies);
    const ask = (name) => ['read', 'edit'].map((action) => engine.isAllowed({ principal: { id: 'a', roles: ['user'] }, resource: { kind: 'file', id: 'f', attr: { name } }, action }));
    const names = ${JSON.stringify(LENGTHS)}.map((length) => 'a'.repeat(length)).flatMap((a) => [a, a + '!', '!' + a]);
    console.log(JSON.stringify(names.map(ask)));`,
    files,
  );
  const folder = mkdtempSync(join(tmpdir(), 'authz-linear-'));
  try {
    const program = join(folder, 'program.mjs');
    writeFileSync(program, bundle);
    const { stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8', timeout: MAX_MILLISECONDS });
    assert.is(stderr, '');
    const expected = [
      [true, true],
      [false, false],
      [true, false],
    ];
    assert.equal(JSON.parse(stdout || '"no answer in time"'), [...expected, ...expected]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.run();
