import { literalOrGlob } from '../../runtime/policy/index.js';
import { addTo } from '../append.js';
import { sanitize, scopedKey } from '../ast/names.js';
import { placeOfDocument } from '../ast/places.js';
import type { PolicyFile, PrincipalPolicy, ResourcePolicy, ScopePermissions } from '../ast/policy.js';
import type { Diagnostics, Note } from '../diagnostics/diagnostic.js';
import { type Catalogue, type Document, hasKind } from './catalogue.js';

/** The maximum number of policies below a gap that are shown. */
const MOST_NOTES = 3;

/** The maximum number of segments in a scope: each of its ancestors is a policy, with a key as long as its scope. */
const MAX_SEGMENTS = 100;

/** Returns the files whose scopes are not too deep; reports the others. */
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
 * A gap that a role policy excuses is not reported, and the policies below it stay in the set: this differs from the
 * reference PDP (docs/spec/policy-language.md#scope-chains).
 */
export function reportMissingScopes(catalogue: Catalogue, report: Diagnostics): void {
  const stand = roleRules(catalogue);
  const gaps = new Map<string, Document[]>();
  for (const document of catalogue.documents) {
    const { policy } = document.file;
    if (policy.kind !== 'resource' && policy.kind !== 'principal') continue;
    for (const scope of listAncestors(policy.scope)) {
      const key = keyAt(policy, scope);
      if (catalogue.find(key) !== undefined || (policy.kind === 'resource' && isExcused(policy, scope, stand)))
        continue;
      addTo(gaps, key, document);
    }
  }
  for (const [policy, documents] of gaps) {
    const descendants = documents.map((document) => document.key).sort();
    const notes = documents.slice(0, MOST_NOTES).map(makeNote);
    report.add('scope/missing', undefined, { policy, descendants }, { notes, facts: { policy, descendants } });
  }
}

/** `a.b`, `a` and the root of `a.b.c`. */
export function listAncestors(scope: string): readonly string[] {
  const ancestors: string[] = [];
  for (let rest = scope; rest !== ''; ancestors.push(rest)) rest = rest.slice(0, Math.max(rest.lastIndexOf('.'), 0));
  return ancestors;
}

function keyAt(policy: ResourcePolicy | PrincipalPolicy, scope: string): string {
  const name = policy.kind === 'resource' ? policy.resource : policy.principal;
  return scopedKey(policy.kind, name.value, policy.version.value, scope);
}

/** Predicates for the kinds that the rules of role policies match, by version and scope. */
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

function makeNote({ key, file }: Document): Note {
  return { message: `required by ${key}`, span: placeOfDocument(file).span };
}

/**
 * Reports scopes whose policies disagree on `scopePermissions`
 * (docs/spec/policy-language.md#conflicting-scope-permissions). Like the reference PDP, requires a single value among
 * the documents of a scope, in path order and without the first, and treats an absent field as a separate value. Also
 * rejects a case that the reference PDP misses (docs/spec/policy-language.md#conflicting-scope-permissions): policies
 * that disagree on whether an ALLOW overrides the parent scope. The reference PDP never rejects a scope with only two
 * policies, so these only get a warning here. Only resource and principal policies count: the reference PDP also counts
 * documents that cannot have the field, or for which it has no meaning.
 */
export function reportScopePermissions(catalogue: Catalogue, report: Diagnostics): void {
  const scopes = new Map<string, PolicyFile[]>();
  for (const { file } of catalogue.documents) {
    if (!hasKind(file, 'invariants') && !hasKind(file, 'tenant-roles')) addTo(scopes, readScope(file), file);
  }
  for (const [scope, files] of scopes) {
    const pair = disagreement(files.flatMap(listSettings)) ?? differentValues(files);
    if (pair === undefined) continue;
    report.add(
      files.length > 2 ? 'scope/permissions-conflict' : 'scope/permissions-differ',
      undefined,
      { scope },
      { notes: pair.map(noteOfSetting), facts: scope === '' ? {} : { scope } },
    );
  }
}

/** Returns the first policy, and one that differs from it in whether it overrides the parent scope. */
function disagreement([first, ...others]: readonly Setting[]): readonly Setting[] | undefined {
  const other = others.find((setting) => setting.overrides !== first?.overrides);
  return first === undefined || other === undefined ? undefined : [first, other];
}

/** Returns two policies with different values, compared as in the reference PDP. */
function differentValues([, ...files]: readonly PolicyFile[]): readonly Setting[] | undefined {
  const [first, ...others] = files.flatMap(listSettings);
  const other = others.find(({ written }) => written !== first?.written);
  return first === undefined || other === undefined ? undefined : [first, other];
}

/** Documents without a scope count as in the root scope, like in the reference PDP. */
function readScope({ policy }: PolicyFile): string {
  switch (policy.kind) {
    case 'resource':
    case 'principal':
    case 'role':
      return policy.scope;
    case 'derived-roles':
    case 'export-variables':
    case 'export-constants':
    case 'invariants':
    case 'tenant-roles':
      return '';
  }
}

interface Setting {
  readonly file: PolicyFile;
  readonly written: ScopePermissions;
  readonly overrides: boolean;
}

function listSettings(file: PolicyFile): readonly Setting[] {
  const { policy } = file;
  if (policy.kind !== 'resource' && policy.kind !== 'principal') return [];
  return [
    { file, written: policy.scopePermissions, overrides: policy.scopePermissions !== 'require-parental-consent' },
  ];
}

function noteOfSetting({ file, written, overrides }: Setting): Note {
  const says = overrides ? 'overrides the parent scope' : 'requires the consent of the parent scope';
  const message =
    written === 'unspecified'
      ? `this policy ${says}, because it has no \`scopePermissions\``
      : `this policy ${says}, as set in \`scopePermissions\``;
  return { message, span: placeOfDocument(file).span };
}
