import { readFileSync } from 'node:fs';
import type { SqlTable } from '../../runtime/residual/sql/index.js';
import type { SourcesConfig } from '../config.js';
import { ConfigError } from '../config/config-error.js';
import { readTable } from '../config/table-file.js';
import { explainReadError } from '../read-error.js';

/** The attributes that a source is said to provide; undefined: all of its columns. */
export function listProvided(provides: SourcesConfig['from'][string]['provides']): readonly string[] | undefined {
  return provides === undefined || Array.isArray(provides) ? provides : Object.keys(provides);
}

/** Reads the table of a kind from a file of tables. Throws a ConfigError if it cannot. */
export function openTable(file: string, kind: string): SqlTable {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(explainReadError(error), file);
  }
  return readTable(text, file, kind);
}
