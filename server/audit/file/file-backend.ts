import { write } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { FileAuditConfig } from '../../config/audit-config.js';
import { AT_ONCE, type AuditBackend, type OnAuditProblem, type Written } from '../backend.js';
import type { StoredRecord } from '../record.js';
import { FileTarget, lastLine, probeFile } from './file-target.js';
import { type LineTarget, LineWriter } from './line-writer.js';

/**
 * Writes entries as JSON lines to a file, stdout or stderr, and to mirrors (docs/spec/server.md#audit-backends). An
 * entry counts as written when every target has it. All files are opened at start; rejects with a ConfigError for one
 * that cannot be opened.
 */
export async function openFileBackend(
  config: FileAuditConfig,
  onProblem: OnAuditProblem,
  delays?: readonly number[],
): Promise<AuditBackend<StoredRecord>> {
  const targets: LineTarget[] = [];
  const seen = new Set<string>();
  const hasStream = [config.path, ...config.additionalPaths].some(isStream);
  try {
    for (const [index, path] of [config.path, ...config.additionalPaths].entries()) {
      const place = isStream(path) ? path : resolve(path);
      if (seen.has(place)) continue;
      seen.add(place);
      targets.push(
        await openTarget(
          path,
          index === 0 ? 'audit.file.path' : 'audit.file.additionalPaths',
          config,
          onProblem,
          delays,
        ),
      );
    }
  } catch (error) {
    await closeAll(targets);
    throw error;
  }
  const file = [config.path, ...config.additionalPaths].find((path) => !isStream(path));
  return {
    batch: AT_ONCE,
    write: (records) => writeAll(targets, records),
    close: () => closeAll(targets),
    reader: undefined,
    closeTimeout: hasStream ? STREAM_PATIENCE : undefined,
    ...(file === undefined ? {} : { last: () => lastLine(file) }),
  };
}

/** Limit in milliseconds: the reader of stdout may have stopped reading without closing it. */
const STREAM_PATIENCE = 10_000;

function isStream(path: string): path is 'stdout' | 'stderr' {
  return path === 'stdout' || path === 'stderr';
}

async function openTarget(
  path: string,
  key: string,
  { logRotation }: FileAuditConfig,
  onProblem: OnAuditProblem,
  delays: readonly number[] | undefined,
): Promise<LineTarget> {
  if (isStream(path)) return new StreamTarget(path === 'stdout' ? 1 : 2, delays);
  const options = { rotation: logRotation, onProblem, ...(delays === undefined ? {} : { delays }) };
  return new FileTarget(path, await probeFile(path, key), options);
}

/** A record that one target could not write counts as lost and is reported; the other targets continue. */
async function writeAll(targets: readonly LineTarget[], records: readonly StoredRecord[]): Promise<Written> {
  const results = await Promise.all(targets.map((target) => target.write(records)));
  return results.reduce((worst, result) => (result.written < worst.written ? result : worst), {
    written: records.length,
    error: undefined,
  });
}

async function closeAll(targets: readonly LineTarget[]): Promise<void> {
  await Promise.all(targets.map((target) => target.close()));
}

/** The platform writes this many bytes to a pipe atomically: lines of other processes are not mixed in. */
const PIPE_PIECE = 4096;

const append = promisify(write);

/**
 * stdout or stderr, by its descriptor: the platform's stream would make the whole process wait for a slow reader, and
 * end it when the reader is gone.
 */
class StreamTarget implements LineTarget {
  readonly #writer: LineWriter;

  constructor(descriptor: 1 | 2, delays?: readonly number[]) {
    const bytes = {
      append: async (piece: Buffer): Promise<number> => (await append(descriptor, piece)).bytesWritten,
      takeBack: async (): Promise<boolean> => false,
      pieceSize: PIPE_PIECE,
    };
    this.#writer = new LineWriter(bytes, delays);
  }

  write(records: readonly StoredRecord[]): Promise<Written> {
    return this.#writer.write(records);
  }

  async close(): Promise<void> {}
}
