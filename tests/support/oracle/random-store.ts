import type {
  Document,
  PrincipalAction,
  ResourceDocument,
  ResourceRule,
  RuleBody,
  Texts,
  Values,
} from './documents.js';
import type { ModelRequest } from './model.js';
import type { Random } from './random.js';
import { DERIVED, type Names, randomBody, randomExpression, randomMatch } from './random-conditions.js';

/** What a store may contain: properties that compare something else leave parts out. */
export interface StoreOptions {
  readonly outputs: boolean;
  readonly runtime: boolean;
}

/**
 * A random set of valid policies: resource, principal and role policies and derived roles, over three scopes of either
 * permission and two versions. It keeps the static rules of the language: names are unique, ancestors of a scope exist,
 * the policies of a scope agree.
 */
export function randomStore(random: Random, options: StoreOptions): readonly Document[] {
  const consents = new Map(SCOPES.map((scope) => [scope, random.chance(scope === '' ? 0.05 : 0.35)]));
  const permissions = (scope: string): { readonly scopePermissions?: string } =>
    consents.get(scope) ? { scopePermissions: CONSENT } : {};
  const documents: Document[] = [derivedRoles(random, options), EXPORTED_VARIABLES, EXPORTED_CONSTANTS];

  for (const version of VERSIONS) {
    for (const resource of random.some(KINDS, 2, KINDS.length)) {
      for (const scope of SCOPES.slice(0, random.pick([1, 2, 3, 3]))) {
        documents.push({
          resourcePolicy: { ...resourcePolicy(random, options), resource, version, scope, ...permissions(scope) },
        });
      }
    }
    for (const principal of random.some(PRINCIPALS, 0, 2)) {
      for (const scope of SCOPES.slice(0, 1 + random.below(2))) {
        documents.push({
          principalPolicy: {
            principal,
            version,
            scope,
            ...permissions(scope),
            ...definitions(random),
            rules: principalRules(random, options),
          },
        });
      }
    }
    for (const role of random.some(ROLES, 0, 3)) {
      for (const scope of random.some(SCOPES, 0, 2))
        documents.push({ rolePolicy: rolePolicy(random, options, role, version, scope) });
    }
  }
  return documents.map((document) => ({ apiVersion: 'api.authz.dev/v1', ...document }));
}

/** A request about such a store. */
export function randomRequest(random: Random): ModelRequest {
  return {
    principal: {
      id: random.pick([...PRINCIPALS, 'someone']),
      roles: random.some([...ROLES, ...(random.chance(0.3) ? ['admin:x', 'stranger'] : [])], 1, 3),
      attr: { n: random.below(10) },
      ...(random.chance(0.3) ? { policyVersion: random.pick([...VERSIONS, ...VERSIONS, 'v9']) } : {}),
      ...(random.chance(0.5) ? { scope: random.pick(REQUESTED) } : {}),
    },
    resource: {
      id: 'r',
      kind: random.pick([...KINDS, ...KINDS, 'doc', 'album_object', 'unknown']),
      attr: randomAttributes(random),
      ...(random.chance(0.3) ? { policyVersion: random.pick([...VERSIONS, ...VERSIONS, 'v9']) } : {}),
      ...(random.chance(0.7) ? { scope: random.pick(REQUESTED) } : {}),
    },
    actions: random.some(ACTIONS, 1, 4),
  };
}

const SCOPES = ['', 'a', 'a.b'];
/** What a request asks for; the likely ones stand more than once. */
const REQUESTED = ['', '', '', '.', 'a', 'a', 'a', '.a', 'a.b', 'a.b', 'a.b.c', 'z'];
const VERSIONS = ['default', 'v2'];
const KINDS = ['doc', 'album:object', 'leave-request'];
const PRINCIPALS = ['u1', 'u2'];
const ROLES = ['user', 'admin', 'guest', 'auditor'];
const ROLE_TEXTS = [...ROLES, '*', 'a*', 'us*', 'admin:*'];
const ACTIONS = ['view', 'edit', 'view:public', 'view:public:x', 'delete'];
const ACTION_TEXTS = [...ACTIONS, '*', 'view:*', 'view*', 'v*w', '*:public', 'view:**'];
const CONSENT = 'SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS';

const EXPORTED_VARIABLES: Document = {
  exportVariables: { name: 'shared_variables', definitions: { shared: 'R.attr.a == C.letter' } },
};
const EXPORTED_CONSTANTS: Document = { exportConstants: { name: 'shared_constants', definitions: { letter: 'x' } } };

