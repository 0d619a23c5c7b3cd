import { compileTexts } from './compiled.js';

/**
 * The warnings of the compiler, as `code: message`, for a set of policies given without their `apiVersion`. Throws when
 * they do not compile.
 */
export function warningsOf(...documents: readonly string[]): readonly string[] {
  const texts = Object.fromEntries(
    documents.map((text, index) => [`${index}.yaml`, `apiVersion: api.authz.dev/v1\n${text}`]),
  );
  const { program, diagnostics } = compileTexts(texts);
  const lines = diagnostics.map(({ code, message }) => `${code}: ${message}`);
  if (program === undefined) throw new Error(lines.join('\n'));
  return lines;
}

/** The codes of the warnings of the compiler. */
export function warningCodesOf(...documents: readonly string[]): readonly string[] {
  return warningsOf(...documents).map((line) => line.slice(0, line.indexOf(':')));
}

/** A resource policy with these rules, each a YAML flow mapping; `fields` are additional fields. */
export function resourcePolicy(rules: readonly string[], fields = ''): string {
  return `resourcePolicy: {resource: album, version: default${fields}, rules: [${rules.join(', ')}]}`;
}

/** A rule of a resource policy: `allow('[view]', '[user]')`. */
export function allow(actions: string, roles: string, rest = ''): string {
  return `{actions: ${actions}, effect: EFFECT_ALLOW, roles: ${roles}${rest}}`;
}

export function deny(actions: string, roles: string, rest = ''): string {
  return `{actions: ${actions}, effect: EFFECT_DENY, roles: ${roles}${rest}}`;
}

/** A condition as an additional field of a rule. */
export function when(expression: string): string {
  return `, condition: {match: {expr: ${JSON.stringify(expression)}}}`;
}

/** A policy whose one rule has a condition. */
export function conditional(expression: string, fields = ''): string {
  return resourcePolicy([allow('[view]', '[user]', when(expression))], fields);
}

export const OUTPUT = ", output: {when: {ruleActivated: 'P.id'}}";
export const CONSENT = ', scopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS';
