import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { parse } from '../../compiler/parse/index.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of mutated documents. */
const ROUNDS = rounds(1000);

const SEEDS = [
  `# c\n---\napiVersion: api.authz.dev/v1\nvariables:\n  a: |-\n    x ==\n      "y"\nresourcePolicy:\n  resource: doc\n  version: "1"\n  scope: a.b\n  rules:\n    - &a\n      actions: ['view:*', "x\\u0041"]\n      effect: EFFECT_ALLOW\n      roles: &r [user]\n      condition:\n        match:\n          all:\n            of:\n              - expr: >\n                  R.attr.a\n                  == 1\n              - none: {of: [{expr: "true"}]}\n      output:\n        when:\n          ruleActivated: '"it''s"'\n    - <<: *a\n      roles: *r\n`,
  `{"apiVersion": "api.authz.dev/v1", "principalPolicy": {"principal": "p", "version": "v", "rules": [{"resource": "a", "actions": [{"action": "*", "effect": 2}]}]}}`,
  `apiVersion: api.authz.dev/v1\r\nexportConstants:\r\n  name: c\r\n  definitions:\r\n    a: &x {p: 1.5, q: [~, 0x1F, .5, -1_0]}\r\n    b: {<<: *x, q: 2020-01-01}\r\n    c: |+2\r\n       x\r\n\r\n`,
  `apiVersion: api.authz.dev/v1\nderivedRoles:\n  name: d\n  definitions:\n  - name: owner\n    parentRoles: ["*"]\n    condition: {match: {any: {of: [expr: P.id == R.id]}}}\n`,
];

const PIECES = [
  ...' \t\n\r:-?[]{},&*!|>%@`#"\'\\~.<=_0x\ufeff\u0000\u0085\u2028\ud83d',
  '\n---\n',
  '\n...\n',
  '<<: *a',
  '&a ',
  '*a',
  '? ',
  ': ',
  '- ',
  '!!str ',
  '!<tag:x> ',
  '%YAML 1.2\n',
  '"x" in y',
  '|2-\n',
  '>+\n',
  'null',
  '1.5',
  '.inf',
  '__proto__: ',
  'constructor',
  '\\u',
  '\\ud800',
  '\\x4',
  '\r\n',
  '  ',
  '    ',
  '{{',
  '[[',
  "''",
  '""',
  'effect: 9\n',
  '&a &a ',
  '&a *a',
  '"\n"',
];

test(`a mutated document is a policy, is empty, or has a diagnostic with a location (seed ${SEED})`, () => {
  const random = generator(SEED);
  const counts = { policies: 0, nothing: 0, refused: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    let text = SEEDS[round % SEEDS.length] as string;
    for (let i = random(2); i >= 0; i--) text = mutated(text, random);
    counts[outcomeOf(text)] += 1;
  }
  console.log(`mutations: ${JSON.stringify(counts)}`);
  assert.ok(counts.policies > 0 && counts.nothing > 0 && counts.refused > 0);
});

test.run();

function outcomeOf(text: string): 'policies' | 'nothing' | 'refused' {
  const report = new Diagnostics();
  const source = new Source('policy.yaml', text);
  try {
    const file = parse(source, report);
    const diagnostics = report.sorted();
    for (const { place } of diagnostics) {
      if (place === undefined) continue;
      const { start, end } = place.span;
      if (!(0 <= start && start <= end && end <= text.length && 0 <= place.anchor && place.anchor <= text.length))
        throw new Error('a place outside of the text');
    }
    if (file !== undefined) {
      eachExpression(file, (expression) => seeOffsets(expression, text));
      return report.hasErrors ? fail('a policy with errors') : 'policies';
    }
    return report.hasErrors ? 'refused' : 'nothing';
  } catch (error) {
    throw new Error(`${JSON.stringify(text)}: ${error instanceof Error ? error.stack : String(error)}`, {
      cause: error,
    });
  }
}

function fail(what: string): never {
  throw new Error(what);
}

interface Spans {
  readonly text: string;
  spanOf(start: number, end: number): { readonly start: number; readonly end: number };
}

function seeOffsets(expression: Spans, text: string): void {
  let last = 0;
  for (let i = 0; i < expression.text.length; i++) {
    const { start, end } = expression.spanOf(i, i + 1);
    if (start < last || end < start || end > text.length) fail('offsets that go back or outside');
    last = start;
  }
}

function eachExpression(value: unknown, visit: (expression: Spans) => void): void {
  if (typeof value !== 'object' || value === null || value instanceof Source) return;
  if ('spanOf' in value) visit(value as Spans);
  else for (const key of Object.keys(value)) eachExpression((value as Record<string, unknown>)[key], visit);
}

function mutated(text: string, random: (below: number) => number): string {
  const at = random(text.length + 1);
  const piece = PIECES[random(PIECES.length)] as string;
  switch (random(6)) {
    case 0:
      return text.slice(0, at) + text.slice(at + 1 + random(4));
    case 1:
      return text.slice(0, at) + piece + text.slice(at + random(3));
    case 2:
      return text.slice(0, at);
    case 3: {
      const from = random(text.length + 1);
      return text.slice(0, at) + text.slice(from, from + random(40)) + text.slice(at);
    }
    case 4: {
      const lines = text.split('\n');
      const line = random(lines.length);
      lines.splice(line, 1, `${' '.repeat(random(3))}${lines[line]}`, ...lines.slice(line, line + random(2)));
      return lines.join('\n');
    }
    default:
      return text.slice(0, at) + piece + text.slice(at);
  }
}

/** Numbers below a bound, the same for the same seed (mulberry32). */
function generator(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
