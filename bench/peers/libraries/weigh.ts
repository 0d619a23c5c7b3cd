import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { compile } from '../../../compiler/compile.js';
import { Source } from '../../../compiler/diagnostics/source.js';
import { minifiedProgram } from '../../../scripts/minified-program.js';
import { weighProgram } from '../../harness/programs.js';
import { FOLDER } from './install.js';
import type { Library } from './libraries.js';
import type { Workload } from './workload.js';

/** What a library weighs in a program, with its WebAssembly: minified and gzipped, in bytes. */
export async function weighLibrary({ imports, package: name, wasm }: Library): Promise<number> {
  const program = await weighProgram(imports, FOLDER);
  return wasm === undefined
    ? program
    : program + gzipSync(readFileSync(join(FOLDER, 'node_modules', name, wasm))).length;
}

/** What the engine weighs with the policies of a workload, without what plans need. */
export async function weighAuthz({ policies }: Workload): Promise<number> {
  const sources = Object.entries(policies).map(([file, text]) => new Source(file, text));
  const { files } = compile(sources, undefined, { checksOnly: true });
  const program =
    "import { createEngine } from 'authz/runtime'; import { policies } from 'policies'; export const engine = createEngine(policies);";
  return gzipSync(await minifiedProgram(program, files)).length;
}