function derivedRoles(random: Random, options: StoreOptions): Document {
  const names: Names = { variables: ['v1'], constants: [], runtime: options.runtime };
  return {
    derivedRoles: {
      name: 'common-roles',
      variables: { local: { v1: randomExpression(random, { variables: [], constants: [], runtime: false }, 1) } },
      definitions: DERIVED.map((name) => ({
        name,
        parentRoles: random.some(ROLE_TEXTS, 1, 3),
        ...(random.chance(0.8) ? { condition: { match: randomMatch(random, names) } } : {}),
      })),
    },
  };
}

/** Two local variables, the second by the first; a shared one; constants. */
function definitions(random: Random): {
  readonly variables: { readonly import: readonly string[]; readonly local: Texts };
  readonly constants: { readonly import: readonly string[]; readonly local: Values };
} {
  const plain: Names = { variables: [], constants: ['c1'], runtime: false };
  const first = randomExpression(random, plain, 1);
  const second = randomExpression(random, { ...plain, variables: ['v1'] }, 1);
  return {
    variables: { import: ['shared_variables'], local: { v1: first, v2: second } },
    constants: { import: ['shared_constants'], local: { c1: random.pick(['x', 'y']) } },
  };
}

function namesOf(options: StoreOptions): Names {
  return { variables: ['v1', 'v2', 'shared'], constants: ['c1', 'letter'], runtime: options.runtime };
}

function resourcePolicy(random: Random, options: StoreOptions): Omit<ResourceDocument, 'resource' | 'version'> {
  return {
    importDerivedRoles: ['common-roles'],
    ...definitions(random),
    rules: random.times(1, 6, (index) => resourceRule(random, options, index)),
  };
}

function resourceRule(random: Random, options: StoreOptions, index: number): ResourceRule {
  const derived = random.chance(0.35) ? random.some(DERIVED, 1, 2) : [];
  const roles = derived.length === 0 || random.chance(0.3) ? random.some(ROLE_TEXTS, 1, 3) : [];
  return {
    ...maybeNamed(random, index),
    actions: random.some(ACTION_TEXTS, 1, 3),
    effect: effect(random),
    ...(roles.length > 0 ? { roles } : {}),
    ...(derived.length > 0 ? { derivedRoles: derived } : {}),
    ...randomBody(random, namesOf(options), { outputs: options.outputs, conditions: 0.6 }),
  };
}

function principalRules(
  random: Random,
  options: StoreOptions,
): readonly { readonly resource: string; readonly actions: readonly PrincipalAction[] }[] {
  return random.some(['doc', 'album:object', 'leave_request', 'd*', '*', 'album*'], 0, 3).map((resource, block) => ({
    resource,
    actions: random.times(1, 3, (index) => ({
      ...maybeNamed(random, 10 * block + index),
      action: random.pick(ACTION_TEXTS),
      effect: effect(random),
      ...randomBody(random, namesOf(options), { outputs: options.outputs, conditions: 0.7 }),
    })),
  }));
}

/** Each resource text once: rules at equal positions of two texts share a result in an order that is open (8.10-D3). */
function rolePolicy(
  random: Random,
  options: StoreOptions,
  role: string,
  version: string,
  scope: string,
): NonNullable<Document['rolePolicy']> {
  const resource = random.pick(['doc', 'album_object', 'd*', '*', 'leave*']);
  return {
    role,
    version,
    scope,
    parentRoles: random.some(ROLES, 0, 2),
    ...definitions(random),
    rules: random.times(0, 3, (): RuleBody & { resource: string; allowActions: readonly string[] } => ({
      resource,
      allowActions: random.some([...ACTION_TEXTS, 'view?public', '{edit,delete}'], 1, 4),
      ...(random.chance(0.3) ? { name: 'listed' } : {}),
      ...randomBody(random, namesOf(options), { outputs: options.outputs, conditions: 0.4 }),
    })),
  };
}

/** Names that no unnamed rule has. */
function maybeNamed(random: Random, index: number): { readonly name?: string } {
  return random.chance(0.3) ? { name: `named-${index}` } : {};
}

function effect(random: Random): string {
  return random.chance(0.65) ? 'EFFECT_ALLOW' : 'EFFECT_DENY';
}

/** Attributes of a resource: some missing, some of another type than conditions want. */
export function randomAttributes(random: Random): { readonly [name: string]: unknown } {
  return {
    ...(random.chance(0.8) ? { a: random.pick(['x', 'y', 'z', 5, null]) } : {}),
    ...(random.chance(0.6) ? { b: random.pick(['x', 'y']) } : {}),
    ...(random.chance(0.8) ? { n: random.pick([1, 4, 8, '3']) } : {}),
    ...(random.chance(0.8) ? { owner: random.pick(['u1', 'u2', 'someone']) } : {}),
    ...(random.chance(0.7) ? { flag: random.chance(0.5) } : {}),
  };
}
