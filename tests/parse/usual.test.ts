import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import type { YamlNode } from '../../compiler/parse/yaml/node.js';
import { readAny } from '../../compiler/parse/yaml/read.js';
import { readUsual } from '../../compiler/parse/yaml/usual.js';
import { Random } from '../support/oracle/random.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of mutated documents. */
const ROUNDS = rounds(6000);

const POLICIES = 'policies';

const SEEDS = [
  ...readdirSync(POLICIES)
    .filter((file) => file.endsWith('.yaml') && !file.endsWith('_test.yaml'))
    .map((file) => readFileSync(join(POLICIES, file), 'utf8')),
  'a: b\nc:\n  - d\n  # e\n  - f: g # h\n    i: [j, "k", \'l\', m:n]\n\n# o\np:\n- q: { r: s, t: [] }\n- u\n',
  'a: { b: [c, d], e: "f" }\ng:\n  - h: i\n    j:\n    - k\n  - "*"\ni: 010\nj: 0x1F\nk: yes\nl: null\nm: .inf\nn: a#b\no: a:b # c\n__proto__: { p: 1.5 }\n',
  'a: |\n  b\nc: >-\n  d\n\n  e\nf: &g h\ni: *g\nj: !k l\n? m\n: n\no: "p\\n"\nq: r\n  s\nt: [u,\n  v]\n',
  '---\n# a\na:\n    b: "c" # d\n    # e\n    f: R.attr.g == "h" && !i\n\nj: { k: {}, l: 1_0, m: .inf }\nn: null',
];

const PIECES = [
  ...' \t\n\r:-?[]{},&*!|>%@`#"\'\\~.<=_0x\ufeff\u0000\u0007\u007f\u0085\u00a0\u00ad\u2028\u2029\ud83dé',
  '  ',
  '\n\n',
  '\n---\n',
  '...\n',
  '<<: *a',
  ': ',
  ' #',
  '# a\n',
  '  # a\n',
  '\n    # a\n',
  '- ',
  '\n- a',
  '\n  - a',
  '\n  a: b',
  'a: b',
  '"a" in b',
  "''",
  '[]',
  '{}',
  '[a, b]',
  '{ a: b }',
  '|-\n',
  'null',
  'true',
  '.nan',
  '-.inf',
  '0777',
  '0o17',
  '0x1f',
  '0b1',
  '1_000',
  '1e3',
  '-1',
  '18446744073709551616',
  'yes',
  '~',
  '__proto__: ',
  'constructor: ',
  'null: ',
  '%YAML 1.2\n---\n',
  '%TAG ! !a\n',
  '--- ',
  '\n...\n---\n',
  '&a ',
  '*a',
  '*a : ',
  '!!str ',
  '? ',
  '\n? a\n: b\n',
  '>\n',
  '|2\n ',
  '\\n',
  '\\"',
  '\n ',
  '\r\n',
  ' \n',
  '   ',
  '- - ',
  '- a: ',
  '[[[[',
  ']]]]',
  '{a: {b: {',
  '}}}',
  '"a": ',
  "'a': ",
  ', ',
  ',',
  'https://a.b/c?d=e#f',
];

/** Pieces of short documents, which are all tried. */
const SHORT = ['a: ', '\n', '\r\n', '  ', '- ', 'b', '# c', '"d"', ': ', '[', ']', '{', '}', ', '];
const SHORT_LENGTH = 4;

test(`a usual document reads as the YAML package reads it (seed ${SEED})`, () => {
  const random = new Random(SEED);
  let usual = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const text = mutated(random.chance(0.5) ? random.pick(SEEDS) : excerpt(random.pick(SEEDS), random), random);
    if (isUsual(text)) usual += 1;
    // As git on Windows checks it out, with a line that ends otherwise now and then.
    const onWindows = text.replace(/\r?\n/g, () => (random.chance(0.99) ? '\r\n' : '\n'));
    assert.is(isUsual(onWindows), isUsual(text.replace(/\r(?=\n)/g, '')), JSON.stringify(onWindows));
  }
  assert.ok(usual > ROUNDS / 10, `${usual} of ${ROUNDS} are usual`);
});

