import type { Details, Diagnostics, Target } from './diagnostic.js';
import type { Code, MessageParameters } from './messages.js';

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
      const key = JSON.stringify([code, ...identityOf(target), parameters]);
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

function identityOf(target: Target): readonly (string | number)[] {
  if (target === undefined) return [];
  if ('span' in target) return [target.span.source.path, target.anchor];
  return [target.path];
}
