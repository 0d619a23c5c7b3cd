import type { Diagnostics, Note } from '../diagnostics/diagnostic.js';
import type { Code, MessageParameters } from '../diagnostics/messages.js';
import type { Place } from '../diagnostics/span.js';
import { Damage } from './repair.js';

/**
 * Keeps the first parse error of a document in source order: only that one is reported
 * (docs/spec/policy-language.md#yaml-dialect).
 */
export class FirstProblem {
  private offset = Number.POSITIVE_INFINITY;
  private reportFirst: ((report: Diagnostics) => void) | undefined;
  /** All of them. */
  readonly damage = new Damage();

  /** @param hints suggested fixes, if any; computed only for the problem that is reported. */
  note<C extends Code>(
    code: C,
    place: Place,
    parameters: MessageParameters<C>,
    hints: () => readonly Note[] = () => [],
  ): void {
    this.damage.add(place);
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
