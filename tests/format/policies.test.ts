import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import { compile } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { formatted } from '../../compiler/format/format.js';
import { isPolicyFile } from '../../compiler/load/names.js';
import { CORPUS, hasCorpus } from '../support/corpus.js';
import { ROOT } from '../support/compiled.js';
import { Random } from '../support/oracle/random.js';
import { randomStore } from '../support/oracle/random-store.js';
import { SEED, rounds } from '../support/effort.js';

const format = (text: string): string | undefined => formatted(new Source('a.yaml', text), new Diagnostics());

test('layout changes, and what a person wrote stays', () => {
  const before = `# The policy of documents.
apiVersion:   "api.authz.dev/v1"


resourcePolicy:
    resource: document   # a kind
    version: 'default'
    rules:
    - actions: [ "view",edit ]
      effect: EFFECT_ALLOW
      roles:
      - user

      # Only these.
      condition:
         match:
            expr: >-   # folded
                  R.attr.a == 1 &&
                    R.attr.b == 2
    -   actions: ['*']
        effect: EFFECT_DENY
        roles: [ ]
        condition: {match: {expr: "R.attr.aVeryLongName == \\"some value\\" && R.attr.another == \\"another value\\" && R.attr.third"}}
`;
  const after = `# The policy of documents.
apiVersion: "api.authz.dev/v1"

resourcePolicy:
  resource: document # a kind
  version: 'default'
  rules:
    - actions: ["view", edit]
      effect: EFFECT_ALLOW
      roles:
        - user

      # Only these.
      condition:
        match:
          expr: >- # folded
            R.attr.a == 1 &&
              R.attr.b == 2
    - actions: ['*']
      effect: EFFECT_DENY
      roles: []
      condition:
        match:
          expr: "R.attr.aVeryLongName == \\"some value\\" && R.attr.another == \\"another value\\" && R.attr.third"
`;
  assert.is(format(before), after);
  assert.is(format(before.replaceAll('\n', '\r\n')), after);
  assert.is(format(after), after);
});

test('files that are not well-formed are reported with a place, and not formatted', () => {
  for (const [text, code] of [
    ['a: [\n', 'yaml/syntax'],
    ['a:\n\t- b\n', 'yaml/syntax'],
    ['a: 1\n---\nb: 2\n', 'yaml/several-documents'],
    [`${'['.repeat(600)}${']'.repeat(600)}\n`, 'yaml/too-deep'],
  ] as const) {
    const report = new Diagnostics();
    assert.is(formatted(new Source('a.yaml', text), report), undefined, text);
    assert.is(report.sorted()[0]?.code, code, text);
  }
});

test('unusual files stay as they are', () => {
  const privateCharacters = Array.from({ length: 256 }, (_, index) => String.fromCharCode(0xe000 + index)).join('');
  const files = [
    '',
    '# only a comment',
    '\ufeffa:   1\n',
    `a:   "${privateCharacters}"\n`,
    'a:   1\n!tag ',
    'a:   &\u00a0b 1\nc: *\u00a0b\n',
    // Such a key needs braces: in lines, its object is not found again.
    `{"${'key'.repeat(400)}": {}}\n`,
  ];
  for (const text of files) assert.is(format(text), text, text);
});

test('cost grows with the size of a file', () => {
  for (const text of [
    `a: ${'[1, '.repeat(400)}1${']'.repeat(400)}\n`,
    `a: [${'{b: [1, 2]}, '.repeat(500)}1]\n`,
    `a:\n${'- \n  - b # c\n'.repeat(500)}`,
  ]) {
    const once = format(text);
    assert.ok(once !== undefined);
    assert.is(format(once), once);
  }
});

test('formatted policies compile to the same code', () => {
  const folders = ['policies', 'examples/contact-api/policies', 'tests/golden/expressions/policies'];
  for (const folder of folders) compilesAlike(sourcesIn(join(ROOT, folder)), folder);
});

test('random policies in random notations compile to the same code', () => {
  const seed = SEED;
  const random = new Random(seed);
  const stores = rounds(8);
  let changed = 0;
  let files = 0;
  for (let index = 0; index < stores; index += 1) {
    const sources = randomStore(random, { outputs: true, runtime: true }).map(
      (document, number) => new Source(`${number}.yaml`, randomNotation(random, document)),
    );
    assert.ok(compile(sources).files.length > 0, `seed ${seed}, store ${index}`);
    compilesAlike(sources, `seed ${seed}, store ${index}`);
    changed += sources.filter(({ text }) => format(text) !== text).length;
    files += sources.length;
  }
  assert.ok(changed > files / 2, `${changed} of ${files} changed`);
});

if (hasCorpus(import.meta.url))
  test('formatted policies of the recorded suites compile to the same code', () => {
    const root = join(CORPUS, 'compile');
    const names = readdirSync(root).filter((name) => existsSync(join(root, name, 'policies')));
    const step = Math.max(1, Math.floor(names.length / rounds(names.length)));
    for (const name of names.filter((_, index) => index % step === 0))
      compilesAlike(sourcesIn(join(root, name, 'policies')), name);
  });

test.run();

function sourcesIn(folder: string): readonly Source[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => isPolicyFile(path) && /\.ya?ml$/.test(path) && !path.includes('testdata'))
    .sort()
    .map((path) => new Source(path, readFileSync(join(folder, path), 'utf8')));
}

function randomNotation(random: Random, value: unknown): string {
  return stringify(value, {
    indent: random.pick([1, 2, 3, 4, 8]),
    indentSeq: random.chance(0.5),
    lineWidth: random.pick([0, 80, 200]),
    collectionStyle: random.pick(['any', 'flow']),
    flowCollectionPadding: random.chance(0.5),
    defaultKeyType: 'PLAIN',
    defaultStringType: random.pick(['PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE']),
  });
}

/** Places are those of the files; the code does not contain them. */
function compilesAlike(sources: readonly Source[], message: string): void {
  const after = sources.map((source) => {
    const text = formatted(source, new Diagnostics());
    return text === undefined ? source : new Source(source.path, text);
  });
  const codeOf = (of: readonly Source[]) => {
    const { files, diagnostics } = compile(of);
    // The manifest has the hashes of the sources.
    const modules = files.filter(({ path }) => path !== 'manifest.json');
    return { files: modules.map(({ path, text }) => [path, text]), codes: diagnostics.map(({ code }) => code).sort() };
  };
  assert.equal(codeOf(after), codeOf(sources), message);
}
