import { visible } from '../../../../compiler/diagnostics/visible.js';
import { columns } from '../../report/columns.js';
import type { UnprovidedFact } from '../unprovided.js';

/** The facts that callers have to send, with the actions that read them and where. */
export function unprovidedText(facts: readonly UnprovidedFact[], pathOf: (file: string) => string): string {
  if (facts.length === 0) return 'sources provide every fact that decisions read\n';
  const formatPlace = (line: string): string =>
    line.replace(/^(.*):(\d+)$/, (_, file: string, number: string) => `${visible(pathOf(file))}:${number}`);
  const rows = facts.map(({ kind, isNamedKind, fact, actions, lines }) => [
    isNamedKind ? visible(kind) : 'any other kind',
    visible(fact),
    actions.map((action) => visible(action)).join(', '),
    lines.map(formatPlace).join(', '),
  ]);
  return `no source provides these facts, so callers must send them:\n${columns(rows)
    .map((line) => `  ${line}\n`)
    .join('')}`;
}
