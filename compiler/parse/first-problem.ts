import type { Diagnostics, Note } from '../diagnostics/diagnostic.js';
import type { Code, MessageParameters } from '../diagnostics/messages.js';
import type { Place } from '../diagnostics/span.js';

/**
 * Keeps the first parse error of a document in source order: only that one is reported
 * (docs/spec/policy-language.md#yaml-dialect).
 */
export class FirstProblem {
  private offset = Number.POSITIVE_INFINITY;
  private reportFirst: ((report: Diagnostics) => void) | undefined;

  /** @param hints suggested fixes, if any; computed only for the problem that is reported. */
  note<C extends Code>(
    code: C,
    place: Place,
    parameters: MessageParameters<C>,
    hints: () => readonly Note[] = () => [],
  ): void {
    if (place.anchor >= this.offset) return;
    this.offset = place.anchor;
    this.reportFirst = (report) => report.add(code, place, parameters, { notes: hints() });
  }

  get found(): boolean {
    return this.reportFirst !== undefined;
  }

  reportTo(report: Diagnostics): void {
    this.reportFirst?.(report);
  }
}
