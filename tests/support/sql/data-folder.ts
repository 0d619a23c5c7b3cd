import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { madeOnce } from '../built-once.js';

/**
 * Fills the data folder of a database server with a copy of one that is made once for all test files: a program that
 * creates the first databases takes longer than most tests of them.
 *
 * @param kind the database, which begins the name of the folder that is copied.
 * @param program what creates the first databases. An update of it makes the folder again.
 * @param data the folder, which is not there yet, and belongs to its maker.
 * @param create creates the first databases in `data`.
 */
export function fillDataFolder(kind: string, program: string, data: string, create: () => void): void {
  const { size, mtimeMs } = statSync(program);
  const made = madeOnce(kind, `${size}-${Math.floor(mtimeMs)}-${process.getuid?.() ?? 0}`, (folder) => {
    create();
    execFileSync('cp', ['-a', data, `${folder}/data`]);
    execFileSync('rm', ['-r', data]);
  });
  // `-a` keeps the owners: a server wants its folder for itself.
  execFileSync('cp', ['-a', `${made}/data`, data]);
}
