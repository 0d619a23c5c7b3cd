import { decidesPartially, tellsReads } from '../../../packages/analysis/partial/index.js';
import { makeBundle } from '../../../packages/analysis/program/bundle.js';
import { restoreProgram, serialiseProgram } from '../../../compiler/ir/serialised.js';
import { serialiseSchemas } from '../../../compiler/ir/serialised-schemas.js';
import type { Program } from '../../../compiler/ir/program.js';
import { fold } from '../../../compiler/optimise/index.js';
import {
  type AccessRequest,
  type CompiledBundle,
  createEngine,
  type Engine,
  type EngineOptions,
} from '../../../runtime/engine/index.js';
import { factName, type FactRoot } from '../../../runtime/facts/fact-names.js';
import { KIND, randomPolicies, randomPrincipal } from '../sql/random-policies.js';
import { compileTexts } from '../compiled.js';
import { policyFiles } from '../oracle/documents.js';
import type { Random } from '../oracle/random.js';
import { randomAttributes, randomRequest, randomStore } from '../oracle/random-store.js';
import { hostileAttributes } from '../sql/hostile-rows.js';
import { HAZARD_ACTIONS, HAZARD_KIND, HAZARD_ROLES, hazardAttributes, hazards } from './hazards.js';

/** Random policies, and requests about them. */
export interface Family {
  readonly policies: (random: Random) => { readonly [path: string]: string };
  readonly request: (random: Random) => AccessRequest;
  /** Attributes of the three sides of a request, as those of another request. */
  readonly attributes: (random: Random) => Sides;
}

/** What facts are of: the attributes of a principal and of a resource, and claims. */
export interface Sides {
  readonly principal: Attributes;
  readonly resource: Attributes;
  readonly jwt: Attributes;
}

export type Attributes = { readonly [name: string]: unknown };

/** The three families of random policies. */
export const FAMILIES: { readonly [name in 'hazard' | 'sql' | 'store']: Family } = {
  hazard: family(
    (random) => policyFiles(hazards(random)),
    (random) => ({
      principal: { id: random.pick(['u1', 'u2', 'a']), roles: random.some(HAZARD_ROLES, 1, 3) },
      resource: { kind: HAZARD_KIND, id: 'r' },
      action: random.pick(HAZARD_ACTIONS),
    }),
    (random) => ({ principal: hazardAttributes(random), resource: hazardAttributes(random) }),
  ),
  sql: family(
    (random) => policyFiles(randomPolicies(random)),
    (random) => {
      const { id, roles } = randomPrincipal(random);
      return { principal: { id, roles }, resource: { kind: KIND, id: 'r' }, action: 'view' };
    },
    (random) => ({ principal: randomPrincipal(random).attr, resource: hostileAttributes(random) }),
  ),
  store: family(
    (random) => policyFiles(randomStore(random, { outputs: random.chance(0.2), runtime: random.chance(0.5) })),
    (random) => {
      const { principal, resource, actions } = randomRequest(random);
      return { principal, resource, action: random.pick(actions) } as AccessRequest;
    },
    (random) => ({
      principal: { n: random.below(10), ...(random.chance(0.5) && { missing: random.pick([true, 1]) }) },
      resource: randomAttributes(random),
    }),
  ),
};

function family(
  policies: Family['policies'],
  request: (random: Random) => AccessRequest,
  attributes: (random: Random) => Omit<Sides, 'jwt'>,
): Family {
  const sides = (random: Random): Sides => ({ ...attributes(random), jwt: hazardAttributes(random) });
  return { policies, request: (random) => withSides(request(random), sides(random)), attributes: sides };
}

/** A request with other attributes and claims. */
export function withSides(request: AccessRequest, { principal, resource, jwt }: Sides): AccessRequest {
  return {
    ...request,
    principal: { ...request.principal, attr: principal },
    resource: { ...request.resource, attr: resource },
    auxData: { jwt },
  };
}

export function sidesOf({ principal, resource, auxData }: AccessRequest): Sides {
  return { principal: principal.attr ?? {}, resource: resource.attr ?? {}, jwt: auxData?.jwt ?? {} };
}

/** The names of all facts that some attributes have. */
export function factsIn(...all: readonly Sides[]): readonly string[] {
  const facts = all.flatMap(({ principal, resource, jwt }) => [
    ...Object.keys(principal).map((name) => factName('principal.attr', name)),
    ...Object.keys(resource).map((name) => factName('resource.attr', name)),
    ...Object.keys(jwt).map((name) => factName('auxData.jwt', name)),
  ]);
  return [...new Set(facts)];
}

/** Attributes with the known ones of one request, and the unknown ones of another. */
export function filled(known: Sides, other: Sides, unknown: ReadonlySet<string>): Sides {
  const side = (root: FactRoot, own: Attributes, from: Attributes): Attributes => ({
    ...Object.fromEntries(Object.entries(own).filter(([name]) => !unknown.has(factName(root, name)))),
    ...Object.fromEntries(Object.entries(from).filter(([name]) => unknown.has(factName(root, name)))),
  });
  return {
    principal: side('principal.attr', known.principal, other.principal),
    resource: side('resource.attr', known.resource, other.resource),
    jwt: side('auxData.jwt', known.jwt, other.jwt),
  };
}

export const NO_SIDES: Sides = { principal: {}, resource: {}, jwt: {} };

/** Policies that were compiled for decisions with unknown facts. */
export interface Compiled {
  /** As a bundle has it. */
  readonly program: Program;
  readonly engine: Engine;
  /** What `authzc compile --facts` makes of them. */
  readonly bundle: CompiledBundle;
}

/** The engine and the program of random policies; undefined if they do not compile. */
export function compiled(
  texts: { readonly [path: string]: string },
  options: EngineOptions = {},
): Compiled | undefined {
  const { lowered } = compileTexts(texts);
  if (lowered === undefined) return undefined;
  const program = fold(lowered);
  const serialised = serialiseProgram(program);
  const bundle: CompiledBundle = {
    ...makeBundle(program).bundle,
    partial: decidesPartially(serialised),
    facts: tellsReads(serialised, serialiseSchemas(program)),
  };
  return { program: restoreProgram(serialised), engine: createEngine(bundle, options), bundle };
}
