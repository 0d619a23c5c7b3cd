import type { Diagnostics, Note } from '../diagnostics/diagnostic.js';
import type { Code, MessageParameters } from '../diagnostics/messages.js';
import type { Place, Span } from '../diagnostics/span.js';
import { Damage } from './repair.js';

/**
 * Collects the parse errors of a document. One cause is one diagnostic: the same mistake in the same field of many items
 * is reported at the first, and a node that aliases repeat once.
 */
export class ParseProblems {
  private readonly causes = new Map<string, Cause>();
  /** The places of all, and of what broke without an error of its own. */
  readonly damage = new Damage();
  private omitted = 0;

  /** @param silent where problems are likely to follow from what was reported. */
  constructor(private readonly silent: readonly Pick<Span, 'start' | 'end'>[] = []) {}

  /** @param hints suggested fixes, if any; computed only for problems that are reported. */
  note<C extends Code>(code: C, place: Place, parameters: MessageParameters<C>, hints?: () => readonly Note[]): void {
    this.damage.add(place);
    if (this.silent.some(({ start, end }) => start <= place.anchor && place.anchor <= end)) return;
    const key = JSON.stringify([code, parameters, place.path.replace(/\[\d+\]/g, '[]')]);
    const known = this.causes.get(key);
    if (known !== undefined) {
      known.places.set(place.anchor, place);
      return;
    }
    if (this.causes.size >= MOST_CAUSES) {
      this.omitted += 1;
      return;
    }
    const reportTo = (report: Diagnostics, [first, ...others]: readonly Place[]): void =>
      report.add(code, first, parameters, { others, ...(hints && { hints }) });
    this.causes.set(key, { places: new Map([[place.anchor, place]]), reportTo });
  }

  get found(): boolean {
    return !this.damage.isEmpty;
  }

  reportTo(report: Diagnostics): void {
    for (const { places, reportTo } of this.causes.values())
      reportTo(
        report,
        [...places.values()].sort((a, b) => a.anchor - b.anchor),
      );
    report.omit('error', this.omitted);
  }
}

/** The maximum number of causes that are kept of one document: the memory of hostile ones is bounded. */
const MOST_CAUSES = 1000;

interface Cause {
  /** Places, keyed by offset. */
  readonly places: Map<number, Place>;
  readonly reportTo: (report: Diagnostics, places: readonly Place[]) => void;
}
