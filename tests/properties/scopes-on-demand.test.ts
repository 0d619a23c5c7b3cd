import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BundleModule, importBundle } from '../../compiler/bundle/import-bundle.js';
import { bundle } from '../../compiler/bundle/index.js';
import { compile } from '../../compiler/compile.js';
import { Source } from '../../compiler/diagnostics/source.js';
import {
  type Engine,
  createEngine,
  type EngineOptions,
  type PlanRequest,
  ruleFilters,
  explanations,
} from '../../runtime/engine/index.js';
import type { CompiledBundle } from '../../runtime/engine/parts.js';
import { filterText, FLAT, NULLS, REFERENCE } from '../../runtime/residual/index.js';
import { ROOT } from '../support/compiled.js';
import { type Document, policyFiles } from '../support/oracle/documents.js';
import type { ModelRequest } from '../support/oracle/model.js';
import { Random } from '../support/oracle/random.js';
import { randomRequest, randomStore } from '../support/oracle/random-store.js';
import { SEED, rounds } from '../support/effort.js';

/**
 * A bundle that makes the policies of scopes on demand, compared with a bundle of the same policies that has them from
 * the start: in whatever order scopes are named, every call returns the same. STORES is the number of random stores,
 * REQUESTS that of requests for each, SEED the first seed.
 */
const STORES = rounds(12, 1);
const REQUESTS = 60;

const test = suite('policies of scopes on demand');

test('every call returns what the same policies return that are there from the start', async () => {
  const tally = { allowed: 0, conditional: 0, outputs: 0, errors: 0, scoped: 0 };
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed + 7_000_000);
    const sources = Object.entries(policyFiles(twoTenants(random))).map(([path, text]) => new Source(path, text));
    const [eager, lazy] = await Promise.all([bundled(sources, sources.length), bundled(sources, 1)]);
    for (const options of configurations(random)) {
      const [expected, actual] = [await asked(eager, options), await asked(lazy, options)];
      for (let index = 0; index < REQUESTS; index += 1) {
        const request = requestOf(random);
        const detail = `seed ${seed}, request ${index}: ${JSON.stringify({ ...options, request })}`;
        const answers = expected(request);
        assert.equal(actual(request), answers, detail);
        if (answers.isAllowed.some(Boolean)) tally.allowed += 1;
        if (answers.plan.includes('KIND_CONDITIONAL')) tally.conditional += 1;
        if (answers.check.includes('"src"')) tally.outputs += 1;
        if (answers.explain.includes('"expression"')) tally.errors += 1;
        if (/"matchedScope":"[ac]/.test(answers.check)) tally.scoped += 1;
      }
    }
  }
  console.log(`  ${JSON.stringify(tally)}`);
  for (const [name, count] of Object.entries(tally)) assert.ok(STORES < 12 || count > 20, name);
});

test('the lists of a bundle have the policies of all scopes', async () => {
  const random = new Random(3);
  const sources = Object.entries(policyFiles(twoTenants(random))).map(([path, text]) => new Source(path, text));
  const lists = async (from: number): Promise<unknown> => {
    const { policies } = await importBundle(await bundled(sources, from));
    const { resourcePolicies, principalPolicies, rolePolicies, filters = [] } = policies;
    const keys = [resourcePolicies, principalPolicies, rolePolicies].map((list) => list.map(({ key }) => key).sort());
    return [...keys, filters.flat().length];
  };
  assert.equal(await lists(1), await lists(sources.length));
});

test.run();

async function bundled(sources: readonly Source[], scopedFrom: number): Promise<string> {
  const { files, diagnostics } = compile(sources, undefined, { scopedFrom });
  assert.is(
    files.some(({ path }) => path.startsWith('scope/')),
    scopedFrom === 1,
    JSON.stringify(diagnostics),
  );
  const { js } = await bundle(files, `${ROOT}/runtime`);
  return js;
}

/** Two random stores of which the second is below another scope, with the root of the first. */
function twoTenants(random: Random): readonly Document[] {
  const options = { outputs: random.chance(0.5), runtime: random.chance(0.3) };
  const one = randomStore(random, options);
  const atRoot = new Set(one.flatMap((document) => (scopeOf(document) === '' ? [subjectOf(document)] : [])));
  const other = randomStore(random, options).filter(
    (document) => scopeOf(document) !== '' && (document.rolePolicy !== undefined || atRoot.has(subjectOf(document))),
  );
  return [...one, ...other.filter((document) => scopeOf(document) !== undefined).map(ofOtherTenant)];
}

