import { literalOrGlob } from '#runtime/policy';
import { sanitize, scopedKey } from '../ast/names.js';
import type { PolicyFile, PrincipalPolicy, ResourcePolicy } from '../ast/policy.js';
import type { Diagnostics, Note } from '../diagnostics/diagnostic.js';
import type { Catalogue, Document } from './catalogue.js';
import { addTo } from './groups.js';
import { placeOfDocument } from '../ast/places.js';

/** How many of the policies below a gap are pointed to. */
const MOST_NOTES = 3;

/** A scope has at most so many segments: each of its ancestors is a policy, with a key as long as its scope. */
const MAX_SEGMENTS = 100;

/** The files whose scopes are not too deep; the others are reported. */
export function withoutDeepScopes(files: readonly PolicyFile[], report: Diagnostics): readonly PolicyFile[] {
  return files.filter((file) => {
    const { policy } = file;
    if (!('scope' in policy) || policy.scope.split('.').length <= MAX_SEGMENTS) return true;
    report.add('scope/too-deep', placeOfDocument(file), { limit: MAX_SEGMENTS });
    return false;
  });
}

/**
 * Reports the gaps in the scope chains of resource and principal policies (docs/spec/policy-language.md#scope-chains).
 * A gap that a role policy excuses is none, and the policies below it stay in the set: here the project differs from
 * its model (docs/spec/policy-language.md#scope-chains).
 */
export function reportMissingScopes(catalogue: Catalogue, report: Diagnostics): void {
  const stand = roleRules(catalogue);
  const gaps = new Map<string, Document[]>();
  for (const document of catalogue.documents) {
    const { policy } = document.file;
    if (policy.kind !== 'resource' && policy.kind !== 'principal') continue;
    for (const scope of ancestorsOf(policy.scope)) {
      const key = keyAt(policy, scope);
      if (catalogue.find(key) !== undefined || (policy.kind === 'resource' && isExcused(policy, scope, stand)))
        continue;
      addTo(gaps, key, document);
    }
  }
  for (const [policy, documents] of gaps) {
    const descendants = documents.map((document) => document.key).sort();
    const notes = documents.slice(0, MOST_NOTES).map(noteOf);
    report.add('scope/missing', undefined, { policy, descendants }, { notes, facts: { policy, descendants } });
  }
}

/** `a.b`, `a` and the root of `a.b.c`. */
function ancestorsOf(scope: string): readonly string[] {
  const ancestors: string[] = [];
  for (let rest = scope; rest !== ''; ancestors.push(rest)) rest = rest.slice(0, Math.max(rest.lastIndexOf('.'), 0));
  return ancestors;
}

function keyAt(policy: ResourcePolicy | PrincipalPolicy, scope: string): string {
  const name = policy.kind === 'resource' ? policy.resource : policy.principal;
  return scopedKey(policy.kind, name.value, policy.version.value, scope);
}

/** What the rules of role policies are about, by version and scope. */
type RoleRules = ReadonlyMap<string, readonly ((kind: string) => boolean)[]>;

function roleRules(catalogue: Catalogue): RoleRules {
  const rules = new Map<string, ((kind: string) => boolean)[]>();
  for (const { file } of catalogue.documents) {
    const { policy } = file;
    if (policy.kind !== 'role') continue;
    const place = `${sanitize(policy.version)}/${policy.scope}`;
    for (const rule of policy.rules) addTo(rules, place, literalOrGlob(rule.resource.value));
  }
  return rules;
}

function isExcused(policy: ResourcePolicy, scope: string, rules: RoleRules): boolean {
  const kind = sanitize(policy.resource.value);
  return (rules.get(`${sanitize(policy.version.value)}/${scope}`) ?? []).some((matches) => matches(kind));
}

function noteOf({ key, file }: Document): Note {
  return { message: `required by ${key}`, span: placeOfDocument(file).span };
}
