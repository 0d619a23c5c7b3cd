import type { AccessRequest } from '../engine/index.js';
import type { Attributes } from '../policy/index.js';

/** Where facts are: the attributes of the principal and of the resource, and claims. */
export type FactRoot = 'principal.attr' | 'resource.attr' | 'auxData.jwt';

/** All of them. */
export const FACT_ROOTS: readonly FactRoot[] = ['principal.attr', 'resource.attr', 'auxData.jwt'];

const NAME = /^[A-Za-z_$][\w$]*$/;

/** The name of a fact: `resource.attr.owner`, or `resource.attr["a b"]`. */
export function factName(root: FactRoot, attribute: string): string {
  return NAME.test(attribute) ? `${root}.${attribute}` : `${root}[${JSON.stringify(attribute)}]`;
}

/** The attribute that a fact is, if it is one of a root; the inverse of `factName`. */
export function readAttribute(fact: string, root: FactRoot): string | undefined {
  if (!fact.startsWith(root)) return undefined;
  if (fact[root.length] === '.') return fact.slice(root.length + 1);
  return fact[root.length] === '[' ? (JSON.parse(fact.slice(root.length + 1, -1)) as string) : undefined;
}

/** Whether a read set has a fact, by its name or as a part of a side that is read as a whole. */
export function isAmong(fact: string, names: ReadonlySet<string> | undefined): boolean {
  if (names === undefined || names.has(fact)) return true;
  const [root = '', side = ''] = fact.split('.');
  return [`${root}.${side.replace(/\[.*/, '')}.*`, `${root}.*.*`, '*.*.*'].some((whole) => names.has(whole));
}

/** The attributes of a request at a root; undefined for the claims of a request without any. */
export function getAttributes(
  root: FactRoot,
  { principal, resource, auxData }: Pick<AccessRequest, 'principal' | 'resource' | 'auxData'>,
): Attributes | undefined {
  if (root === 'auxData.jwt') return auxData?.jwt;
  return (root === 'principal.attr' ? principal.attr : resource.attr) ?? {};
}

/** Attributes without those that are not known. */
function omitFacts(attr: Attributes | undefined, root: FactRoot, unknown: ReadonlySet<string>): Attributes {
  return Object.fromEntries(Object.entries(attr ?? {}).filter(([name]) => !unknown.has(factName(root, name))));
}

/** A request without the values of facts that are not known. */
export function withoutFacts(
  { principal, resource, auxData }: Pick<AccessRequest, 'principal' | 'resource' | 'auxData'>,
  unknown: ReadonlySet<string>,
): Pick<AccessRequest, 'principal' | 'resource' | 'auxData'> {
  return {
    principal: { ...principal, attr: omitFacts(principal.attr, 'principal.attr', unknown) },
    resource: { ...resource, attr: omitFacts(resource.attr, 'resource.attr', unknown) },
    auxData: auxData && { ...auxData, jwt: omitFacts(auxData.jwt, 'auxData.jwt', unknown) },
  };
}
