import { matchesName, type Pattern, patternsOf, sanitize } from '../../../runtime/policy/index.js';
import type { AccessRequest } from '../../../runtime/engine/index.js';
import { requestedScope, ScopeSet } from '../../../runtime/engine/parts.js';
import { didYouMean } from '../../cel/check/did-you-mean.js';
import type { Program } from '../../../compiler/ir/program.js';

/** The policies of a bundle or of a program, as far as requests find them. */
export interface PolicyNames {
  /** Resource policies; the kind is written as in the policy. */
  readonly resources: readonly PolicyPlace[];
  /** The scopes of role policies that have rules. */
  readonly roleScopes: readonly string[];
  /** What principal policies cover: names and globs of kinds. */
  readonly principals: readonly { readonly principal: string; readonly kinds: readonly Pattern[] }[];
}

/** Where requests find a resource policy. */
export interface PolicyPlace {
  readonly kind: string;
  readonly version: string;
  readonly scope: string;
}

/** The part of a request that selects policies. An absent version or scope is the one of the settings. */
export interface AskedPlace {
  readonly principal: string;
  readonly kind: string;
  readonly policyVersion?: string | undefined;
  readonly scope?: string | undefined;
}

/** The settings of an engine that select policies. */
export interface PlaceSettings {
  readonly defaultPolicyVersion?: string | undefined;
  readonly defaultScope?: string | undefined;
  readonly lenientScopeSearch?: boolean | undefined;
}

/** Returns the reason why a decision reached no rule: what has no policy, or that no rule matches. */
export function unreachedReason(
  program: Program,
  { principal, resource }: AccessRequest,
  settings: PlaceSettings,
): string {
  const { kind, policyVersion, scope } = resource;
  const asked = { principal: principal.id, kind, policyVersion, scope };
  return uncoveredPlace(namesOfProgram(program), asked, settings) ?? 'no rule matches this action and these roles';
}

/**
 * Says which of the kind, version and scope of a request has no policy, which ones have, and which one is probably
 * meant; undefined if there is a policy. A policy of another principal covers the kinds that it names, but not those that
 * only its globs match.
 */
export function uncoveredPlace(
  names: PolicyNames,
  { principal, kind, policyVersion, scope: written }: AskedPlace,
  { defaultPolicyVersion = 'default', defaultScope = '', lenientScopeSearch = false }: PlaceSettings,
): string | undefined {
  const name = sanitize(kind);
  const own = names.resources.filter((policy) => sanitize(policy.kind) === name);
  if (own.length === 0) {
    const isCovered = names.principals.some(({ principal: owner, kinds }) =>
      owner === principal ? matchesName(kinds, name) : kinds.includes(name),
    );
    const known = new Set(names.resources.map((policy) => policy.kind));
    return isCovered ? undefined : `no policy covers kind \`${kind}\`${guess(': ', kind, known) || listKinds(known)}`;
  }
  const version = policyVersion || defaultPolicyVersion;
  const versions = new Set(own.map((policy) => policy.version));
  if (!versions.has(version)) {
    const list = listNames('its', 'version', versions);
    return `no policy of kind \`${kind}\` has version \`${version}\`: ${list}${guess('; ', version, versions)}`;
  }
  const scope = requestedScope(written, defaultScope);
  const scopes = new Set(own.flatMap((policy) => (policy.version === version ? policy.scope : [])));
  const listed = new ScopeSet(lenientScopeSearch);
  for (const each of [...names.resources.map((policy) => policy.scope), ...names.roleScopes]) listed.add(each);
  const first = listed.first(scope);
  if (first !== undefined && listed.listFrom(first).some((each) => scopes.has(each))) return undefined;
  const inVersion = versions.size === 1 ? '' : `, version \`${version}\`,`;
  const place = scope === '' ? 'the root scope' : `scope \`${scope}\``;
  return `no policy of kind \`${kind}\`${inVersion} is in ${place}: ${listNames('its', 'scope', scopes)}${guess('; ', scope, scopes)}`;
}

function namesOfProgram({ modules }: Program): PolicyNames {
  return {
    resources: modules.flatMap((module) =>
      module.kind === 'resource' ? { kind: module.resource, version: module.version, scope: module.scope } : [],
    ),
    roleScopes: modules.flatMap((module) => (module.kind === 'role' && module.rules.length > 0 ? module.scope : [])),
    principals: modules.flatMap((module) =>
      module.kind === 'principal'
        ? { principal: module.principal, kinds: patternsOf(module.rules.map(({ resource = '*' }) => resource)) }
        : [],
    ),
  };
}

/** The most names that a sentence lists. */
const MOST_NAMES = 8;

/** The kinds that have policies, if none is like the written one. */
function listKinds(kinds: ReadonlySet<string>): string {
  return kinds.size === 0 ? '' : `: ${listNames('the', 'kind', kinds)}`;
}

function listNames(whose: 'the' | 'its', what: 'kind' | 'version' | 'scope', names: ReadonlySet<string>): string {
  const sorted = [...names].sort();
  const shown = sorted.slice(0, MOST_NAMES).map((name) => (name === '' ? 'the root' : `\`${name}\``));
  const rest = sorted.length - shown.length;
  const parts = rest > 0 ? [...shown, `${rest} more`] : shown;
  const last = parts.pop() as string;
  if (parts.length === 0) return `${whose} only ${what} is ${last}`;
  return `${whose} ${what}s are ${parts.join(', ')} and ${last}`;
}

function guess(separator: string, written: string, known: Iterable<string>): string {
  const [note] = didYouMean(written, known);
  return note === undefined ? '' : `${separator}${note.message}`;
}
