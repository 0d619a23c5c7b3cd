import { namedActions, type PolicyBundle, type ResourcePolicy } from '../../runtime/policy/index.js';
import type { KindNames } from '../service/services.js';
import type { PolicyTexts } from '../service/bundle.js';
import { exampleOfSchema } from './schema-example.js';

/** A page has no use for more. */
const MOST_KINDS = 2000;
const MOST_NAMES = 500;

/**
 * What requests can name of the policies of a bundle, sorted: literal names only, and nothing of what the policies decide.
 */
export function policyNames(
  { resourcePolicies }: Pick<PolicyBundle, 'resourcePolicies'>,
  texts: PolicyTexts = [],
): readonly KindNames[] {
  const schemas = new Map(texts.filter(([path]) => path.startsWith(SCHEMAS)));
  const byKind = new Map<string, ResourcePolicy[]>();
  for (const policy of resourcePolicies) {
    const known = byKind.get(policy.kind);
    if (known !== undefined) known.push(policy);
    else if (byKind.size < MOST_KINDS) byKind.set(policy.kind, [policy]);
  }
  return [...byKind].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, policies]) => kindNames(kind, policies, schemas));
}

function kindNames(kind: string, policies: readonly ResourcePolicy[], schemas: ReadonlyMap<string, string>): KindNames {
  const attr = exampleAttributes(policies, schemas);
  return {
    kind,
    actions: sorted(policies.flatMap(({ rules }) => namedActions(rules))),
    roles: sorted(
      policies.flatMap(({ roles, derivedRoles }) => [
        ...roles.keys(),
        ...derivedRoles.flatMap(({ parentRoles }) => [...parentRoles].filter((role) => !role.includes('*'))),
      ]),
    ),
    policyVersions: sorted(policies.map(({ version }) => version)),
    scopes: sorted(policies.map(({ scope }) => scope)),
    ...(attr !== undefined && { attr }),
  };
}

/** Attributes that the schema of a kind accepts; undefined without one. */
function exampleAttributes(
  policies: readonly ResourcePolicy[],
  schemas: ReadonlyMap<string, string>,
): KindNames['attr'] {
  const ref = policies.find(({ schemas: own }) => own?.resource !== undefined)?.schemas?.resource?.ref;
  const text = ref === undefined ? undefined : schemas.get(SCHEMAS + ref.replace(/^[a-z]+:\/\/\//, ''));
  const example = text === undefined ? undefined : exampleOfSchema(JSON.parse(text));
  return typeof example === 'object' && example !== null && !Array.isArray(example)
    ? (example as { readonly [name: string]: unknown })
    : undefined;
}

/** The folder of schemas below that of the policies. */
const SCHEMAS = '_schemas/';

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort().slice(0, MOST_NAMES);
}
