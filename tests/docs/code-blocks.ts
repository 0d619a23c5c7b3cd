import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { callShipped } from '../support/cli/call-authzc.js';
import { ROOT } from '../support/compiled.js';
import { type Block, type Page, titleOf } from '../support/docs/blocks.js';
import { matchesText } from '../support/docs/expected.js';
import { PACKAGE_SOURCES } from '../support/docs/package-sources.js';
import { LAST_RESORT } from '../support/timeout.js';

/** The output of a block, or its failure. */
interface Ran {
  readonly printed: readonly string[];
  readonly error?: string;
}

/** What the code of pages finds around it. */
export interface CodeSettings {
  /** The HTTP and gRPC addresses of the test server. */
  readonly base?: { readonly http: string; readonly grpc: string };
  /** Called for a page with policies of its own and its folder, before its code is checked. */
  readonly prepare?: (page: Page, folder: string) => Promise<void>;
}

/** The code of some pages, in a folder. */
export interface CheckedCode {
  /** What TypeScript says of it. */
  readonly mistakes: readonly string[];
  /** Runs blocks of the pages. Returns those that fail or print something else than shown. */
  readonly run: (
    page: Pick<Page, 'blocks'>,
    environment: { readonly [name: string]: string },
  ) => Promise<readonly string[]>;
  readonly remove: () => void;
}

/**
 * Type-checks all blocks of TypeScript of pages as one program and runs each. The comments `// => text` are the expected
 * output, in order. The package is `authz/...`; the policies are `./generated/...` and `./dist/policies.js`: those of the
 * repository or, on a page that has files in `policies`, those of the page, next to its other files.
 */
export async function runCode(pages: readonly Page[], settings: CodeSettings = {}): Promise<readonly string[]> {
  if (!pages.some(hasCode)) return [];
  const { mistakes, runAllPages, remove } = await openCode(pages, settings);
  try {
    return mistakes.length > 0 ? mistakes : await runAllPages();
  } finally {
    remove();
  }
}

/** Type-checks all blocks of pages as `runCode` does, and leaves it to the caller when the blocks of a page run. */
export function checkCode(pages: readonly Page[], settings: CodeSettings = {}): Promise<CheckedCode> {
  return openCode(pages, settings);
}

async function openCode(
  pages: readonly Page[],
  { base, prepare }: CodeSettings,
): Promise<CheckedCode & { readonly runAllPages: () => Promise<readonly string[]> }> {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache', 'docs-code-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    symlinkSync(join(ROOT, 'policies'), join(folder, 'policies'));
    await compilePolicies(folder);
    const paths = Object.fromEntries(Object.entries(PACKAGE_SOURCES).map(([name, file]) => [name, [join(ROOT, file)]]));
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions: { paths }, include: ['**/*.ts'] }),
    );
    const sources: Source[] = [];
    for (const [index, page] of pages.entries()) {
      const project = hasOwnPolicies(page) ? join(folder, `page-${index}`) : folder;
      if (project !== folder) {
        sources.push(...(await writeProject(page, project)));
        await prepare?.(page, project);
      }
      for (const block of page.blocks.filter(isCode)) sources.push(inFolder(block, project, sources.length, base));
    }
    const mistakes = typeProblems(sources, folder, paths);
    const running = sources.filter(({ block }) => isCode(block));
    const runSources = async (
      some: readonly Source[],
      environment: { readonly [name: string]: string },
    ): Promise<readonly string[]> => {
      const ran = await runAll(
        some.map(({ file }) => file),
        folder,
        environment,
      );
      return some.flatMap(({ block }, index) => problemsOfRun(block, ran[index]));
    };
    return {
      mistakes,
      run: ({ blocks }, environment) =>
        runSources(
          running.filter(({ block }) => blocks.includes(block)),
          environment,
        ),
      runAllPages: () => runSources(running, {}),
      remove,
    };
  } catch (error) {
    remove();
    throw error;
  }
}

function hasCode({ blocks }: Page): boolean {
  return blocks.some(isCode);
}

/** Whether the code of a page is about policies on the page. */
function hasOwnPolicies({ blocks, installs }: Page): boolean {
  return !installs && blocks.some(isCode) && blocks.some(({ file }) => file?.startsWith('policies/'));
}

/** A file with the text of a block. */
interface Source {
  readonly block: Block;
  readonly file: string;
}

/** Whether a block runs by itself: it is neither a file of a project nor an excerpt. */
function isCode({ language, words, file }: Block): boolean {
  return language === 'ts' && file === undefined && !words.has('excerpt');
}

