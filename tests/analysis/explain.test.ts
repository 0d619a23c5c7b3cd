import type { Change, ExplainedRule, NearMisses, Step } from '../../runtime/engine/parts.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type AccessRequest,
  createEngine,
  type EngineOptions,
  explanations,
  mergeErrors,
} from '../../runtime/engine/index.js';
import { makeExplainer } from '../../packages/analysis/explain/explain.js';
import { prettyExplanation } from '../../packages/analysis/explain/report/pretty.js';
import { plain } from '../../compiler/diagnostics/paint.js';
import type { Module, Program } from '../../compiler/ir/program.js';
import { fold } from '../../compiler/optimise/index.js';
import { compileRules, compileTexts, loaded } from '../support/compiled.js';
import { policyFiles } from '../support/oracle/documents.js';
import { Random } from '../support/oracle/random.js';
import { randomRequest, randomStore } from '../support/oracle/random-store.js';
import { EFFORT, SEED, rounds } from '../support/effort.js';

/** The number of stores of random policies, and of requests for each; SEED is the first seed. 100,000 by default. */
const STORES = rounds(40, 2);
const REQUESTS = Math.min(2500, rounds(2500, 500));
/** Of this many requests one is searched for near misses. */
const SEARCHED = 100;
/** The number of policies whose smallest sets of changes are compared with all requests. */
const SMALL_POLICIES = rounds(150, 40);

const test = suite('explanations');

test('the rules that applied decide as emitted code does, and changes turn its decision', async () => {
  let turned = 0;
  let failures = 0;
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed);
    const documents = randomStore(random, { outputs: false, runtime: random.chance(0.5) });
    const compilation = compileTexts(policyFiles(documents));
    const lowered = compilation.lowered as Program;
    const options: EngineOptions = {
      defaultScope: random.pick(['', '', 'a', '.a']),
      lenientScopeSearch: random.chance(0.4),
      strictEvaluation: random.chance(0.5),
    };
    const { policies, traced } = await loaded(compilation);
    const engine = createEngine(policies, { ...options, traced: await traced(), use: [explanations()] });
    const explainer = makeExplainer(fold(lowered), options);
    for (let i = 0; i < REQUESTS; i += 1) {
      const { principal, resource, actions } = randomRequest(random);
      const [action = 'view'] = actions;
      const request = { principal, resource, action };
      const detail = `seed ${seed}, request ${i}: ${JSON.stringify(request)}`;
      const isAllowed = engine.isAllowed(request);
      const search = i % SEARCHED === 0 ? { near: 2 } : undefined;
      const { decision, decidedBy, steps, nearMisses } = explainer.explain(request, search);
      assert.is(decision === 'ALLOW', isAllowed, detail);
      // Rules that share a result under one name are asked once (docs/spec/policy-language.md#rules-that-share-a-name).
      if (!lowered.modules.some(sharesResults)) assert.is(combined(steps), decision, detail);
      assert.ok(decision === 'DENY' || decidedBy.length > 0, detail);
      if (decidedBy[0]?.result === 'fails') {
        failures += 1;
        const resources = [{ resource, actions: [action] }];
        const [result] = engine.check({ principal, resources });
        assert.is(decidedBy[0].rule.split('#')[0], result?.actions[0]?.matchedPolicy, detail);
        assert.ok(mergeErrors(engine.explain({ principal, resources })).length > 0, detail);
      }
      for (const changes of nearMisses?.changes ?? []) {
        const changed = changes.reduce(apply, request);
        assert.is(engine.isAllowed(changed), !isAllowed, `${JSON.stringify(changes)}, ${detail}`);
        turned += 1;
      }
    }
  }
  // Few requests say little about how many of them are turned.
  const least = EFFORT === 'quick' ? 0 : (STORES * REQUESTS) / SEARCHED / 4;
  assert.ok(turned > least, `only ${turned} decisions were turned`);
  assert.ok(failures > (STORES * REQUESTS) / 200, `only ${failures} decisions failed`);
});

