/*
 * Projections of random requests to their read sets decide as the requests do, also if everything else has other values
 * (docs/spec/analysis.md#read-sets).
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeProgram } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { fold } from '../../compiler/optimise/index.js';
import { ReadSets } from '../../packages/analysis/facts/of-point.js';
import { unite } from '../../packages/analysis/facts/read-set.js';
import { makeBundle } from '../../packages/analysis/program/bundle.js';
import {
  type AccessRequest,
  createEngine,
  delegation,
  type Engine,
  type TenantDocument,
  tenants,
} from '../../runtime/engine/index.js';
import { project } from '../../runtime/facts/index.js';
import { readSetsOfCheck } from '../../runtime/facts/of-check.js';
import type { ReadLevel, ReadPath, ReadSet, ReadSetOptions } from '../../runtime/policy/index.js';
import { randomPolicies, randomPrincipal } from '../support/sql/random-policies.js';
import { anything, ACTIONS, readAttributes, readHazards, ROLES } from '../support/analysis/read-hazards.js';
import { readSchema } from '../support/analysis/read-schemas.js';
import { roundsUntil, type Sample, sampleOf, SEED } from '../support/effort.js';
import { type Document, policyFiles } from '../support/oracle/documents.js';
import { randomRequest, randomStore } from '../support/oracle/random-store.js';
import { Random } from '../support/oracle/random.js';
import { hostileAttributes } from '../support/sql/hostile-rows.js';

const readSets = suite('read sets');

interface Family {
  readonly documents: (random: Random) => readonly Document[];
  readonly request: (random: Random) => AccessRequest;
  /** The roles of the tenant `acme`, if it has any. */
  readonly tenant?: (random: Random) => TenantDocument;
}

const FAMILIES: { readonly [name: string]: Family } = {
  hazards: { documents: readHazards, request: hazardRequest },
  schemas: {
    documents: (random) =>
      readHazards(random).map((document) =>
        document.resourcePolicy === undefined || (document.resourcePolicy.scope ?? '') !== ''
          ? document
          : {
              ...document,
              resourcePolicy: {
                ...document.resourcePolicy,
                schemas: {
                  principalSchema: { ref: 'authz:///principal.json', ...exempt(random) },
                  ...(random.chance(0.8) && { resourceSchema: { ref: 'authz:///resource.json', ...exempt(random) } }),
                },
              },
            },
      ),
    request: hazardRequest,
  },
  delegation: {
    documents: readHazards,
    request: (random) => {
      const asked = hazardRequest(random);
      const actors = random.times(0, 2, () => hazardRequest(random).principal);
      return { ...asked, principal: { ...asked.principal, actors } };
    },
  },
  tenants: {
    documents: readHazards,
    tenant: (random) => ({
      tenant: 'acme',
      roles: Object.fromEntries(
        TENANT_ROLES.map((name) => [
          name,
          {
            roles: random.some(GRANTED, 1, 2),
            ...(random.chance(0.4) && { resources: [{ resource: 'note', actions: random.some(ACTIONS, 1, 3) }] }),
          },
        ]),
      ),
    }),
    request: (random) => {
      const { principal, resource, ...asked } = hazardRequest(random);
      const roles = random.some(TENANT_ROLES, 1, 2).map((name) => `tenant:${name}`);
      return {
        ...asked,
        principal: { ...principal, roles: random.chance(0.3) ? [...principal.roles, ...roles] : roles, scope: 'acme' },
        resource: { ...resource, scope: random.pick(['acme', 'acme.hr', '']) },
      };
    },
  },
  stores: {
    documents: (random) => randomStore(random, { outputs: true, runtime: random.chance(0.5) }),
    request: (random) => {
      const { actions, principal, resource } = randomRequest(random);
      return { principal, resource, action: actions[0] as string };
    },
  },
  filters: {
    documents: randomPolicies,
    request: (random) => ({
      principal: randomPrincipal(random),
      resource: { kind: 'thing', id: 'r', attr: hostileAttributes(random) },
      action: 'view',
    }),
  },
};

const TENANT_ROLES = ['desk', 'floor', 'none'];

/** The last role is named by no policy. */
const GRANTED = ROLES.slice(0, -1);

/** Tenants may grant every role of the policies. */
const TENANT_ROLES_DECLARED = {
  scope: '',
  rolePrefix: 'tenant:',
  grants: GRANTED.map((role) => ({ role, resources: [{ resource: '*', actions: ['*'] }] })),
};

function hazardRequest(random: Random): AccessRequest {
  return {
    principal: {
      id: random.pick(['u1', 'u2', 'name']),
      roles: random.some(ROLES, 1, 2),
      attr: readAttributes(random),
      ...(random.chance(0.3) && { scope: random.pick(['', 'acme']) }),
    },
    resource: {
      kind: random.chance(0.95) ? 'note' : 'other',
      id: random.pick(['r1', 'x']),
      attr: readAttributes(random),
      ...(random.chance(0.3) && { scope: random.pick(['acme', '.acme', 'acme.hr']) }),
    },
    action: random.pick(ACTIONS),
    ...(random.chance(0.8) && { auxData: { jwt: readAttributes(random), jwts: readTokens(random) } }),
  };
}

