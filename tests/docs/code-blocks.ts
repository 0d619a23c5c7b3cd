import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { ROOT } from '../support/compiled.js';
import { type Block, titleOf } from '../support/docs/blocks.js';
import { matchesText } from '../support/docs/expected.js';
import { PACKAGE_SOURCES } from '../support/docs/package-sources.js';

/** The output of a block, or its failure. */
interface Ran {
  readonly printed: readonly string[];
  readonly error?: string;
}

/**
 * Type-checks all blocks of TypeScript as one program and runs each. The comments `// => text` are the expected output,
 * in order. The package is `authz/...`; the repository's policies are `./generated/...` and `./dist/policies.js`.
 * @param base the HTTP and gRPC addresses of the test server.
 */
export async function runCode(
  blocks: readonly Block[],
  base: { readonly http: string; readonly grpc: string },
): Promise<readonly string[]> {
  if (blocks.length === 0) return [];
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache', 'docs-code-'));
  try {
    symlinkSync(join(ROOT, 'generated'), join(folder, 'generated'));
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist/policies.ts'), "export { policies, traced } from '../generated/index.js';\n");
    const paths = Object.fromEntries(Object.entries(PACKAGE_SOURCES).map(([name, file]) => [name, [join(ROOT, file)]]));
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions: { paths }, include: ['*.ts'] }),
    );
    const files = blocks.map(({ text }, index) => {
      const file = join(folder, `block-${index}.ts`);
      const bound = text.replaceAll('http://localhost:3592', base.http).replaceAll('localhost:3593', base.grpc);
      writeFileSync(file, `${bound}\nexport {};\n`);
      return file;
    });
    const mistakes = typeProblems(files, blocks, paths);
    if (mistakes.length > 0) return mistakes;
    const ran = await runAll(files, folder);
    return blocks.flatMap((block, index) => problemsOfRun(block, ran[index]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function typeProblems(
  files: readonly string[],
  blocks: readonly Block[],
  paths: { readonly [name: string]: readonly string[] },
): readonly string[] {
  const read = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, ROOT);
  // A page may name a value without using it.
  const program = ts.createProgram(files, {
    ...options,
    noUnusedLocals: false,
    preserveSymlinks: true,
    paths: paths as ts.MapLike<string[]>,
  });
  return files.flatMap((file, index) => {
    const source = program.getSourceFile(file);
    const diagnostics = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return diagnostics.map(({ messageText, start = 0 }) => {
      const line = source === undefined ? 0 : source.getLineAndCharacterOfPosition(start).line;
      return `${titleOf(blocks[index] as Block)}: line ${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
  });
}

/** One process for all: each block is a module, whose `console.log` is captured. */
async function runAll(files: readonly string[], folder: string): Promise<readonly Ran[]> {
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
    const environment = { ...process.env, FORCE_COLOR: '0', TSX_TSCONFIG_PATH: join(folder, 'tsconfig.json') };
    execFile(
      process.execPath,
      ['--import', 'tsx', runner],
      { cwd: folder, env: environment, timeout: 120_000 },
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