/** Writes the files of a page, and compiles its policies. Returns its modules. */
async function writeProject({ blocks }: Page, folder: string): Promise<readonly Source[]> {
  const sources = blocks.flatMap((block) => {
    const path = block.file;
    // What the compiler writes is there once it ran.
    if (path === undefined || path.startsWith('generated/')) return [];
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, block.text);
    return path.endsWith('.ts') ? { block, file } : [];
  });
  await compilePolicies(folder);
  return sources;
}

/** Compiles the policies of a folder to `generated`, with `dist/policies.js` as these modules. */
async function compilePolicies(folder: string): Promise<void> {
  const bundle = join(folder, '.bundle/policies.js');
  const { code, output } = await callShipped(
    ['compile', 'policies', '--explain', '--facts', '--bundle', bundle],
    folder,
  );
  if (code !== 0) throw new Error(output);
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist/policies.ts'), "export { policies, traced } from '../generated/index.js';\n");
}

function inFolder(block: Block, folder: string, index: number, base: CodeSettings['base']): Source {
  const file = join(folder, `block-${index}.ts`);
  const text =
    base === undefined
      ? block.text
      : block.text
          .replaceAll('http://localhost:3592', base.http)
          .replaceAll('localhost:3593', base.grpc)
          // A busy machine may need longer than readers would wait.
          .replaceAll(/\btimeout: \d+\b/g, `timeout: ${LAST_RESORT}`);
  writeFileSync(file, `${text}\nexport {};\n`);
  return { block, file };
}

/** What TypeScript says of the blocks. What a page imports from the repository answers for itself. */
function typeProblems(
  sources: readonly Source[],
  folder: string,
  paths: { readonly [name: string]: readonly string[] },
): readonly string[] {
  const project = join(folder, 'tsconfig.check.json');
  // A page may name a value without using it.
  const compilerOptions = { noEmit: true, noUnusedLocals: false, preserveSymlinks: true, paths };
  const files = [...sources.map(({ file }) => file), join(ROOT, 'tests/support/sql/pg.d.ts')];
  writeFileSync(project, JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: [], files }));
  const { stdout } = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules/typescript-7/bin/tsc'), '--pretty', 'false', '--singleThreaded', '-p', project],
    { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 },
  );
  const blocks = new Map(sources.map(({ block, file }) => [file, block]));
  return stdout.split('\n').flatMap((line) => {
    if (/^error TS/.test(line)) return line;
    const [, path = '', at = '', message = ''] = /^(.+?)\((\d+),\d+\): (error .*)$/.exec(line) ?? [];
    const block = blocks.get(resolve(folder, path));
    return block === undefined ? [] : `${titleOf(block)}: line ${at}: ${message}`;
  });
}

/** One process for all: each block is a module, whose `console.log` is captured. */
async function runAll(
  files: readonly string[],
  folder: string,
  settings: { readonly [name: string]: string },
): Promise<readonly Ran[]> {
  const runner = join(folder, 'run.mjs');
  writeFileSync(
    runner,
    `import { formatWithOptions } from 'node:util';
const ran = [];
const log = console.log;
for (const file of ${JSON.stringify(files.map((file) => pathToFileURL(file).href))}) {
  const printed = [];
  console.log = (...values) => printed.push(formatWithOptions({ breakLength: Infinity, depth: 10 }, ...values));
  try { await import(file); ran.push({ printed }); } catch (error) { ran.push({ printed, error: String(error?.stack ?? error) }); }
}
log(JSON.stringify(ran));
process.exit(0);
`,
  );
  return new Promise((resolve, reject) => {
    const environment = {
      ...process.env,
      ...settings,
      FORCE_COLOR: '0',
      TSX_TSCONFIG_PATH: join(folder, 'tsconfig.json'),
    };
    execFile(
      process.execPath,
      ['--import', 'tsx', runner],
      { cwd: folder, env: environment, timeout: LAST_RESORT },
      (error, stdout, stderr) => {
        if (error === null) resolve(JSON.parse(stdout) as readonly Ran[]);
        else reject(new Error(`the blocks could not be run: ${stderr}`));
      },
    );
  });
}

function problemsOfRun(block: Block, ran: Ran | undefined): readonly string[] {
  if (ran === undefined) return [`${titleOf(block)}: was not run`];
  if (ran.error !== undefined) return [`${titleOf(block)}: ${ran.error}`];
  const shown = [...block.text.matchAll(/\/\/ => (.*)$/gm)].map(([, text]) => text ?? '');
  const isAsShown =
    shown.length === ran.printed.length &&
    shown.every((text, index) => matchesText(ran.printed[index] as string, text));
  return isAsShown
    ? []
    : [`${titleOf(block)}: it printed ${JSON.stringify(ran.printed)}, and the page says ${JSON.stringify(shown)}`];
}
