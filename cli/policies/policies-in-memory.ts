import { formatPretty } from '../../compiler/diagnostics/format.js';
import { compileFolder } from '../commands/compile.js';
import { type PoliciesInMemory, policiesOf } from './compiled-policies.js';
import { decidesNothing, emptyText } from './empty-folder.js';

/**
 * Compiles a folder and writes nothing. Undefined when its policies do not compile, which is said on standard error.
 * Throws when it cannot be read or holds no policies.
 */
export async function policiesInMemory(directory: string): Promise<PoliciesInMemory | undefined> {
  const compilation = compileFolder(directory);
  if (decidesNothing(compilation))
    throw new Error(`${emptyText(directory, compilation)}: name the folder of the policies`);
  if (compilation.program !== undefined) return policiesOf(compilation, directory);
  process.stderr.write(formatPretty(compilation.diagnostics, { color: isColorful(), folder: directory }));
  return undefined;
}

/** Whether standard error is a terminal that may be coloured. */
export function isColorful(): boolean {
  return process.stderr.isTTY === true && process.env.NO_COLOR === undefined;
}
