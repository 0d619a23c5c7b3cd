import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { ConfigError } from '../../config/config-error.js';
import { readLinked } from './link.js';
import { explainReadError } from '../../read-error.js';

/** An entry of a chain, by its sequence number and its hash. Sequence 0 is before the first entry. */
export interface ChainPoint {
  readonly sequence: number;
  readonly hash: string;
}

/** How far a chain has come. */
export interface ChainPosition {
  readonly id: string;
  /** The last entry that the backend has. */
  readonly written: ChainPoint;
  /** The last entry that was given to the backend; entries after `written` may have got there or not. */
  readonly sent: ChainPoint;
}

/** The position after an entry, in the form that the backend keeps it. Undefined: it has no link. */
export function positionAfter(text: string): ChainPosition | undefined {
  try {
    const linked = readLinked(text);
    if (linked === undefined) return undefined;
    const point = { sequence: linked.place.sequence, hash: linked.hash };
    return { id: linked.place.id, written: point, sent: point };
  } catch {
    return undefined;
  }
}

/**
 * Where a chain continues after a restart. The log itself decides if it is not behind the state file, and otherwise the
 * file: what the log had more is then found missing.
 */
export function continued(
  saved: ChainPosition | undefined,
  last: ChainPosition | undefined,
): ChainPosition | undefined {
  if (saved === undefined || last === undefined) return saved ?? last;
  return last.id === saved.id && last.sent.sequence >= saved.sent.sequence ? last : saved;
}

/** The file that keeps the position of a chain, for a server that starts again. */
export class PositionFile {
  constructor(private readonly path: string) {}

  /** Undefined: there is no file yet. Throws a ConfigError for a file that cannot be used. */
  read(): ChainPosition | undefined {
    try {
      return readPosition(JSON.parse(readFileSync(this.path, 'utf8')));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      throw new ConfigError(
        `\`${this.path}\` cannot be read: ${explainReadError(error)}; delete it to begin a new chain`,
        'audit.chain.stateFile',
      );
    }
  }

  /** Throws the error of the platform. */
  write(position: ChainPosition): void {
    const next = `${this.path}.next`;
    writeFileSync(next, `${JSON.stringify(position)}\n`, { mode: 0o600 });
    renameSync(next, this.path);
  }
}

function readPosition(value: unknown): ChainPosition {
  const { id, written, sent } = value as { readonly [member: string]: unknown };
  if (typeof id !== 'string' || !isPoint(written) || !isPoint(sent)) throw new Error('it is not a valid chain state');
  return { id, written, sent };
}

function isPoint(value: unknown): value is ChainPoint {
  if (typeof value !== 'object' || value === null) return false;
  const { sequence, hash } = value as { readonly [member: string]: unknown };
  return Number.isSafeInteger(sequence) && typeof hash === 'string';
}
