import type { Details, Diagnostics, Target } from './diagnostic.js';
import type { Code, MessageParameters } from './messages.js';
import type { Place } from './span.js';

/** The report of the compile phase of linking. */
export type Problems = Pick<Diagnostics, 'add'>;

/**
 * Reports each problem once: a set that several policies import is checked once for each of them
 * (docs/spec/policy-language.md#reports).
 */
export function withoutRepeats(report: Diagnostics): Problems {
  const seen = new Set<string>();
  return {
    add<C extends Code>(code: C, target: Target, parameters: MessageParameters<C>, details: Details = {}): void {
      const key = JSON.stringify([code, ...identify(target), parameters]);
      if (seen.has(key)) return;
      seen.add(key);
      report.add(code, target, parameters, details);
    },
  };
}

/** The same, with a count of what was reported, repeats included. */
export function counted(problems: Problems): Problems & { count(): number } {
  let count = 0;
  return {
    add(...problem): void {
      count += 1;
      problems.add(...problem);
    },
    count: () => count,
  };
}

/** A problem that waits for others with the same cause. */
interface Waiting {
  readonly place: Place;
  readonly reportWith: (others: readonly Place[]) => void;
}

/**
 * Reports problems with the same code and parameters in one file once: at the first place, with the number of places
 * and some of the others. A name that 30 rules misspell is one mistake.
 *
 * @param codes those of which this is true; by default all.
 */
export function onceByCause<T>(report: Problems, find: (problems: Problems) => T, codes?: ReadonlySet<Code>): T {
  /** Keyed by cause and anchor: policies may share what has the problem. */
  const causes = new Map<string, Map<number, Waiting>>();
  const result = find({
    add(code, target, parameters, details = {}) {
      if (target === undefined || !('span' in target) || codes?.has(code) === false) {
        report.add(code, target, parameters, details);
        return;
      }
      const key = JSON.stringify([code, target.span.source.path, parameters]);
      const alike = causes.get(key) ?? new Map<number, Waiting>();
      causes.set(key, alike);
      if (alike.has(target.anchor)) return;
      alike.set(target.anchor, {
        place: target,
        reportWith: (found) => {
          const others = [...(details.others ?? []), ...found];
          report.add(code, target, parameters, { ...details, others });
        },
      });
    },
  });
  for (const alike of causes.values()) {
    const [first, ...others] = [...alike.values()].sort((a, b) => a.place.anchor - b.place.anchor);
    first?.reportWith(others.map(({ place }) => place));
  }
  return result;
}

function identify(target: Target): readonly (string | number)[] {
  if (target === undefined) return [];
  if ('span' in target) return [target.span.source.path, target.anchor];
  return [target.path];
}
