import type { CompiledBundle, EvaluationError, PrincipalInput, ResourceInput } from '../../../runtime/engine/index.js';
import { appliesTo, namedActions, type PolicyBundle, sanitize } from '../../../runtime/policy/index.js';
import { type PlaceSettings, type PolicyNames, uncoveredPlace } from '../../analysis/explain/unreached.js';
import { didYouMean } from '../../cel/check/did-you-mean.js';
import type { CommandContext } from '../context.js';
import { printWarning } from '../report.js';
import { rolesOfPolicies } from './tenants.js';
import { readVocabulary, undeclaredWords } from './vocabulary.js';

/** The names in a request, and where policies are searched. */
export interface Named {
  readonly principal: string;
  readonly resource: Pick<ResourceInput, 'kind' | 'policyVersion' | 'scope'>;
  readonly actions: readonly string[];
}

/** Warns of each name in a request that the vocabulary does not declare, or that no policy mentions. */
export function warnOfNames(
  bundle: CompiledBundle,
  { principal, ...names }: Omit<Named, 'principal'> & { readonly principal: PrincipalInput },
  context: CommandContext,
  settings: PlaceSettings = {},
): void {
  const { actions } = names;
  const roles = rolesOfPolicies(bundle, principal);
  for (const line of undeclaredWords(readVocabulary(), { roles, actions })) printWarning(context, line);
  for (const line of unknownNames(bundle, { ...names, principal: principal.id }, settings)) printWarning(context, line);
}

/**
 * A warning for each name in a request that no policy mentions, or for its version or scope: a misspelt name is denied
 * without any other sign.
 */
export function unknownNames(
  bundle: PolicyBundle,
  { principal, resource, actions }: Named,
  settings: PlaceSettings = {},
): readonly string[] {
  const { kind, policyVersion, scope } = resource;
  const own = bundle.principalPolicies.filter((policy) => policy.principal === principal);
  const name = sanitize(kind);
  const missing = uncoveredPlace(namesOfBundle(bundle), { principal, kind, policyVersion, scope }, settings);
  const about = bundle.resourcePolicies.filter((policy) => policy.kind === name);
  if (missing !== undefined && (about.length === 0 || own.length === 0)) return [missing];
  const rules = [...about, ...own].flatMap((policy) => policy.rules);
  const names = namedActions(rules);
  // `*` matches every misspelt action, too.
  const specific = rules.map((rule) => ({ ...rule, actions: rule.actions.filter((action) => action !== '*') }));
  return actions
    .filter((action) => !(guess(action, names) === '' ? rules : specific).some((rule) => appliesTo(rule, action, name)))
    .map((action) => `no rule for kind \`${kind}\` names action \`${action}\`${guess(action, names)}`);
}

function namesOfBundle({ resourcePolicies, principalPolicies, rolePolicies }: PolicyBundle): PolicyNames {
  return {
    resources: resourcePolicies,
    roleScopes: rolePolicies.flatMap(({ rules, scope }) => (rules.length > 0 ? scope : [])),
    principals: principalPolicies.map(({ principal, rules }) => ({
      principal,
      kinds: rules.map(({ resource = '*' }) => resource),
    })),
  };
}

function guess(written: string, known: readonly string[]): string {
  const [note] = didYouMean(written, known);
  return note === undefined ? '' : `: ${note.message}`;
}

/** The warning about a condition that could not be evaluated. */
export function evaluationErrorText({ expression, message }: EvaluationError): string {
  return `\`${expression}\` could not be evaluated, so it does not hold: ${message}`;
}
