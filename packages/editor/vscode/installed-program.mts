import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The program that a folder, or one above it, has installed. Nothing is run by its name alone, which npx would fetch from
 * the registry where it is not installed.
 */
export function installedProgram(folder: string | undefined): string | undefined {
  if (folder === undefined) return undefined;
  const program = join(folder, 'node_modules/.bin', process.platform === 'win32' ? 'authzc.cmd' : 'authzc');
  if (existsSync(program)) return process.platform === 'win32' ? `"${program}"` : program;
  const above = dirname(folder);
  return above === folder ? undefined : installedProgram(above);
}
