import type { Compilation } from '../../../compiler/compile.js';
import { isReadFromPolicies, SCHEMAS_DIRECTORY } from '../../../compiler/load/names.js';
import { compileTexts, type TextFile } from '../../../compiler/policy-texts.js';

/** Compiles the policies among files. */
export function compileFiles(files: readonly TextFile[]): Compilation {
  const read = files.filter(({ path }) => isReadFromPolicies(path));
  const below = `${SCHEMAS_DIRECTORY}/`;
  return compileTexts({
    policies: read.filter(({ path }) => !path.startsWith(below)),
    schemas: read.flatMap(({ path, text }) =>
      path.startsWith(below) ? [{ path: path.slice(below.length), text }] : [],
    ),
  });
}
