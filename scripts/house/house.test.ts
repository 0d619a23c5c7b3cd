import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { calledFiles, callsIn, framesIn, measureOneCheck } from './check-coverage.js';
import { anchorsIn, citationsIn, unresolvedIn } from './citations.js';
import { folderCycles } from './folder-cycles.js';
import { arrows, floors, graphOf, within, withOneImporter } from './import-graph.js';
import { countNames } from './names.js';
import { table } from './table.js';
import { crossSuiteImports, isGenerated, isMessageLayer, lineCount, longLines } from './tree.js';

const test = suite('npm run house');

/** Put together, so that this file itself cites nothing. */
const NUMBERED = ['conditions', 'md 4.2'].join('.');
const page = (path: string): string | undefined =>
  path === 'docs/plans.md'
    ? '# Plans\n\n## NULL, and what is missing\n\n<a id="pages"></a>\n\n```sh\n# not a heading\n```\n'
    : undefined;

test('a citation is a page with an anchor, or with a section number', () => {
  const text = `/** See docs/plans.md#pages. */\nlet a; // ${NUMBERED}, and 4.3\n// docs/plans.md and README.md cite no section\n`;
  assert.equal(citationsIn(text), [
    { line: 1, text: 'docs/plans.md#pages' },
    { line: 2, text: NUMBERED },
  ]);
});

test('citations by number, of missing pages and of missing anchors do not resolve', () => {
  assert.equal(
    unresolvedIn('docs/plans.md#pages docs/plans.md#null-and-what-is-missing docs/plans.md#plans', page),
    [],
  );
  const broken = [NUMBERED, 'docs/plans.md#not-a-heading', 'docs/other.md#pages'];
  for (const text of broken)
    assert.equal(
      unresolvedIn(text, page).map((citation) => citation.text),
      [text],
    );
});

test('headings have their rendered anchors', () => {
  assert.equal([...anchorsIn('# One `code` word\n## Two: things!\n')], ['one-code-word', 'two-things']);
});

test('a check runs through transport, service, engine and policy, without the files that only run at start', async () => {
  const { files, calls, frames } = await measureOneCheck();
  assert.ok(calls > files.length && calls < 1000, String(calls));
  assert.is(frames[0]?.startsWith('server/transport/http/'), true, frames[0]);
  assert.is(frames.at(-1)?.startsWith('runtime/engine/decide/'), true, frames.at(-1));
  const due = [
    'generated/resource/album.ts',
    'runtime/engine/decide/check.ts',
    'server/service/check-resources.ts',
    'server/transport/http/http-server.ts',
  ];
  assert.equal(
    due.filter((file) => !files.includes(file)),
    [],
  );
  assert.equal(
    files.filter(
      (file) => !/^(generated|packages\/cel|proto|runtime|server)\/.*\.ts$/.test(file) || file === 'server/config.ts',
    ),
    [],
  );
});

test('names of functions and beginnings of doc comments are counted', () => {
  const text = `
/** For callers. */
export function textOf(): void {}
/**
 * A list of
 * them.
 */
const lists = { keyOf() {}, of() {} };
/* Of no function. */
const sizeOf = () => lists;
const of = 1;
`;
  assert.equal(countNames(text), { functions: 4, named: 3, comments: 2, prepositions: 1 });
});

test('a script counts when one of its functions was called', () => {
  const script = (url: string, count: number) => ({
    scriptId: '1',
    url,
    functions: [{ functionName: 'f', isBlockCoverage: false, ranges: [{ startOffset: 0, endOffset: 9, count }] }],
  });
  const scripts = [
    script('file:///r/server/b.ts?x', 1),
    script('file:///r/a.ts', 2),
    script('file:///r/c.ts', 0),
    script('node:net', 1),
    script('file:///r/node_modules/x/y.js', 1),
    script('file:///else/z.ts', 1),
  ];
  assert.equal(calledFiles(scripts, '/r'), ['a.ts', 'server/b.ts']);
  assert.is(callsIn(scripts, '/r'), 3);
});

