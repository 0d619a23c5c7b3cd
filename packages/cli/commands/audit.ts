import { once } from 'node:events';
import type { JsonObject } from '@bufbuild/protobuf';
import { visible, visibleJson } from '../../../compiler/diagnostics/visible.js';
import { type EntriesOptions, entriesRequest, listEntries } from '../audit/list-entries.js';
import { type AdminOptions, makeAdminTarget } from '../audit/target.js';
import { type CommandContext, isColorful } from '../context.js';
import { EXIT, printError, UsageError } from '../exit.js';

/** The command line options of `audit`. */
export interface AuditOptions extends AdminOptions, EntriesOptions {
  readonly raw?: boolean;
}

/**
 * `audit` (docs/spec/server.md#audit): asks a server's admin API for entries of its audit log, and prints them as they
 * come. Returns the exit code: done, the server refuses or cannot be reached, wrong arguments.
 */
export async function audit(options: AuditOptions, context: CommandContext): Promise<number> {
  try {
    const request = entriesRequest(options, Date.now());
    const target = makeAdminTarget(options);
    const style = chooseStyle(options, context);
    const output = context.stdout;
    for await (const entry of listEntries(target, request)) {
      if (!output.writable) break;
      if (!output.write(printEntry(entry, style)))
        await Promise.race([once(output, 'drain'), once(output, 'close')]).catch(() => undefined);
    }
    return EXIT.done;
  } catch (error) {
    printError(new Error(visible(error instanceof Error ? error.message : String(error))), context);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

function chooseStyle({ raw = false }: AuditOptions, context: CommandContext): EntryStyle {
  if (raw) return 'raw';
  return isColorful(context.stdout, context) ? 'colored' : 'plain';
}

/** How entries are shown. */
export type EntryStyle = 'raw' | 'plain' | 'colored';

/**
 * An entry as text for a terminal: JSON on one line, or indented below its call id. Callers can write anything, so
 * control characters are escaped as in JSON. Ends with a line break.
 */
function printEntry(entry: JsonObject, style: EntryStyle): string {
  switch (style) {
    case 'raw':
      return `${visibleJson(entry)}\n`;
    case 'plain':
      return `${formatHeading(entry)}\n${visibleJson(entry, 2)}\n\n`;
    case 'colored':
      return `${BOLD}${formatHeading(entry)}${RESET}\n${visibleJson(entry, 2).replace(KEYS, `$1${CYAN}$2${RESET}:`)}\n\n`;
  }
}

const BOLD = '\u001b[1m';
const CYAN = '\u001b[36m';
const RESET = '\u001b[0m';

/** A key begins its line; a string cannot hold a line break. */
const KEYS = /^( +)("(?:[^"\\\n]|\\.)*"):/gm;

function formatHeading({ callId }: JsonObject): string {
  return typeof callId === 'string' && callId !== '' ? visible(callId) : 'no call id';
}
