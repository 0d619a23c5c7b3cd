import { ArchiveError } from '../../bundle/index.js';
import { visible } from '../../../compiler/diagnostics/visible.js';

/** Runs work on a file, whose name an error gets. */
export function named<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw namedError(file, error);
  }
}

/** An error with the name of the file that it is about. */
export function namedError(file: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof ArchiveError) return new Error(`\`${visible(file)}\` ${message} (${error.reason})`);
  return code === 'ENOENT' ? new Error(`\`${visible(file)}\` does not exist`) : error;
}