test('no smaller set of changes turns a decision', () => {
  let found = 0;
  for (let seed = SEED; seed < SEED + SMALL_POLICIES; seed += 1) {
    const random = new Random(seed);
    const rules = Array.from({ length: 1 + random.below(3) }, () => ({
      actions: ['view'],
      effect: random.chance(0.75) ? 'EFFECT_ALLOW' : 'EFFECT_DENY',
      roles: [random.pick(['user', 'admin', '*'])],
      condition: { match: { expr: smallCondition(random, 3) } },
    }));
    // Only roles that rules name are tried.
    const names = { ...NEVER, roles: ['user', 'admin'] };
    const { lowered } = compileRules('doc', [...rules, names]);
    const explainer = makeExplainer(fold(lowered as Program));
    const request = random.pick(SPACE);
    const { nearMisses } = explainer.explain(request, { near: 1 });
    const before = explainer.isAllowed(request);
    const nearest = Math.min(
      ...SPACE.filter((other) => explainer.isAllowed(other) !== before).map((other) => distance(request, other)),
    );
    const [smallest] = nearMisses?.changes ?? [];
    assert.ok(
      nearest > 3 || (smallest !== undefined && smallest.length <= nearest),
      `seed ${seed}: ${JSON.stringify({ rules, request, smallest, nearest })}`,
    );
    if (smallest !== undefined) found += 1;
  }
  assert.ok(found > SMALL_POLICIES / 2, `only ${found} decisions can be turned`);
});

/** Conditions that the attributes of a request satisfy only together, and what they are at first. */
const NEEDED: readonly (readonly [condition: string, attributes: { readonly [name: string]: unknown }])[] = [
  ['R.attr.status == "OPEN"', { status: 'DRAFT' }],
  ['R.attr.level >= 5.0', { level: 1 }],
  ['R.attr.first + R.attr.second > 100.0', { first: 1, second: 2 }],
  ['R.attr.is_public', { is_public: false }],
  ['!R.attr.archived', { archived: true }],
  ['"eu" in R.attr.regions', { regions: ['us'] }],
  ['R.attr.team == P.attr.team', {}],
  ['R.attr.owner == P.id', { owner: 'bob' }],
  ['timestamp(R.attr.due) > timestamp("2025-06-01T00:00:00Z")', { due: '2020-01-01T00:00:00Z' }],
  ['size(R.attr.approvals) > 2', { approvals: [] }],
  ['R.attr.name.startsWith("doc-")', { name: 'x' }],
  ['R.attr.kind in ["a", "b"]', {}],
];

test('where more changes are needed than all sets have, sampling finds some, and says so', () => {
  for (let seed = SEED; seed < SEED + rounds(200, 5); seed += 1) {
    const random = new Random(seed);
    const needed = random.some(NEEDED, 4, 7);
    const texts = needed.map(([expr]) => expr);
    const resourcePolicy = {
      resource: 'doc',
      version: 'default',
      rules: [
        {
          actions: ['view'],
          effect: 'EFFECT_ALLOW',
          roles: [random.pick(['user', 'admin'])],
          condition: {
            match: random.chance(0.5) ? { expr: texts.join(' && ') } : { all: { of: texts.map((expr) => ({ expr })) } },
          },
        },
        { actions: ['view'], effect: 'EFFECT_DENY', roles: ['*'], condition: { match: { expr: 'R.attr.locked' } } },
      ],
    };
    const { lowered } = compileTexts({ 'a.yaml': JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy }) });
    const explainer = makeExplainer(fold(lowered as Program));
    const attr = Object.assign({ locked: random.chance(0.5) }, ...needed.map(([, attributes]) => attributes));
    const request = {
      principal: { id: 'al', roles: ['user'] },
      resource: { kind: 'doc', id: 'd', attr },
      action: 'view',
    };
    const explanation = explainer.explain(request, { near: 2 });
    const { changes, sampled = 0 } = explanation.nearMisses as NearMisses;
    const detail = `seed ${seed}: ${JSON.stringify({ resourcePolicy, request, changes })}`;
    assert.is(changes.length, 1, detail);
    const [set] = changes as [readonly Change[]];
    assert.ok(set.length >= 4 && sampled > 0, detail);
    const turned = (part: readonly Change[]): boolean => explainer.isAllowed(part.reduce(apply, request));
    assert.ok(turned(set), detail);
    for (const one of set) assert.not(turned(set.filter((other) => other !== one)), `${one.path}, ${detail}`);
    const lines = prettyExplanation(request, explanation, PLAIN);
    const title = `would be allowed with ${set.length} changes, found by sampling: fewer may be enough`;
    assert.ok(lines.includes(title), lines.join('\n'));
    assert.equal(explainer.explain(request, { near: 2 }), explanation, 'equal requests have equal explanations');
  }
});

