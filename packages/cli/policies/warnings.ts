import type { CompiledBundle, EvaluationError, PrincipalInput } from '../../../runtime/engine/index.js';
import { appliesTo, isGlob, namedActions, type PolicyBundle, sanitize } from '../../../runtime/policy/index.js';
import { didYouMean } from '../../cel/check/did-you-mean.js';
import type { CommandContext } from '../context.js';
import { printWarning } from '../report.js';
import { rolesOfPolicies } from './tenants.js';
import { readVocabulary, undeclaredWords } from './vocabulary.js';

/** The names in a request. */
export interface Named {
  readonly kind: string;
  readonly actions: readonly string[];
  readonly principal: string;
}

/** Warns of each name in a request that the vocabulary does not declare, or that no policy mentions. */
export function warnOfNames(
  bundle: CompiledBundle,
  { kind, actions, principal }: Omit<Named, 'principal'> & { readonly principal: PrincipalInput },
  context: CommandContext,
): void {
  const roles = rolesOfPolicies(bundle, principal);
  for (const line of undeclaredWords(readVocabulary(), { roles, actions })) printWarning(context, line);
  for (const line of unknownNames(bundle, { kind, actions, principal: principal.id })) printWarning(context, line);
}

/** A warning for each name in a request that no policy mentions: a misspelt name is denied without any other sign. */
export function unknownNames(bundle: PolicyBundle, { kind, actions, principal }: Named): readonly string[] {
  const own = bundle.principalPolicies.filter((policy) => policy.principal === principal);
  const name = sanitize(kind);
  const about = bundle.resourcePolicies.filter((policy) => policy.kind === name);
  const rules = [...about, ...own].flatMap((policy) => policy.rules);
  const knowsKind = about.length > 0 || rules.some(({ resource = '*' }) => resource === name || isGlob(resource));
  if (!knowsKind)
    return [
      `no policy covers kind \`${kind}\`${guess(
        kind,
        bundle.resourcePolicies.map((policy) => policy.kind),
      )}`,
    ];
  const names = namedActions(rules);
  // `*` matches every misspelt action, too.
  const specific = rules.map((rule) => ({ ...rule, actions: rule.actions.filter((action) => action !== '*') }));
  return actions
    .filter((action) => !(guess(action, names) === '' ? rules : specific).some((rule) => appliesTo(rule, action, name)))
    .map((action) => `no rule for kind \`${kind}\` names action \`${action}\`${guess(action, names)}`);
}

function guess(written: string, known: readonly string[]): string {
  const [note] = didYouMean(written, known);
  return note === undefined ? '' : `: ${note.message}`;
}

/** The warning about a condition that could not be evaluated. */
export function evaluationErrorText({ expression, message }: EvaluationError): string {
  return `\`${expression}\` could not be evaluated, so it does not hold: ${message}`;
}
