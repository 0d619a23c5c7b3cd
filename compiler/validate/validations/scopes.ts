import type { Types } from '../../ast/checked.js';
import { placeOfDocument } from '../../ast/places.js';
import type { LinkedPolicy, PolicySet } from '../../ast/policy-set.js';
import type { Problems } from '../../diagnostics/problems.js';

/**
 * Warns about policies at scope `.`, which in a request means the root scope (docs/spec/policy-language.md#scopes).
 */
export function warnOfUnreachableScopes({ policies }: PolicySet, _types: Types, report: Problems): void {
  for (const { key, file, policy } of policies) {
    if (policy.scope !== '.') continue;
    const notes = [{ message: 'omit `scope` for the root scope' }];
    report.add('scope/unreachable', placeOfDocument(file), { policy: key }, { notes, facts: { policy: key } });
  }
}

/**
 * Warns about policies at the root scope that require the consent of a parent scope: none of their ALLOWs ever takes
 * effect (docs/spec/policy-language.md#effect-of-a-rule).
 */
export function warnOfConsentAtRoot({ policies }: PolicySet, _types: Types, report: Problems): void {
  for (const linked of policies) {
    if (!needsConsent(linked) || !allows(linked)) continue;
    const notes = [{ message: 'remove `scopePermissions`, or set the intended `scope`' }];
    report.add(
      'scope/consent-at-root',
      placeOfDocument(linked.file),
      { policy: linked.key },
      { notes, facts: { policy: linked.key } },
    );
  }
}

function needsConsent({ kind, policy }: LinkedPolicy): boolean {
  return kind !== 'role' && policy.scope === '' && policy.scopePermissions === 'require-parental-consent';
}

function allows(linked: LinkedPolicy): boolean {
  switch (linked.kind) {
    case 'resource':
      return linked.policy.rules.some(({ effect }) => effect === 'allow');
    case 'principal':
      return linked.policy.rules.some(({ actions }) => actions.some(({ effect }) => effect === 'allow'));
    case 'role':
      return false;
  }
}
