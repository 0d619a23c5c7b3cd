import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { ROOT } from './compiled.js';

/** Where `.ci/run` installs Prisma, which is larger than all other dependencies together. */
export const PRISMA = join(ROOT, '.cache/prisma/node_modules');

/** Generates the client of a folder, which needs no engine but downloads one unless it is told of another. */
export async function generateClient(folder: string, ...options: readonly string[]): Promise<void> {
  symlinkSync(PRISMA, join(folder, 'node_modules'));
  await promisify(execFile)(process.execPath, [join(PRISMA, 'prisma/build/index.js'), 'generate', ...options], {
    cwd: folder,
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' },
  });
}

/** Bundles a program with the client that was generated in a folder, as `bundled.mjs` there. */
export async function bundleWithClient(program: URL, folder: string): Promise<void> {
  await build({
    entryPoints: [program.pathname],
    outfile: join(folder, 'bundled.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@prisma/*'],
    alias: { 'generated-client': join(folder, 'client/client.ts') },
    logLevel: 'error',
  });
}