const dependencies = (...files: readonly string[]): readonly { readonly resolved: string }[] =>
  files.map((resolved) => ({ resolved }));
const MODULES = [
  { source: 'a/one.ts', dependencies: dependencies('a/two.ts', 'b/low.ts', 'fs') },
  { source: 'a/two.ts', dependencies: dependencies('a/three.ts') },
  { source: 'a/three.ts', dependencies: dependencies() },
  { source: 'a/one.test.ts', dependencies: dependencies('a/three.ts') },
  { source: 'b/low.ts', dependencies: dependencies('fs') },
  { source: 'node_modules/x/index.js', dependencies: dependencies() },
];

test("the graph has the files of the folders, without tests, packages and Node's modules", () => {
  const { graph, importing } = graphOf(MODULES, ['a', 'b']);
  assert.equal(
    [...graph],
    [
      ['a/one.ts', ['a/two.ts', 'b/low.ts']],
      ['a/two.ts', ['a/three.ts']],
      ['a/three.ts', []],
      ['b/low.ts', []],
    ],
  );
  assert.equal([...importing], ['a/one.ts', 'a/two.ts', 'b/low.ts']);
});

test('floors are the longest chain of imports, arrows are all imports within a folder', () => {
  const { graph } = graphOf(MODULES, ['a', 'b']);
  assert.equal([floors(graph), arrows(graph)], [3, 3]);
  assert.equal([floors(within(graph, 'a')), arrows(within(graph, 'a'))], [3, 2]);
  assert.equal([floors(new Map()), arrows(new Map())], [0, 0]);
  assert.throws(
    () =>
      floors(
        new Map([
          ['x', ['y']],
          ['y', ['x']],
        ]),
      ),
    /an import cycle runs through x/,
  );
});

test('folders that import each other are a cycle, directly or through others, on every level', () => {
  const graph = new Map([
    ['top/a/one.ts', ['top/b/one.ts']],
    ['top/b/one.ts', ['top/c/deep/one.ts', 'top/main.ts']],
    ['top/c/two.ts', ['top/a/two.ts']],
    ['top/c/deep/one.ts', []],
    ['top/a/two.ts', []],
    ['top/main.ts', ['top/b/one.ts', 'low/x/one.ts']],
    ['low/x/one.ts', ['low/y/one.ts']],
    ['low/y/one.ts', []],
  ]);
  const cycle = {
    folders: ['top/a', 'top/b', 'top/c'],
    imports: ['top/a/one.ts > top/b/one.ts', 'top/b/one.ts > top/c/deep/one.ts', 'top/c/two.ts > top/a/two.ts'],
  };
  assert.equal(folderCycles(graph), [cycle]);
  graph.set('low/y/one.ts', ['low/x/one.ts', 'top/a/two.ts']);
  assert.equal(
    folderCycles(graph).map(({ folders }) => folders),
    [
      ['top/a', 'top/b', 'top/c'],
      ['low', 'top'],
      ['low/x', 'low/y'],
    ],
  );
});

test('a file with two importers or none is not a one-importer file', () => {
  const graph = new Map([
    ['a', ['b', 'c']],
    ['d', ['c', 'c']],
    ['e', ['f', 'f']],
    ['b', []],
    ['c', []],
    ['f', []],
  ]);
  assert.equal([...withOneImporter(graph)], ['b', 'f']);
});

test('only folders of other suites count, and tests/support is shared', () => {
  const text =
    "import { a } from '../sql/rows.js';\nimport { b } from './own.js';\nimport { c } from '../support/compiled.js';\nawait import('../oracle/random.js');\nimport { d } from '../../server/main.js';\n";
  assert.equal(crossSuiteImports('tests/plan/plan.test.ts', text), ['tests/sql/rows.js', 'tests/oracle/random.js']);
  assert.equal(
    crossSuiteImports('tests/sql/deep/plan.test.ts', "import '../rows.js';\nexport { a } from '../rows.js';\n"),
    [],
  );
  assert.equal(crossSuiteImports('scripts/house.ts', "import { a } from '../tests/sql/rows.js';\n"), []);
});

