import type { Diagnostic } from '../compiler/diagnostics/diagnostic.js';
import { formatList, formatPretty, type PrettyStyle } from '../compiler/diagnostics/format.js';
import { toReport } from '../compiler/diagnostics/json.js';

/** How diagnostics are shown: a line each, with their code frames, or as JSON for programs. */
export const OUTPUT_FORMATS = ['list', 'pretty', 'json'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** Shows diagnostics of a folder of policies on standard output; says nothing when there are none. */
export function say(
  diagnostics: readonly Diagnostic[],
  format: OutputFormat,
  { folder, color = isColorful() }: { readonly folder: string; readonly color?: boolean },
): void {
  if (diagnostics.length === 0) return;
  process.stdout.write(textOf(diagnostics, format, { folder, color }));
}

function textOf(diagnostics: readonly Diagnostic[], format: OutputFormat, style: PrettyStyle): string {
  switch (format) {
    case 'list':
      return formatList(diagnostics, style);
    case 'pretty':
      return formatPretty(diagnostics, style);
    case 'json':
      return `${JSON.stringify(toReport(diagnostics), undefined, 2)}\n`;
  }
}

/** Whether standard output is a terminal that may be coloured. */
export function isColorful(): boolean {
  return process.stdout.isTTY === true && process.env.NO_COLOR === undefined;
}
