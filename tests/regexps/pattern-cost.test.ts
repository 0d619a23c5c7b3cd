import { RE2JS } from 're2js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../compiler/compile.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { misshape } from '../../compiler/schema/shapes.js';
import { createEngine, EvaluationLimitError } from '../../runtime/engine/index.js';
import { DEFAULT_MEMORY } from '../../packages/cel/runtime/meter.js';
import { costOfPattern, MAX_INSTRUCTIONS } from '../../packages/cel/runtime/pattern-cost.js';
import type { Attributes } from '../../runtime/policy/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { assertCheaper, assertLinear } from '../support/growth.js';
import { Random } from '../support/oracle/random.js';
import { randomPattern } from './random-patterns.js';
import { rounds, SEED } from '../support/effort.js';

const PATTERNS = rounds(4000);

const test = suite('the cost of regular expressions');

/** The instructions that re2js makes; undefined if it refuses the pattern. */
function compiledSize(pattern: string): number | undefined {
  try {
    return RE2JS.compile(pattern).programSize();
  } catch {
    return undefined;
  }
}

const ATOMS = [
  'a',
  '.',
  '\\d',
  '\\pL',
  '\\p{Greek}',
  '[^a-c]',
  '[]x]',
  '[[:alpha:]]',
  '\\x{1F600}',
  '\\x41',
  '\\Qa*{3}\\E',
  '\\.',
  '\u{1f600}',
  '^',
  '$',
  '\\b',
  '(?:)',
  '()',
  '[\\]a-z]',
  '{',
  'a{,3}',
  '-',
  '(?i)k',
  '[[:x]',
  '\\{',
  '[a{9}]',
];
const COUNTS = ['', '', '*', '+', '?', '{2}', '{0,3}', '{4,}', '{0}', '{3,7}?', '{12}', '*?', '{0,1}', '{30}'];

function nested(random: Random, depth: number): string {
  const parts = random.times(1, 4, () => {
    const atom =
      depth > 0 && random.chance(0.45)
        ? `${random.pick(['(', '(?:', '(?P<n>', '(?i:', '(?s-i:'])}${nested(random, depth - 1)}${random.chance(0.2) ? `|${nested(random, depth - 1)}` : ''})`
        : random.pick(ATOMS);
    return atom + random.pick(COUNTS);
  });
  return parts.join(random.chance(0.15) ? '|' : '');
}

test('is at least the instructions of the program, and not many times as much', () => {
  const random = new Random(SEED);
  let compared = 0;
  let [charged, made] = [0, 0];
  for (let index = 0; index < PATTERNS; index += 1) {
    const written = index % 4 === 0 ? randomPattern(random, 1).pattern : nested(random, 4);
    // Two groups cannot have one name.
    let groups = 0;
    const pattern = written.replaceAll('?P<n>', () => `?P<n${groups++}>`);
    const { instructions } = costOfPattern(pattern);
    if (instructions > 20_000) continue;
    const size = compiledSize(pattern);
    if (size === undefined) continue;
    compared += 1;
    assert.ok(instructions >= size, `${SEED}: ${pattern} has ${size} instructions, not ${instructions}`);
    charged += instructions;
    made += size;
  }
  assert.ok(compared > PATTERNS / 5, `only ${compared} patterns are valid`);
  assert.ok(charged < 3 * made, `${charged} instructions are charged for ${made}`);
});

/** Patterns in small texts that stand for much. */
const LARGE = [
  '.{1,1000}'.repeat(300),
  '(.{1,1000}){1}'.repeat(300),
  '(?i)k{1000}'.repeat(200),
  '(?:(?:a{10}){10}){10}'.repeat(200),
  '((a|b|[^c]){2,25}){1,40}'.repeat(100),
  '\\pL{1000}'.repeat(200),
  `(?:${'\\p{Greek}|\\PN|'.repeat(10)}x){1000}`.repeat(20),
  `x|${'(y{500}){2}|'.repeat(200)}`,
  '\\Qa\\E{1000}'.repeat(200),
  '(?s).{0,1000}?'.repeat(200),
  '(){1000}'.repeat(200),
];

/** They compile to little, and it takes long. */
const SLOW = [`(?i)${'[a-\u{10ffff}]'.repeat(400)}`, `[${'\\pL'.repeat(3000)}]`, `(?i)[${'\\PN'.repeat(3000)}]`];

/** RE2 refuses counts that multiply to more than 1,000, at once. */
const REFUSED = [
  '(((a{100}){100}){100}){100}',
  '(a{600}*){600}',
  'a{1001}',
  'a{100000000}',
  '(a{2,1000}){2}'.repeat(500),
];

