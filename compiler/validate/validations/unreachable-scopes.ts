import type { Types } from '../../ast/checked.js';
import { placeOfDocument } from '../../ast/places.js';
import type { PolicySet } from '../../ast/policy-set.js';
import type { Problems } from '../../diagnostics/problems.js';

/** Warns of policies at scope `.`, which in a request means the root scope (docs/spec/policy-language.md#scopes). */
export function warnOfUnreachableScopes({ policies }: PolicySet, _types: Types, report: Problems): void {
  for (const { key, file, policy } of policies) {
    if (policy.scope !== '.') continue;
    const notes = [{ message: 'leave `scope` out for the root scope' }];
    report.add('scope/unreachable', placeOfDocument(file), { policy: key }, { notes, facts: { policy: key } });
  }
}