function ofOtherTenant(document: Document): Document {
  const moved = (text: string | undefined): string => (text ?? '').replace(/^a/, 'c');
  const { resourcePolicy, principalPolicy, rolePolicy } = document;
  return {
    ...document,
    ...(resourcePolicy && { resourcePolicy: { ...resourcePolicy, scope: moved(resourcePolicy.scope) } }),
    ...(principalPolicy && { principalPolicy: { ...principalPolicy, scope: moved(principalPolicy.scope) } }),
    ...(rolePolicy && { rolePolicy: { ...rolePolicy, scope: moved(rolePolicy.scope) } }),
  };
}

function scopeOf({ resourcePolicy, principalPolicy, rolePolicy }: Document): string | undefined {
  return (resourcePolicy ?? principalPolicy ?? rolePolicy)?.scope;
}

function subjectOf({ resourcePolicy, principalPolicy }: Document): string {
  return resourcePolicy === undefined
    ? `principal ${principalPolicy?.principal} ${principalPolicy?.version}`
    : `resource ${resourcePolicy.resource} ${resourcePolicy.version}`;
}

interface Configuration {
  readonly options: EngineOptions;
  readonly strict: boolean;
}

function configurations(random: Random): readonly Configuration[] {
  return [false, true].map((lenientScopeSearch) => ({
    options: {
      lenientScopeSearch,
      ...(random.chance(0.3) && { defaultScope: random.pick(['a', 'c.b']) }),
      ...(random.chance(0.3) && { defaultPolicyVersion: 'v2' }),
      schemaEnforcement: random.pick(['none', 'reject'] as const),
      plan: random.pick([FLAT, NULLS, REFERENCE]),
      clock: () => ({ seconds: 0, nanos: 0, offset: 0 }),
    },
    strict: random.chance(0.4),
  }));
}

/** Requests at the scopes of both tenants and at others: those of the resources and of the principal may differ. */
function requestOf(random: Random): readonly ModelRequest[] {
  const moved = (scope: string | undefined): object =>
    scope === undefined ? {} : { scope: random.chance(0.4) ? scope.replace('a', 'c') : scope };
  const requests = random.times(1, 3, () => randomRequest(random));
  return requests.map((request) => ({
    ...request,
    principal: { ...request.principal, ...moved(request.principal.scope) },
    resource: { ...request.resource, ...moved(request.resource.scope) },
  }));
}

interface Answers {
  readonly check: string;
  readonly isAllowed: readonly boolean[];
  readonly can: readonly boolean[];
  readonly plan: string;
  readonly explain: string;
}

/** Asks an engine of a bundle that nothing has asked before, in all ways. */
async function asked(
  js: string,
  { options, strict }: Configuration,
): Promise<(requests: readonly ModelRequest[]) => Answers> {
  const module: BundleModule = await importBundle(js);
  const traced = await module.traced();
  const policies = module.policies as CompiledBundle;
  const engine = createEngine(policies, { ...options, traced, strictEvaluation: strict, use: [explanations()] });
  const plain = createEngine(policies, { ...options, use: [explanations()] });
  return (requests) => answersOf(policies, strict ? engine : plain, engine, options, requests);
}

function answersOf(
  policies: CompiledBundle,
  engine: Engine,
  explaining: Engine,
  options: EngineOptions,
  requests: readonly ModelRequest[],
): Answers {
  const [{ principal, actions }] = requests as readonly [ModelRequest];
  const resources = requests.map(({ resource, actions }) => ({ resource, actions }));
  // The prepared principal comes first, when nothing has loaded the scopes.
  const prepared = engine.for(principal);
  const can = resources.map(({ resource, actions }) => prepared.can(actions[0] as string, resource));
  const isAllowed = resources.map(({ resource, actions }) =>
    engine.isAllowed({ principal, resource, action: actions[0] as string }),
  );
  const plans = resources.map(({ resource: { attr: _, id: __, ...resource } }): PlanRequest => {
    return { principal, resource, actions };
  });
  const check = { principal, resources, includeMeta: true };
  return {
    can,
    isAllowed,
    check: JSON.stringify([engine.check(check), engine.check({ principal, resources })]),
    plan: JSON.stringify(
      plans.map((request) => {
        const { filter, filterDebug, matchedScopes, validationErrors, unplanned } = engine.plan(request);
        return [filter, filterDebug, [...(matchedScopes ?? [])], validationErrors, unplanned];
      }),
    ),
    explain: JSON.stringify([
      explaining.explain(check),
      plans.map((request) => explaining.explain(request)),
      plans.slice(0, 1).map((request) => {
        const { traced: _, ...rest } = options;
        return ruleFilters(policies, request, rest).map(({ filter, ...rule }) => [rule, filterText(filter)]);
      }),
    ]),
  };
}
