/** Reasons why a file cannot be read, by the code of the system. */
const REASONS: { readonly [code: string]: string | undefined } = {
  ENOENT: 'file not found',
  ENOTDIR: 'file not found',
  EISDIR: 'is a folder, not a file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'its symbolic links form a circle',
};

/** Says in words why a file cannot be read. */
export function explainReadError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code === undefined ? undefined : REASONS[code]) ?? code ?? message;
}
