import { constants, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { findOwner } from './owner-file.js';

/** The name of the database in its folder. */
export const DATABASE = 'audit.db';

/** Order of entries, by their times or as they were written: an access entry has the time at which its call began. */
export type EntryOrder = 'time' | 'written';

/**
 * The entries of an audit database, each as JSON, the oldest first. Reads a copy, because opening a database with a
 * write-ahead log changes it.
 *
 * @param path the database, or its folder (`audit.local.storagePath`).
 * @throws Error if it cannot be read, is no audit database, or belongs to a server that runs.
 */
export function* storedEntries(path: string, order: EntryOrder = 'time'): Generator<string> {
  const file = statSync(path).isDirectory() ? join(path, DATABASE) : path;
  const owner = findOwner(dirname(file));
  if (owner !== undefined) throw new Error(`it is in use by process ${owner}`);
  const folder = mkdtempSync(join(tmpdir(), 'authz-audit-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.on('exit', remove);
  try {
    const copy = join(folder, DATABASE);
    // Where the file system can, the copy shares its blocks with the original.
    copyFileSync(file, copy, constants.COPYFILE_FICLONE);
    if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`, constants.COPYFILE_FICLONE);
    yield* readEntries(copy, order);
  } finally {
    process.off('exit', remove);
    remove();
  }
}

function* readEntries(path: string, order: EntryOrder): Generator<string> {
  const database = new sqlite.Database(path);
  try {
    // The index of a write-ahead log is in memory, which SQLite allows to a connection that excludes all others.
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    const statement = database.prepare(`SELECT entry FROM entries ORDER BY ${order === 'time' ? 'time, id' : 'id'}`);
    try {
      for (const row of statement.iterate()) yield (row as { readonly entry: string }).entry;
    } finally {
      statement.finalize();
    }
  } finally {
    database.close();
  }
}
