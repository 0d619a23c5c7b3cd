import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { compile, type CompileOptions } from '../compiler/compile.js';
import { Source } from '../compiler/diagnostics/source.js';
import type { EmittedFile } from '../compiler/ir/emitted-file.js';
import { isPolicyFile } from '../compiler/load/names.js';
import { explorerFiles } from './explorer-files.js';
import { minifiedProgram } from './minified-program.js';

/** What a program of one kind weighs. */
export interface Size {
  readonly name: string;
  /** Minified. */
  readonly bytes: number;
  /** Minified and gzipped. */
  readonly gzipped: number;
  /** What it may weigh, gzipped. */
  readonly budget: number | undefined;
}

/** What programs weigh that embed the engine, from the least to the whole, and what a browser loads of the page. */
export async function sizes(): Promise<readonly Size[]> {
  const all = readdirSync(POLICIES).filter(isPolicyFile);
  const own = (options: CompileOptions, ...paths: readonly string[]): readonly EmittedFile[] =>
    emitted(
      paths.map((path) => new Source(path, readFileSync(`${POLICIES}${path}`, 'utf8'))),
      options,
    );
  return [
    await sizeOf('the core of the engine', 9_216, CORE),
    await sizeOf('engine and contact policy, checks only', 10_368, PROGRAM, own({ checksOnly: true }, 'contact.yaml')),
    await sizeOf('engine and contact policy, with plans', undefined, PROGRAM, own({}, 'contact.yaml')),
    await sizeOf('engine and policies/, checks only', undefined, PROGRAM, own({ checksOnly: true }, ...all)),
    await sizeOf('engine and policies/, with plans', undefined, PROGRAM, own({}, ...all)),
    await sizeOf('policies/, with explanations', 146_432, EXPLAINER, own({ explain: true }, ...all)),
    ...(await Promise.all(FAMILIES.flatMap(sizesOf))),
    ...(await sizesOfPage()),
  ];
}

/** What is loaded at first, when the playground is shown, when it compiles, and when more is asked of it. */
async function sizesOfPage(): Promise<readonly Size[]> {
  const { files } = await explorerFiles();
  const scripts = new Map(
    files.flatMap(({ path, contents }) => (path.endsWith('.js') ? [[path, Buffer.from(contents)] as const] : [])),
  );
  const named = (names: RegExp): readonly string[] => [...scripts.keys()].filter((path) => names.test(path));
  const compiler = loadedWith(named(/\/worker-[0-9A-Z]{8}\.js$/), scripts);
  const first = named(/\/explorer\.js$/);
  const playground = loadedWith([...first, ...named(/\/playground-/)], scripts);
  const later = (names: RegExp, before = playground): readonly string[] =>
    loadedWith(named(names), scripts).filter((path) => !before.includes(path));
  // Loaded with every editor, before anything else is chosen.
  const help = later(/\/editor-help-/);
  const asked = later(/\/worker-later-/, compiler);
  return [
    { name: 'the page at first', budget: 8_192, loaded: first },
    {
      name: 'the page, with the playground',
      budget: 143_360,
      loaded: playground.filter((path) => !first.includes(path)),
    },
    { name: 'the page, its examples', budget: 8_192, loaded: later(/\/gallery-/) },
    { name: 'the page, completion, hover and find', budget: 24_576, loaded: help },
    { name: 'the page, its compiler', budget: 335_872, loaded: compiler },
    {
      name: 'the page, its language service, analyses, SQL and tests',
      budget: 81_920,
      loaded: asked,
    },
    {
      name: 'the page, tests with unknown facts',
      budget: 12_288,
      loaded: later(/\/worker-partial-tests-/, [...compiler, ...asked]),
    },
    { name: 'the page, the description of the API', budget: 8_192, loaded: later(/\/open-api-view-/) },
    { name: 'the page, its highlighter', budget: 40_960, loaded: later(/\/highlight-/, [...playground, ...help]) },
  ].map(({ name, budget, loaded }) => {
    if (loaded.length === 0) throw new Error(`${name}: no script has its name`);
    const found = loaded.map((path) => scripts.get(path) as Buffer);
    const sum = (lengths: readonly number[]): number => lengths.reduce((all, length) => all + length, 0);
    return {
      name,
      bytes: sum(found.map(({ length }) => length)),
      gzipped: sum(found.map((contents) => gzipSync(contents, { level: 9 }).length)),
      budget,
    };
  });
}