test('an ALLOW of several roles is turned by sampling, within what may change', () => {
  const allow = (role: string, expr: string): object => ({
    actions: ['view'],
    effect: 'EFFECT_ALLOW',
    roles: [role],
    condition: { match: { expr } },
  });
  const rules = ['a', 'b', 'c', 'd'].map((role) => allow(role, `R.attr.${role} == "x" && P.attr.${role} == "x"`));
  const { lowered } = compileRules('doc', rules);
  const explainer = makeExplainer(fold(lowered as Program));
  const attr = { a: 'x', b: 'x', c: 'x', d: 'x' };
  const request = {
    principal: { id: 'al', roles: ['a', 'b', 'c', 'd'], attr },
    resource: { kind: 'doc', id: 'd', attr },
    action: 'view',
  };
  for (const keep of ['principal', 'resource'] as const) {
    const { changes } = explainer.explain(request, { near: 1, keep }).nearMisses as NearMisses;
    const [set = []] = changes;
    assert.ok(set.length >= 1 && !set.some(({ path }) => path.startsWith(`${keep}.`)), JSON.stringify(changes));
    assert.not(explainer.isAllowed(set.reduce(apply, request)));
  }
});

test('what no search finds is said with what was tried', () => {
  const condition = { match: { expr: 'R.attr.a == "x" && R.attr.a == "y"' } };
  const rules = [{ actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['*'], condition }];
  const { lowered } = compileRules('doc', rules);
  const request = { principal: { id: 'al', roles: ['user'] }, resource: { kind: 'doc', id: 'd' }, action: 'view' };
  const explainer = makeExplainer(fold(lowered as Program));
  for (const [tries, start] of [
    [undefined, 'no change of up to 3 of the values tried gives another decision'],
    [1, 'the search for changes ended early: no set that was tried gives another decision'],
  ] as const) {
    const explanation = explainer.explain(request, { near: 1, tries });
    const { sampled } = explanation.nearMisses as NearMisses;
    const text = `${start}, nor does any of ${sampled} sampled requests; others may`;
    assert.is(prettyExplanation(request, explanation, PLAIN).at(-1), text);
  }
});

test.run();

const PLAIN = { paint: plain, pathOf: (file: string) => file, full: true };

const NEVER = { actions: ['view'], effect: 'EFFECT_DENY', condition: { match: { expr: '1 == 2' } } };

/** All requests with two values for each of four attributes, and one of three lists of roles. */
const SPACE: readonly AccessRequest[] = [['user'], ['admin'], ['user', 'admin']].flatMap((roles) =>
  ['x', 'y'].flatMap((a) =>
    ['x', 'y'].flatMap((b) =>
      [1, 2].flatMap((n) =>
        [true, false].map((f) => ({
          principal: { id: 'alice', roles },
          resource: { kind: 'doc', id: 'd', attr: { a, b, n, f } },
          action: 'view',
        })),
      ),
    ),
  ),
);

