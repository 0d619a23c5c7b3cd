import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../compiled.js';
import { LAST_RESORT } from '../timeout.js';

/** A runtime other than the Node of this process, which runs a module from the command line. */
export interface Runtime {
  readonly name: string;
  /** The program, which `.ci/run` installs. */
  readonly program: string;
  /** What stands before the module: permissions, of which a runtime asks nobody for more. */
  readonly words: readonly string[];
}

const FOLDER = join(ROOT, '.cache/runtimes');

export const RUNTIMES: readonly Runtime[] = [
  { name: 'Deno', program: join(FOLDER, 'deno'), words: ['run', '--quiet', '--no-prompt', '--allow-net=127.0.0.1'] },
  { name: 'Bun', program: join(FOLDER, 'bun'), words: [] },
  { name: 'Node 22', program: join(FOLDER, 'node-22'), words: [] },
];

/** Whether `.ci/run` has installed a runtime. */
export function isInstalled({ program }: Runtime): boolean {
  return existsSync(program);
}

/**
 * Runs a module that exports `answers` in a runtime, and returns them.
 * @param question the argument of `answers`.
 */
export async function inRuntime({ program, words }: Runtime, module: string, question = ''): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-runtime-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}\n');
    writeFileSync(join(folder, 'program.js'), module);
    const main = `import { answers } from './program.js';\nconsole.log(await answers(${JSON.stringify(question)}));\n`;
    writeFileSync(join(folder, 'main.js'), main);
    const { stdout } = await promisify(execFile)(program, [...words, join(folder, 'main.js')], {
      cwd: folder,
      timeout: LAST_RESORT,
      maxBuffer: 64 << 20,
    });
    return stdout.replace(/\n$/, '');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
