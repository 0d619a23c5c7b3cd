import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { formatted } from '../../compiler/format/format.js';
import { readFixtures, readSuite } from '../policy-tests/read-suite.js';
import { readTables } from '../../compiler/tables/read-tables.js';
import { writtenConfig } from '../../server/config/project-file.js';
import { readConfig } from '../../server/config/read.js';
import { readTenantText } from '../../server/tenants/tenant-text.js';
import { rounds } from '../../tests/support/effort.js';
import { assertCheaper } from '../../tests/support/growth.js';
import { readYaml, valueOfYaml, YamlDepthError } from './index.js';

/** Ways to nest, and ways to make the package do something for each character. Each is repeated as often as fits. */
const REPEATED = [
  '- ',
  '? ',
  ': ',
  '-\n',
  '[',
  '{',
  '[{',
  '{a: ',
  '{"a":',
  '{? ',
  '- [ ',
  '? [ ',
  'a: ',
  '[a: ',
  '"a": ',
  '&a ',
  '*a ',
  '!a ',
  '- &a ',
  '- !a ',
  '[,',
  ']',
  '[]: ',
  "'",
  '"\n',
  'a: "\n',
  'a: [\n',
  '- [\n',
  '---\n',
  '...\n',
  '%a\n',
  '#\n',
  '\n',
  '\r',
  '\t',
  '|\n',
  '- |\n',
];

/** At quick, long enough for a stack to overflow where it may. */
const LENGTH = Math.min(4000, rounds(4000, 2000));
const LONG = Math.min(60_000, rounds(60_000, 30_000));

const STAIRS = Array.from({ length: 340 }, (_, level) => `${' '.repeat(level)}a:`).join('\n');
const BEGINNINGS = ['', 'tenant: a\nroles: '];

/** Lines in brackets that are not well-formed. */
const IN_BRACKETS = [
  '"a" "b",\n',
  '  "a,\n',
  '  {"a": "[[[},\n',
  '  [1},\n',
  '  [],\n]\n',
  '{"a": "b"]',
  '"[',
  '"[ ',
  '[]',
];

const TEXTS = [
  ...REPEATED.flatMap((part) => part.repeat(LENGTH / part.length)),
  ...BEGINNINGS.flatMap((start) => ['[', '- ', '{a: '].map((part) => start + part.repeat(LONG / part.length))),
  ...['{\n', '[\n', 'a: [\n'].flatMap((start) =>
    IN_BRACKETS.map((part) => start + part.repeat(LENGTH / 8 / part.length)),
  ),
  `${'['.repeat(9000)}${']'.repeat(9000)}`,
  `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  STAIRS,
  STAIRS.replaceAll('a:', '-'),
  STAIRS.replaceAll('a:', '?'),
];

/** Each returns or throws an error for the author. */
const READERS: { readonly [name: string]: (text: string) => unknown } = {
  policy: (text) => compile([new Source('a.yaml', text)]),
  'policy in JSON': (text) => compile([new Source('a.json', text)]),
  format: (text) => formatted(new Source('a.yaml', text), new Diagnostics()),
  tests: (text) => readSuite({ file: { source: new Source('a_test.yaml', text) } } as Parameters<typeof readSuite>[0]),
  fixtures: (text) =>
    readFixtures({
      fixtureFolder: 'testdata',
      principals: { source: new Source('testdata/principals.yaml', text) },
    } as Parameters<typeof readFixtures>[0]),
  tables: (text) => readTables(new Source('tables.yaml', text)),
  configuration: (text) => readConfig(text, 'a.yaml'),
  'project file': writtenConfig,
  tenant: (text) => {
    const read = readTenantText(text);
    if ('reason' in read) throw new Error(read.reason);
  },
};

/** The CPU time of one text, in microseconds, beyond which it is compared with that of a flat text. */
const SUSPECT = 1_000_000;
const FLAT = '- a: b\n'.repeat(8000);

/** Takes about six times as long as any of the texts above. */
function readFlat(): void {
  for (let time = 0; time < 16; time += 1) readYaml(FLAT, { maxDepth: 20 });
}

const test = suite('YAML that is nested deeply');

for (const [name, read] of Object.entries(READERS)) {
  test(`is refused without deep recursion, read as ${name}`, async () => {
    for (const text of TEXTS) {
      const start = process.cpuUsage();
      try {
        read(text);
      } catch (error) {
        const { message } = error as Error;
        assert.not.ok(error instanceof RangeError, `${JSON.stringify(text.slice(0, 20))}: ${message}`);
        assert.not.ok(/call stack|bug/i.test(message), `${JSON.stringify(text.slice(0, 20))}: ${message}`);
      }
      const { user, system } = process.cpuUsage(start);
      if (user + system > SUSPECT)
        await assertCheaper(JSON.stringify(text.slice(0, 20)), () => catchError(() => read(text)), readFlat);
    }
  });
}

test('is refused at the first level too many', () => {
  for (const [open, close] of [
    ['- ', ''],
    ['[', ']'],
    ['{a: ', '}'],
    ['? ', ''],
  ] as const) {
    const nested = (levels: number): string => `${open.repeat(levels)}x${close.repeat(levels)}`;
    assert.equal(readYaml(nested(20), { maxDepth: 20 }).errors, [], open);
    const tooDeep = catchError(() => readYaml(nested(22), { maxDepth: 20 }));
    assert.instance(tooDeep, YamlDepthError, open);
    assert.is((tooDeep as Error).message, 'nested more than 20 levels deep');
    assert.ok((tooDeep as YamlDepthError).offset >= nested(20).indexOf('x'), open);
  }
});

function catchError(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

test('has the value that the package reads if it is not', () => {
  for (const [text, value] of [
    ['a: [1, "x", null, true]\nb: {c: -1.5}', { a: [1, 'x', null, true], b: { c: -1.5 } }],
    ['{"a": [[[]]]}', { a: [[[]]] }],
    ['', null],
    ['\ufeffa: 1', { a: 1 }],
  ] as const)
    assert.equal(valueOfYaml(text), value, text);
  assert.throws(() => valueOfYaml('a: 1\nb: 2\na: 3'), 'the key `a` is duplicated');
  assert.throws(() => valueOfYaml('a: &x 1\nb: *x'), 'anchors and aliases are not supported');
  assert.throws(() => valueOfYaml('a: 1\n---\nb: 2'), 'several documents');
});

test.run();
