import { evaluateModule, type Exported } from '../../bundle/index.js';
import { visible } from '../../../compiler/diagnostics/visible.js';

/**
 * Loads a bundle before it is written, with its second emission, and returns its exports: a server must not be the first
 * to find out that it cannot be loaded. Nothing is decided.
 *
 * @param js the code of the bundle.
 * @param file where it will be written.
 * @throws Error if it cannot be loaded, which is a bug of the compiler.
 */
export async function loadOnce(js: string, file: string): Promise<Exported> {
  try {
    const exported = await evaluateModule(js, file);
    const { policies, traced } = exported;
    if (typeof policies !== 'object') throw new Error('it exports no policies');
    if (typeof traced === 'function') await traced();
    return exported;
  } catch (error) {
    const reason = visible(error instanceof Error ? error.message : String(error));
    throw new Error(
      `internal error: the bundle cannot be loaded (${reason}), so \`${visible(file)}\` was not written and is as it was; ` +
        'this is a bug of the compiler, not of the policies: please report it',
      { cause: error },
    );
  }
}