test('the message layer counts handwritten files', () => {
  const files = [
    'proto/wire/reader.ts',
    'proto/generator/validate-fields.ts',
    'proto/wire/json-scan.ts',
    'server/transport/reflection-messages.ts',
  ];
  assert.equal(
    files.filter((file) => !isMessageLayer(file)),
    [],
  );
  const others = [
    'proto/gen/descriptors.ts',
    'proto/openapi/schemas.ts',
    'proto/tls-channel.ts',
    'proto/wire/reader.test.ts',
    'proto/buf.yaml',
    'server/transport/rpc.ts',
    'packages/client/index.ts',
  ];
  assert.equal(others.filter(isMessageLayer), []);
});

test('the output of generators is generated', () => {
  assert.equal(
    ['generated/index.ts', 'examples/x/generated/types.ts', 'proto/gen/descriptors.ts', 'tests/golden/a/b.ts'].filter(
      isGenerated,
    ).length,
    4,
  );
  assert.equal(
    ['tests/generated/golden.test.ts', 'proto/generator/validate-fields.ts', 'scripts/check-generated.ts'].filter(
      isGenerated,
    ),
    [],
  );
});

test('lines end with a line break, except perhaps the last', () => {
  assert.equal(['', 'a', 'a\n', 'a\nb', '\n\n'].map(lineCount), [0, 1, 1, 2, 2]);
});

test('columns are code points, not UTF-16 units', () => {
  assert.equal(longLines(`${'x'.repeat(120)}\n${'y'.repeat(121)}\n'${'😀'.repeat(118)}'\n`, 120), { code: 1, text: 0 });
});

test('a line that is too long only because of its strings counts as text, otherwise as code', () => {
  const long = 'x'.repeat(121);
  const counts = (line: string) => longLines(`const a = 1;\n${line}\n`, 120);
  assert.equal(counts(`say('${long}');`), { code: 0, text: 1 });
  assert.equal(counts(`const pattern = /${long}/;`), { code: 0, text: 1 });
  assert.equal(counts(`const page = \`\n${long}\n${long}\n\`;`), { code: 0, text: 2 });
  assert.equal(counts(`const text = \`a \${${long}} b\`;`), { code: 1, text: 0 });
  assert.equal(counts(`// ${long}`), { code: 1, text: 0 });
  assert.equal(counts(`call('a', ${long});`), { code: 1, text: 0 });
});

test('a row is met when all of its figures are', () => {
  const lines = table([
    {
      what: 'files',
      figures: [
        { value: 47, aim: 30, unit: 'files' },
        { value: 3_000, aim: 3_000, unit: 'lines' },
      ],
    },
    { what: 'share', figures: [{ value: 39.96, aim: 40, unit: '%' }] },
  ]).split('\n');
  assert.equal(lines.map((line) => line.split('|').map((cell) => cell.trim())).slice(2), [
    ['', 'files', '47 files, 3,000 lines', '30 files, 3,000 lines', 'not met', ''],
    ['', 'share', '40 %', '40 %', 'met', ''],
  ]);
  assert.is(new Set(lines.map((line) => line.length)).size, 1);
});

test('frames of a stack are the files of a folder, the outermost first', () => {
  const stack = [
    'file:///root/runtime/check.ts',
    'file:///root/server/http.ts?tsx=1',
    'node:events',
    'file:///root/node_modules/a/b.js',
  ];
  assert.equal(framesIn(stack, '/root'), ['server/http.ts', 'runtime/check.ts']);
});

test.run();