test('so do all short documents', () => {
  let texts = [''];
  let usual = 0;
  for (let length = 1; length <= SHORT_LENGTH; length += 1) {
    texts = texts.flatMap((text) => SHORT.map((piece) => text + piece));
    usual += texts.filter(isUsual).length;
  }
  assert.ok(usual > 200, `${usual} are usual`);
});

test('policies without block scalars are usual', () => {
  const others = SEEDS.filter(
    (text) => !/[|>]-?\n/.test(text) && readUsual(new Source('policy.yaml', text)) === undefined,
  );
  assert.equal(others, []);
  for (const text of SEEDS)
    assert.is(
      readUsual(new Source('policy.yaml', text.replaceAll('\n', '\r\n'))) === undefined,
      readUsual(new Source('policy.yaml', text)) === undefined,
    );
});

test('long lines and many of them are read', () => {
  const long = 'a'.repeat(900_000);
  for (const text of [`a: ${long}\n`, `a: "${long}"\n`, `a: b # ${long}\n`, `a: b\n${'\n'.repeat(900_000)}c: d\n`])
    assert.equal(readUsual(new Source('policy.yaml', text))?.type, 'Mapping');
  for (const text of [`a: b${' '.repeat(900_000)}:`, `a: [${'['.repeat(900_000)}`, `${'- '.repeat(400_000)}a`])
    assert.equal(readUsual(new Source('policy.yaml', text)), undefined);
});

test.run();

/** Whether a document is usual. Fails if the YAML package reads it differently. */
function isUsual(text: string): boolean {
  const source = new Source('policy.yaml', text);
  const read = readUsual(source);
  if (read === undefined) return false;
  const report = new Diagnostics();
  const expected = readAny(source, report);
  const detail = JSON.stringify(text);
  assert.ok(report.isEmpty, detail);
  assert.not(expected?.problems.found, detail);
  assert.equal(plain(read), plain(expected?.root), detail);
  return true;
}

/** Some lines, as a document of their own. */
function excerpt(text: string, random: Random): string {
  const lines = text.split('\n');
  const first = random.below(lines.length);
  const some = lines.slice(first, first + 1 + random.below(12));
  const indent = indentOf(some[0] as string);
  return `${some.map((line) => line.slice(Math.min(indent, indentOf(line)))).join('\n')}${random.chance(0.7) ? '\n' : ''}`;
}

function mutated(text: string, random: Random): string {
  let result = text;
  for (let i = random.below(4); i > 0; i -= 1) {
    const at = random.below(result.length + 1);
    const removed = random.chance(0.5) ? 0 : random.below(4);
    const kind = random.below(5);
    if (kind === 0) result = reindented(result, random);
    else if (kind === 1) result = rearranged(result, random);
    else result = result.slice(0, at) + (random.chance(0.7) ? random.pick(PIECES) : '') + result.slice(at + removed);
  }
  return result;
}

function reindented(text: string, random: Random): string {
  const lines = text.split('\n');
  const at = random.below(lines.length);
  lines[at] = ' '.repeat(random.below(8)) + (lines[at] as string).trimStart();
  return lines.join('\n');
}

/** With a line repeated, moved, joined with the next one, or taken from another document. */
function rearranged(text: string, random: Random): string {
  const lines = text.split('\n');
  const [from, to] = [random.below(lines.length), random.below(lines.length)];
  const line = lines[from] as string;
  switch (random.below(5)) {
    case 0:
      lines.splice(to, 0, line);
      break;
    case 1:
      lines.splice(from, 1);
      lines.splice(to, 0, line);
      break;
    case 2:
      lines.splice(from, 2, `${line}${random.pick(['', ' ', ', ', ': '])}${(lines[from + 1] ?? '').trimStart()}`);
      break;
    case 3:
      lines[from] = line + ' '.repeat(random.below(3));
      break;
    default:
      lines.splice(to, 0, random.pick(random.pick(SEEDS).split('\n')));
  }
  return lines.join(random.chance(0.02) ? '\r\n' : '\n');
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Without the sources of locations, which all are the same. */
function plain(root: YamlNode | undefined): string {
  return JSON.stringify(root, (name, value) => (name === 'source' ? undefined : value)) ?? '';
}
