import { once } from 'node:events';
import { allowClosedPipe } from '../closed-pipe.js';
import { visible } from '../../compiler/diagnostics/visible.js';
import { complain, EXIT, UsageError } from '../exit.js';
import { type AdminOptions, adminTargetOf } from '../audit/target.js';
import { type EntriesOptions, entriesRequest } from '../audit/entries-request.js';
import { listEntries } from '../audit/list-entries.js';
import { type EntryStyle, printEntry } from '../audit/print-entry.js';

/** The options of `audit`, as commander gives them. */
export interface AuditOptions extends AdminOptions, EntriesOptions {
  readonly raw?: boolean;
}

/**
 * `audit` (docs/spec/server.md#audit): asks a server's admin API for entries of its audit log, and prints them as they
 * come. Returns the exit code: done, the server refuses or cannot be reached, wrong arguments.
 */
export async function audit(options: AuditOptions): Promise<number> {
  try {
    const request = entriesRequest(options, Date.now());
    const target = adminTargetOf(options);
    const style = styleOf(options);
    // The library of gRPC names servers by their IP addresses in TLS, which Node would tell our users of.
    process.noDeprecation = true;
    allowClosedPipe();
    const output = process.stdout;
    for await (const entry of listEntries(target, request)) {
      if (!output.writable) break;
      if (!output.write(printEntry(entry, style)))
        await Promise.race([once(output, 'drain'), once(output, 'close')]).catch(() => undefined);
    }
    return EXIT.done;
  } catch (error) {
    complain(new Error(visible(error instanceof Error ? error.message : String(error))));
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

function styleOf({ raw = false }: AuditOptions): EntryStyle {
  if (raw) return 'raw';
  return process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined ? 'colored' : 'plain';
}
