import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { compile } from '../compiler/compile.js';
import { Source } from '../compiler/diagnostics/source.js';
import type { EmittedFile } from '../compiler/ir/emitted-file.js';
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

/** What programs weigh that embed the engine, from the least to the whole. */
export async function sizes(): Promise<readonly Size[]> {
  const contact = ['contact.yaml'];
  const all = readdirSync(POLICIES).filter((path) => path.endsWith('.yaml'));
  return [
    await sizeOf('the core of the engine', 6_144, CORE),
    await sizeOf('engine and contact policy, checks only', 10_240, PROGRAM, emitted(contact, true)),
    await sizeOf('engine and contact policy, with plans', undefined, PROGRAM, emitted(contact, false)),
    await sizeOf('engine and policies/, checks only', undefined, PROGRAM, emitted(all, true)),
    await sizeOf('engine and policies/, with plans', undefined, PROGRAM, emitted(all, false)),
  ];
}

const POLICIES = fileURLToPath(new URL('../policies/', import.meta.url));
const CORE = "export { createEngine } from '#runtime/engine';";
const PROGRAM =
  "import { createEngine } from '#runtime/engine'; import { policies } from 'policies'; export const engine = " +
  'createEngine(policies);';

async function sizeOf(
  name: string,
  budget: number | undefined,
  program: string,
  files: readonly EmittedFile[] = [],
): Promise<Size> {
  const text = await minifiedProgram(program, files);
  return { name, bytes: Buffer.byteLength(text), gzipped: gzipSync(text, { level: 9 }).length, budget };
}

function emitted(paths: readonly string[], checksOnly: boolean): readonly EmittedFile[] {
  const sources = paths.map((path) => new Source(path, readFileSync(`${POLICIES}${path}`, 'utf8')));
  return compile(sources, undefined, { checksOnly }).files;
}