test('fails the call that compiles a large pattern, before it is compiled', async () => {
  const conditions = [
    'R.attr.s.matches(R.attr.p)',
    'regex.replace(R.attr.s, R.attr.p, "") == ""',
    'regex.extract(R.attr.s, R.attr.p).hasValue()',
    'R.attr.a.exists(p, R.attr.s.matches(p))',
  ];
  for (const condition of conditions) {
    const engine = await askOf(policyOf(condition));
    const ask = (p: string): boolean => engine({ s: 'x', p, a: [p] });
    for (const pattern of [...LARGE, ...SLOW]) {
      await assertCheaper(
        shown(pattern),
        () => assert.throws(() => ask(pattern), isLimit, shown(pattern)),
        () => readOften(pattern),
      );
    }
    for (const pattern of REFUSED) assert.is(ask(pattern), false, shown(pattern));
    assert.is(ask('^.{1,1000}$'), true);
  }
});

test('is known in time that grows with the length of the pattern', async () => {
  for (const pattern of [...LARGE, ...SLOW])
    await assertLinear(shown(pattern), 1, (times) => {
      const text = pattern.repeat(times);
      return () => costOfPattern(text);
    });
});

test('bounds the memory that patterns of one call take together', async () => {
  const patterns = Array.from({ length: 200 }, (_, index) => `.{1,900}${index}`);
  const engine = await askOf(policyOf('R.attr.a.exists(p, R.attr.s.matches(p))'));
  assert.is(engine({ s: 'x', a: patterns.slice(0, 20) }), false);
  assert.throws(() => engine({ s: 'x', a: patterns }), isLimit);
  assert.ok(patterns.reduce((sum, pattern) => sum + costOfPattern(pattern).bytes, 0) > DEFAULT_MEMORY);
});

test('is a diagnostic of a constant pattern', () => {
  const [large = ''] = LARGE;
  const literal = JSON.stringify(large);
  for (const condition of [
    `R.attr.s.matches(${literal})`,
    `matches(R.attr.s, ${literal})`,
    `regex.extract(R.attr.s, ${literal}).hasValue()`,
    `regex.replace(R.attr.s, ${literal}, "") == ""`,
    `R.attr.a.exists(x, x.matches(${literal}))`,
  ]) {
    const { diagnostics, files } = compile([new Source('a.yaml', policyOf(condition))]);
    const [problem] = diagnostics;
    assert.match(
      problem?.message ?? '',
      `expand to 599702 instructions, at most ${MAX_INSTRUCTIONS} are allowed`,
      condition.slice(0, 30),
    );
    assert.equal(files, []);
  }
});

test('is a diagnostic of a pattern in a schema', () => {
  for (const value of LARGE)
    assert.match(misshape({ kind: 'string', value, start: 0, end: 1 }, 'pattern') ?? '', 'use smaller counts', value);
  assert.is(misshape({ kind: 'string', value: '^.{1,1000}$', start: 0, end: 1 }, 'pattern'), undefined);
});

test('a constant that is not a literal of the call fails the call', async () => {
  const engine = await askOf(
    policyOf('R.attr.s.matches(C.p) || "x".matches(C.p)').replace(
      '  rules:',
      `  constants: { local: { p: ${JSON.stringify(LARGE[0])} } }\n  rules:`,
    ),
  );
  assert.throws(() => engine({ s: 'x' }), isLimit);
});

/** Costs a tenth of compiling any of the patterns above, or less, and many times what a call needs to refuse it. */
function readOften(pattern: string): void {
  for (let time = 0; time < 100; time += 1) costOfPattern(pattern);
}

function shown(text: string): string {
  return text.slice(0, 40);
}

function isLimit(error: unknown): boolean {
  return error instanceof EvaluationLimitError;
}

function policyOf(condition: string): string {
  return `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: item
  version: default
  rules:
    - { actions: ["*"], effect: EFFECT_ALLOW, roles: ["*"], condition: { match: { expr: ${JSON.stringify(condition)} } } }
`;
}

type Ask = (attr: Attributes) => boolean;

async function askOf(policy: string): Promise<Ask> {
  const { policies } = await loaded(compileTexts({ 'item.yaml': policy }));
  const engine = createEngine(policies);
  const principal = { id: 'p', roles: ['user'] };
  return (attr) => engine.isAllowed({ principal, resource: { kind: 'item', id: 'i', attr }, action: 'view' });
}

test.run();
