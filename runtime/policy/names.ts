/**
 * The form of a name in policy keys and in rule lookup (docs/spec/policy-language.md#sanitized-names): kinds with the
 * same sanitized name are one resource.
 */
export function sanitize(name: string): string {
  return NAME.test(name) ? name.replace(UNSAFE, '_') : name;
}

/**
 * The same of a glob: `leave-*` matches `leave_request`, as `leave-request` is sanitized. Undefined if no name that it
 * matches is sanitized.
 */
export function sanitizeGlob(pattern: string): string | undefined {
  if (!NAME.test(pattern.replace(PLACES, 'a'))) return undefined;
  return pattern.replace(TEXT_OF_GLOB, (part) => (part.startsWith('[') ? part : part.replace(UNSAFE, '_')));
}

/** Where a glob may have any character of a name. */
const PLACES = /\[[^\]]*\]|[*?{},]/g;
/** A class of characters, or text. */
const TEXT_OF_GLOB = /\[[^\]]*\]|[^*?[\]{},]+/g;

/**
 * The identity of a policy, as decisions and outputs name it: `resource.album.vdefault/acme`
 * (docs/spec/policy-language.md#policy-keys-and-rule-names).
 */
export function policyKey(
  type: 'resource' | 'principal' | 'role',
  name: string,
  version: string,
  scope: string,
): string {
  const key = `${type}.${sanitize(name)}.v${sanitize(version)}`;
  return scope === '' ? key : `${key}/${scope}`;
}

// Each segment starts right after a colon that no segment may contain, so neither expression can backtrack.
const NAME = /^[A-Za-z][0-9A-Za-z_@.\-/]*(?::[A-Za-z][0-9A-Za-z_@.\-/]*)*$/;
const UNSAFE = /[^0-9A-Za-z_.]+/g;