function smallCondition(random: Random, depth: number): string {
  if (depth > 0 && random.chance(0.6)) {
    const [left, right] = [smallCondition(random, depth - 1), smallCondition(random, depth - 1)];
    return random.pick([`(${left} && ${right})`, `(${left} || ${right})`, `!(${left})`]);
  }
  return random.pick([
    'R.attr.a == "x"',
    'R.attr.a != "x"',
    'R.attr.a == R.attr.b',
    'R.attr.b in ["y", "z"]',
    'R.attr.n < 2.0',
    'R.attr.n >= 2.0',
    'R.attr.f',
    '!R.attr.f',
  ]);
}

/** In how many parts two requests differ. Adding and removing a role are two changes. */
function distance(one: AccessRequest, other: AccessRequest): number {
  const roles = ['user', 'admin'].filter(
    (role) => one.principal.roles.includes(role) !== other.principal.roles.includes(role),
  ).length;
  const names = ['a', 'b', 'n', 'f'].filter((name) => one.resource.attr?.[name] !== other.resource.attr?.[name]);
  // A set changes the roles once.
  return roles > 1 ? Number.POSITIVE_INFINITY : roles + names.length;
}

function apply(request: AccessRequest, { path, to }: { readonly path: string; readonly to: unknown }): AccessRequest {
  const copy = structuredClone(request) as unknown as { [name: string]: unknown };
  const names = path.split('.');
  const last = names.pop() as string;
  let object = copy;
  for (const name of names) {
    object[name] ??= {};
    object = object[name] as { [name: string]: unknown };
  }
  if (to === undefined) delete object[last];
  else object[last] = to;
  return copy as unknown as AccessRequest;
}

function sharesResults(module: Module): boolean {
  return (
    (module.kind === 'resource' || module.kind === 'principal') && module.rules.some(({ memo }) => memo !== undefined)
  );
}

/** The decision that follows from the steps (docs/spec/policy-language.md#combining-decisions). */
function combined(steps: readonly Step[]): 'ALLOW' | 'DENY' {
  const byName = steps.filter(({ role }) => role === undefined);
  const own = outcomeOf(byName);
  if (own !== undefined) return own === 'ALLOW' ? own : 'DENY';
  const roles = [...new Set(steps.flatMap(({ role }) => role ?? []))];
  const outcomes = roles.map((role) => outcomeOf(steps.filter((step) => step.role === role)));
  return outcomes.find((outcome) => outcome === 'ALLOW' || outcome === 'FAILED') === 'ALLOW' ? 'ALLOW' : 'DENY';
}

/**
 * The first scope with an outcome decides; an ALLOW that needs consent is left to the next scope. A rule that fails
 * ends the decision, unless a DENY comes before it.
 */
function outcomeOf(steps: readonly Step[]): 'ALLOW' | 'DENY' | 'FAILED' | undefined {
  const scopes = [...new Set(steps.map(({ scope }) => scope))];
  for (const scope of scopes) {
    const here = steps.filter((step) => step.scope === scope);
    const ends = here.flatMap((step) => [
      ...(step.isLimit && step.rules.length === 0 ? ['DENY' as const] : []),
      ...step.rules.flatMap((rule) => {
        if (rule.result === 'fails') return 'FAILED' as const;
        return applies('DENY')(rule) ? ('DENY' as const) : [];
      }),
    ]);
    if (ends[0] !== undefined) return ends[0];
    const allowing = here.find((step) => !step.isLimit && step.rules.some(applies('ALLOW')));
    if (allowing !== undefined && !allowing.needsConsent) return 'ALLOW';
  }
  return undefined;
}

function applies(effect: ExplainedRule['effect']): (rule: ExplainedRule) => boolean {
  return (rule) => rule.effect === effect && rule.result === 'applies';
}
