import { type ActionTable, type PolicyBundle, sanitize } from '#runtime/policy';
import { didYouMean } from '../../compiler/diagnostics/did-you-mean.js';

/** What a request names. */
export interface Named {
  readonly kind: string;
  readonly actions: readonly string[];
  readonly principal: string;
}

/**
 * A line for each name that no policy knows: a slip of the pen denies like anything else, and a reader would look for
 * the reason in the policies.
 */
export function unknownNames(bundle: PolicyBundle, { kind, actions, principal }: Named): readonly string[] {
  const own = bundle.principalPolicies.filter((policy) => policy.principal === principal);
  const tablesOfPrincipal = own.flatMap(({ kinds, otherKinds }) => [
    ...kinds.values(),
    { actions: new Map(), otherActions: otherKinds },
  ]);
  const about = bundle.resourcePolicies.filter((policy) => policy.kind === sanitize(kind));
  const knowsKind =
    about.length > 0 || own.some(({ kinds, otherKinds }) => kinds.has(sanitize(kind)) || otherKinds.length > 0);
  if (!knowsKind)
    return [
      `no policy is about kind \`${kind}\`${guess(
        kind,
        bundle.resourcePolicies.map((policy) => policy.kind),
      )}`,
    ];
  const tables = [...about, ...tablesOfPrincipal];
  return actions
    .filter((action) => !tables.some((table) => knows(table, action, sanitize(kind))))
    .map(
      (action) =>
        `no rule about kind \`${kind}\` names action \`${action}\`${guess(
          action,
          tables.flatMap((table) => [...table.actions.keys()]),
        )}`,
    );
}

function knows({ actions, otherActions }: ActionTable, action: string, kind: string): boolean {
  return actions.has(action) || otherActions.some(({ reaches }) => reaches === undefined || reaches(action, kind));
}

function guess(written: string, known: readonly string[]): string {
  const [note] = didYouMean(written, known);
  return note === undefined ? '' : `: ${note.message}`;
}