function exempt(random: Random): { readonly ignoreWhen?: { readonly actions: readonly string[] } } {
  return random.chance(0.3) ? { ignoreWhen: { actions: [random.pick(['view', 'edit*', '*'])] } } : {};
}

function readTokens(random: Random): NonNullable<NonNullable<AccessRequest['auxData']>['jwts']> {
  return random.chance(0.5) ? { main: { claims: readAttributes(random) } } : {};
}

/** Counts, so that a run shows that it compared something. */
class Comparison {
  readonly counts = { requests: 0, allowed: 0, smaller: 0 };

  constructor(
    private readonly engine: Engine,
    private readonly sets: ReadSets,
    private readonly random: Random,
    private readonly level: ReadLevel,
  ) {}

  compare(request: AccessRequest, label: string): void {
    const { principal, resource, action } = request;
    const check = { principal, resource, actions: [action] };
    const set = unite(
      this.engine.tenants === undefined
        ? this.setsOf(request)
        : readSetsOfCheck((query) => this.sets.of(query), this.engine, check, this.level),
    );
    const expected = this.ask(request);
    const small = project(request, set);
    const again = project(small, set);
    const isSame =
      this.ask(small) === expected &&
      this.ask(scrambled(request, small, set, this.random)) === expected &&
      JSON.stringify(again) === JSON.stringify(small);
    // The message is longer than the comparison takes.
    if (!isSame)
      assert.unreachable(
        `${label} ${JSON.stringify({ paths: set.paths.map(({ path, leaf }) => `${path.join('.')}:${leaf}`), request, expected, small: this.ask(small), again })}`,
      );
    this.counts.requests += 1;
    if (expected === true || String(expected).includes('"allowed":true')) this.counts.allowed += 1;
    if (JSON.stringify(small) !== JSON.stringify(request)) this.counts.smaller += 1;
  }

  private setsOf({ principal, resource, action }: AccessRequest): readonly ReadSet[] {
    return [principal, ...(principal.actors ?? [])].map((actor) =>
      this.sets.of({
        kind: resource.kind,
        action,
        scope: resource.scope,
        version: resource.policyVersion,
        level: this.level,
        ...(this.random.chance(0.8) && { roles: actor.roles }),
        ...(this.random.chance(0.8) && { principal: actor }),
      }),
    );
  }

  private ask({ principal, resource, action, auxData }: AccessRequest): boolean | string {
    const request = { principal, auxData, resources: [{ resource, actions: [action] }], includeMeta: true };
    try {
      return this.level === 'effect'
        ? this.engine.isAllowed({ principal, resource, action, auxData })
        : JSON.stringify(this.engine.check(request));
    } catch (error) {
      return String(error);
    }
  }
}

/** A request with other values where a projection has none. */
function scrambled(request: AccessRequest, small: AccessRequest, set: ReadSet, random: Random): AccessRequest {
  const isWhole = (root: string, field: string): boolean =>
    set.paths.some(
      ({ path: [first = root, second = field, third], leaf }) =>
        first === root && second === field && (third === undefined ? leaf !== 'has' : third === '*'),
    );
  const side = (
    root: string,
    before: object | undefined,
    after: object | undefined,
  ): { readonly [name: string]: unknown } =>
    isWhole(root, 'attr') || isWhole(root, 'jwt') ? { ...after } : overlaid(before ?? {}, after ?? {}, random);
  return {
    ...small,
    principal: { ...small.principal, attr: side('principal', request.principal.attr, small.principal.attr) },
    resource: { ...small.resource, attr: side('resource', request.resource.attr, small.resource.attr) },
    ...(small.auxData && {
      auxData: { ...small.auxData, jwt: side('auxData', request.auxData?.jwt, small.auxData.jwt) },
    }),
  };
}