/** Scripts, and those that they import in order to run. */
function loadedWith(first: readonly string[], scripts: ReadonlyMap<string, Buffer>): readonly string[] {
  const loaded = new Set(first);
  for (const path of loaded)
    for (const [, name] of (scripts.get(path) as Buffer).toString().matchAll(/\b(?:from|import)"\.\/([\w-]+\.js)"/g))
      loaded.add(`${path.slice(0, path.lastIndexOf('/') + 1)}${name}`);
  return [...loaded];
}

/** Conditions of one kind, and what an engine with a policy that has them may weigh. */
interface Family {
  readonly name: string;
  readonly condition: string;
  /** Of the attributes. */
  readonly schema?: string;
  readonly budget?: number;
  readonly budgetWithPlans?: number;
  /** A budget of a program that also applies filters to rows in memory. */
  readonly budgetWithSelects?: number;
}

const FAMILIES: readonly Family[] = [
  {
    name: '`==` and `in`',
    condition: 'R.attr.owner == P.id || P.id in R.attr.editors',
    budget: 10_816,
    budgetWithSelects: 32_768,
  },
  { name: 'timestamps', condition: 'timestamp(R.attr.createdAt) > timestamp("2025-01-01T00:00:00Z")' },
  {
    name: 'a schema with date-time',
    condition: 'R.attr.owner == P.id',
    schema: `{
      "type": "object",
      "required": ["owner"],
      "properties": { "owner": { "type": "string" }, "createdAt": { "type": "string", "format": "date-time" } }
    }`,
    budget: 12_288,
  },
  { name: 'a constant pattern', condition: 'R.attr.name.matches("^[a-z]+$")', budget: 13_888 },
  { name: 'a pattern of requests', condition: 'R.attr.name.matches(P.attr.pattern)' },
];

function sizesOf(family: Family): readonly Promise<Size>[] {
  const { name, condition, schema, budget, budgetWithPlans, budgetWithSelects } = family;
  const policy = new Source(
    'document.yaml',
    `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: document
  version: default${schema === undefined ? '' : "\n  schemas: { resourceSchema: { ref: 'authz:///document.json' } }"}
  rules:
    - actions: [read, edit]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: { match: { expr: '${condition}' } }
`,
  );
  const files = (checksOnly: boolean): readonly EmittedFile[] =>
    emitted([policy], { checksOnly, schemaTexts: new Map(schema === undefined ? [] : [['document.json', schema]]) });
  return [
    sizeOf(`${name}, checks only`, budget, PROGRAM, files(true)),
    sizeOf(`${name}, with plans`, budgetWithPlans, PROGRAM, files(false)),
    ...(budgetWithSelects === undefined
      ? []
      : [sizeOf(`${name}, with plans and selects`, budgetWithSelects, PROGRAM + SELECTS, files(false))]),
  ];
}

const POLICIES = fileURLToPath(new URL('../policies/', import.meta.url));
const CORE = "export { createEngine } from 'authz/runtime';";
const PROGRAM =
  "import { createEngine } from 'authz/runtime'; import { policies } from 'policies'; export const engine = " +
  'createEngine(policies);';
const EXPLAINER = "export { explainer } from 'policies';";
const SELECTS = "export { selects } from 'policies';";

async function sizeOf(
  name: string,
  budget: number | undefined,
  program: string,
  files: readonly EmittedFile[] = [],
): Promise<Size> {
  const text = await minifiedProgram(program, files);
  return { name, bytes: Buffer.byteLength(text), gzipped: gzipSync(text, { level: 9 }).length, budget };
}

function emitted(sources: readonly Source[], options: CompileOptions): readonly EmittedFile[] {
  const { files, diagnostics } = compile(sources, undefined, options);
  if (files.length === 0) throw new Error(JSON.stringify(diagnostics));
  return files;
}
