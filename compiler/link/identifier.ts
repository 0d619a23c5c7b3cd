/**
 * Why a text cannot be the name of a variable or a constant (docs/spec/policy-language.md#variables-and-constants);
 * undefined when it can. The sentences are those of the machine-readable report
 * (docs/spec/policy-language.md#compile-errors).
 */
export function identifierProblem(name: string): string | undefined {
  if (RESERVED.has(name)) return `${JSON.stringify(name)} is a reserved keyword and can't be used as an identifier`;
  if (!IDENTIFIER.test(name)) return `${JSON.stringify(name)} is not a valid identifier`;
  return undefined;
}

const RESERVED: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in']);
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