/** A map with other values for the names that a projection left out, and with more names. */
function overlaid(before: object, after: object, random: Random): { readonly [name: string]: unknown } {
  const kept = new Map(Object.entries(after));
  const entries = Object.entries(before).flatMap(([name, value]): (readonly [string, unknown])[] => {
    if (!kept.has(name)) return random.chance(0.5) ? [[name, anything(random)]] : [];
    const own = kept.get(name);
    const isOpen = !isMap(value) || !isMap(own) || Object.keys(own).length === Object.keys(value).length;
    return [[name, isOpen ? own : overlaid(value, own, random)]];
  });
  return Object.fromEntries([...entries, ...(random.chance(0.5) ? [['unheard-of', anything(random)] as const] : [])]);
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The document of a tenant: the same object each time. */
function always(document: TenantDocument): (tenant: string) => TenantDocument | undefined {
  return (tenant) => (tenant === document.tenant ? document : undefined);
}

function compared(family: string, level: ReadLevel, { policies, questions }: Sample): void {
  const { documents, request, tenant } = FAMILIES[family] as Family;
  const totals = { tried: 0, stores: 0, requests: 0, allowed: 0, smaller: 0 };
  const isEnough = (): boolean =>
    totals.stores > totals.tried / 2 && totals.allowed > 0 && totals.smaller > totals.requests / 10;
  for (const round of roundsUntil(policies, isEnough)) {
    const seed = SEED + round;
    const random = new Random(seed);
    totals.tried += 1;
    const sources = Object.entries(policyFiles(documents(random))).map(([path, text]) => new Source(path, text));
    const made = makeProgram(sources, new Diagnostics(), {
      schemaTexts: new Map(
        ['principal', 'resource'].map((name) => [`${name}.json`, JSON.stringify(readSchema(random))]),
      ),
    });
    if (made === undefined) continue;
    const program = fold(made.lowered);
    const { bundle, traced } = makeBundle(program);
    const own: ReadSetOptions = {
      lenientScopeSearch: random.chance(0.3),
      strictEvaluation: random.chance(0.1),
      ...(family === 'schemas' && { schemaEnforcement: random.pick(['reject', 'warn'] as const) }),
    };
    const engine = createEngine(tenant === undefined ? bundle : { ...bundle, tenantRoles: TENANT_ROLES_DECLARED }, {
      lenientScopeSearch: own.lenientScopeSearch === true,
      strictEvaluation: own.strictEvaluation === true,
      schemaEnforcement: own.schemaEnforcement ?? 'none',
      traced,
      clock: () => ({ seconds: 0, nanos: 0, offset: 0 }),
      use: [delegation(), ...(tenant === undefined ? [] : [tenants({ documents: always(tenant(random)) })])],
    });
    const comparison = new Comparison(engine as Engine, new ReadSets(program, own), random, level);
    for (let index = 0; index < questions; index += 1) comparison.compare(request(random), `${family} ${seed}`);
    totals.stores += 1;
    for (const name of ['requests', 'allowed', 'smaller'] as const) totals[name] += comparison.counts[name];
  }
  if (process.env['SHOW'] === '1') console.log(family, level, totals);
  // Stores compile, requests are allowed, and projections leave something out.
  assert.ok(isEnough(), JSON.stringify(totals));
}

for (const family of Object.keys(FAMILIES)) {
  readSets(`${family}: the effect depends on its read set alone`, () => {
    compared(family, 'effect', sampleOf(600, 8, 30));
  });

  readSets(`${family}: so does the whole response on that of its level`, () => {
    compared(family, 'response', sampleOf(300, 4, 30));
  });
}

/** Paths that a broken reader could leave out. */
const FAULTS: { readonly [name: string]: (path: ReadPath) => boolean } = {
  'presence of attributes': ({ leaf }) => leaf === 'has',
  'length and keys': ({ leaf }) => leaf === 'shape',
  'values of resources': ({ leaf, path: [root] }) => leaf === 'value' && root === 'resource',
  'values of principals': ({ leaf, path: [root, side] }) => leaf === 'value' && root === 'principal' && side === 'attr',
  claims: ({ path: [root] }) => root === 'auxData',
  'elements of lists': ({ path }) => path.length > 3 && path.includes('*'),
  'whole sides': ({ path }) => path.length === 2 && path[1] === 'attr',
  'members of attributes': ({ path }) => path.length > 3 && !path.includes('*'),
};

for (const [name, isLeftOut] of Object.entries(FAULTS))
  readSets(`a read set without ${name} is noticed`, () => {
    const { documents, request } = FAMILIES['hazards'] as Family;
    for (let seed = SEED; seed < SEED + 300; seed += 1) {
      const random = new Random(seed);
      const sources = Object.entries(policyFiles(documents(random))).map(([path, text]) => new Source(path, text));
      const made = makeProgram(sources, new Diagnostics(), {});
      if (made === undefined) continue;
      const program = fold(made.lowered);
      const engine = createEngine(makeBundle(program).bundle, { clock: () => ({ seconds: 0, nanos: 0, offset: 0 }) });
      const sets = new ReadSets(program);
      for (let index = 0; index < 30; index += 1) {
        const asked = request(random);
        const { principal, resource, action } = asked;
        const { roles } = principal;
        const set = sets.of({ kind: resource.kind, action, roles, scope: resource.scope, principal });
        const less = { ...set, paths: set.paths.filter((path) => !isLeftOut(path)) };
        if (less.paths.length === set.paths.length) continue;
        if (engine.isAllowed(project(asked, less)) !== engine.isAllowed(asked)) return;
      }
    }
    assert.unreachable('no request shows it');
  });

readSets.run();
