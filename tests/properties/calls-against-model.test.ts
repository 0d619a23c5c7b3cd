import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../compiler/compile.js';
import { Source } from '../../compiler/diagnostics/source.js';
import {
  type CheckRequest,
  createEngine,
  type Engine,
  type EngineOptions,
  EvaluationLimitError,
  type PrincipalInput,
} from '../../runtime/engine/index.js';
import type { CompiledBundle } from '../../runtime/engine/parts.js';
import { ALLOW } from '../../runtime/policy/index.js';
import { loaded } from '../support/compiled.js';
import { type Document, policyFiles, type RuleBody } from '../support/oracle/documents.js';
import { MODEL_DEFAULTS, type ModelRequest, type ModelSettings, modelCheck } from '../support/oracle/model.js';
import { Random } from '../support/oracle/random.js';
import { randomRequest, randomStore } from '../support/oracle/random-store.js';
import { tableOf } from '../support/oracle/table.js';
import { tinyCel } from '../support/oracle/tiny-cel.js';
import { SEED, rounds } from '../support/effort.js';

/**
 * Every way to ask an engine, compared with the reference model: `isAllowed`, prepared principals that are kept for
 * many resources, `check` with and without outputs, the walk over rules without `decide`, and strict evaluation.
 * Policies read globals, have schemas and names that objects of JavaScript inherit; requests have unusual strings.
 * STORES is the number of random stores, REQUESTS that of requests for each, SEED the first seed.
 */
const STORES = rounds(20);
const REQUESTS = 60;

const test = suite('every call of the engine compared with the reference model');

test('all calls make the decisions of the model', async () => {
  let decisions = 0;
  let byFunction = 0;
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed + 5_000_000);
    const rename = renaming(random);
    const documents = rename(extended(random, storeOf(random)));
    const files = Object.entries(policyFiles(documents)).map(([path, text]) => new Source(path, text));
    const { policies: compiled, traced } = await loaded(compile(files, undefined, { schemaTexts: SCHEMA_TEXTS }));
    const policies = compiled as CompiledBundle;
    const { options, settings } = configuration(random);
    const engine = createEngine(policies, options);
    const walking = createEngine(withoutDecide(policies), options);
    const strict = createEngine(policies, { ...options, strictEvaluation: true, traced: await traced() });
    const table = tableOf(documents);
    const kinds = new Set(policies.resourcePolicies.flatMap(({ kind, decide }) => (decide === undefined ? [] : kind)));
    const pool = Array.from({ length: 6 }, () => kept([engine, walking, strict], rename(unusual(random)).principal));

    for (let index = 0; index < REQUESTS; index += 1) {
      const fresh = rename(unusual(random));
      const one = random.chance(0.6) ? random.pick(pool) : kept([engine, walking, strict], fresh.principal);
      // Two names may have become one.
      const asked = [...new Set(fresh.actions)];
      const request: ModelRequest = { ...fresh, principal: one.principal as ModelRequest['principal'], actions: asked };
      const { principal, resource, actions } = request;
      const detail = `seed ${seed}, request ${index}: ${JSON.stringify({ options, request })}`;
      const model = (asked: readonly string[], isStrict: boolean): readonly object[] =>
        modelCheck(table, tinyCel, { ...request, actions: asked }, { ...settings, strict: isStrict }).actions;
      const call = { principal, resources: [{ resource, actions }] };

      const expected = model(actions, false);
      assert.equal(effects(engine, { ...call, includeMeta: true }), expected, `check with meta, ${detail}`);
      assert.equal(effects(engine, call), expected, `check, ${detail}`);
      assert.equal(effects(walking, call), expected, `check by the rules, ${detail}`);
      assert.equal(effects(strict, call), model(actions, true), `strict check, ${detail}`);
      for (const action of actions) {
        const alone = isAllow(model([action], false));
        const aloneStrict = isAllow(model([action], true));
        const question = { principal, resource, action };
        const answers = {
          isAllowed: engine.isAllowed(question),
          'isAllowed by the rules': walking.isAllowed(question),
          can: one.prepared[0]?.can(action, resource),
          'can by the rules': one.prepared[1]?.can(action, resource),
        };
        for (const [name, answer] of Object.entries(answers)) assert.is(answer, alone, `${name} ${action}, ${detail}`);
        assert.is(strict.isAllowed(question), aloneStrict, `strict isAllowed ${action}, ${detail}`);
        assert.is(one.prepared[2]?.can(action, resource), aloneStrict, `strict can ${action}, ${detail}`);
        decisions += 1;
        if (kinds.has(resource.kind)) byFunction += 1;
      }
    }
  }
  console.log(
    `  ${decisions} decisions agree with the model, ${byFunction} of them about kinds with a decide function`,
  );
  // A few stores can be of one sort by chance.
  assert.ok(STORES < 20 || byFunction > decisions * 0.1);
});

test('a prepared principal asks the clock in each call, and decides after a call that exceeded its limits', async () => {
  const rule = (action: string, expr: string): object => ({
    actions: [action],
    effect: 'EFFECT_ALLOW',
    roles: ['user'],
    condition: { match: { expr } },
  });
  const rules = [
    rule('late', 'now() > timestamp("2020-01-01T00:00:10Z")'),
    rule('own', 'R.attr.owner == P.id && "user" in P.roles && P.attr.level >= R.attr.level'),
    rule('costly', 'R.attr.names.exists(name, name.contains("#"))'),
  ];
  const document = { apiVersion: 'api.authz.dev/v1', resourcePolicy: { resource: 'doc', version: 'default', rules } };
  const { policies } = await loaded(compile([new Source('doc.yaml', JSON.stringify(document))]));
  let seconds = Date.parse('2020-01-01T00:00:09Z') / 1000;
  const engine = createEngine(policies as CompiledBundle, {
    clock: () => ({ seconds: seconds++, nanos: 0, offset: 0 }),
    limits: { evaluationCost: 1_000 },
  });
  const alice = engine.for({ id: 'alice', roles: ['user'], attr: { level: 2 } });
  const bob = engine.for({ id: 'bob', roles: ['user'], attr: { level: 1 } });
  const own = { kind: 'doc', id: 'd', attr: { owner: 'alice', level: 2 } };
  const costly = { ...own, attr: { names: Array.from({ length: 1_000 }, () => 'name') } };
  assert.equal(
    [1, 2, 3].map(() => alice.can('late', own)),
    [false, false, true],
  );
  for (let turn = 0; turn < 3; turn++) {
    assert.throws(() => alice.can('costly', costly), isLimit);
    assert.equal([alice.can('own', own), bob.can('own', own)], [true, false]);
    assert.throws(() =>
      engine.isAllowed({ principal: { id: 'x', roles: ['user'] }, resource: costly, action: 'costly' }),
    );
    assert.equal([bob.can('own', own), alice.can('own', own)], [false, true]);
  }
});

test('what was asked before does not change an answer or an error', async () => {
  const rules = ['view', 'edit'].map((action) => ({
    actions: [action],
    effect: 'EFFECT_ALLOW',
    roles: ['user', 'admin'],
    condition: { match: { expr: action === 'view' ? 'true' : 'R.attr.owner == P.id' } },
  }));
  const policyOf = (resource: string, scope: string, version = 'default'): Source =>
    new Source(
      `${resource}${scope}${version}.yaml`,
      JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy: { resource, version, scope, rules } }),
    );
  const { policies } = await loaded(
    compile([policyOf('doc', ''), policyOf('doc', 'acme'), policyOf('doc', '', 'v2'), policyOf('other', '')]),
  );
  const bundle = policies as CompiledBundle;
  const answer = (decide: () => boolean): string => {
    try {
      return String(decide());
    } catch (error) {
      return String(error);
    }
  };
  for (const options of [{}, { defaultScope: 'acme' }, { defaultPolicyVersion: 'v2' }]) {
    const random = new Random(SEED);
    const engine = createEngine(bundle, options);
    const prepared = PRINCIPALS.filter((each) => answer(() => engine.for(each) !== undefined) === 'true').map(
      (each) => ({ each, kept: engine.for(each) }),
    );
    const answers = new Set<string>();
    for (let index = 0; index < rounds(20_000); index += 1) {
      const action = random.pick(['view', 'edit', 'none', '', undefined]) as string;
      const resource = random.pick(RESOURCES);
      const principal = random.pick(PRINCIPALS);
      const { each, kept } = random.pick(prepared);
      const given = answer(() => engine.isAllowed({ principal, resource, action }));
      const detail = JSON.stringify({ options, index, principal, resource, action });
      assert.is(
        given,
        answer(() => createEngine(bundle, options).isAllowed({ principal, resource, action })),
        detail,
      );
      assert.is(
        answer(() => kept.can(action, resource)),
        answer(() => createEngine(bundle, options).for(each).can(action, resource)),
        JSON.stringify({ options, index, principal: each, resource, action }),
      );
      answers.add(given);
    }
    assert.ok(answers.has('true') && answers.has('false') && answers.size > 6, [...answers].join());
  }
});

test.run();

/** Principals and resources as programs without types may send them: most are not valid. */
const PRINCIPALS = (
  [
    { id: 'ann', roles: ['user'] },
    { id: 'ann', roles: ['guest', 'admin'], attr: {} },
    { id: 'ann', roles: ['user', 'user'] },
    { id: 'ann', roles: ['user', ''] },
    { id: 'ann', roles: ['user', 7] },
    { id: 'ann', roles: [] },
    { id: 'ann', roles: 'user' },
    { id: 'ann', roles: new Set(['user']) },
    { id: 'ann', roles: [...Array.from({ length: 20 }, (_, index) => `r${index}`), 'user'] },
    { id: 'ann', roles: [...Array.from({ length: 20 }, () => 'r'), 'user'] },
    { id: 'ann', roles: ['user'], scope: 'acme', policyVersion: 'v2' },
    { id: 'ann', roles: ['user'], scope: 'a b' },
    { id: 'ann', roles: ['user'], actors: [] },
    { id: 'ann', roles: ['user'], actors: [{ id: 'agent', roles: ['user'] }] },
    { id: '', roles: ['user'] },
    { roles: ['user'] },
    { id: 'ann' },
    null,
  ] as unknown[]
).map((each) => each as PrincipalInput);
const RESOURCES = (
  ['doc', 'other', 'unknown', '', undefined, 7].flatMap((kind) =>
    [
      {},
      { attr: { owner: 'ann' } },
      { id: '' },
      { scope: '' },
      { scope: 'acme' },
      { scope: 'acme.hr' },
      { scope: 'no scope' },
      { policyVersion: '' },
      { policyVersion: 'v2' },
      { policyVersion: 'v3' },
    ].map((more) => ({ kind, id: 'd1', ...more })),
  ) as unknown[]
).map((each) => each as CheckRequest['resources'][number]['resource']);

function isLimit(error: unknown): boolean {
  return error instanceof EvaluationLimitError;
}

interface Kept {
  readonly principal: PrincipalInput;
  /** By engine. */
  readonly prepared: readonly ReturnType<Engine['for']>[];
}

/** A principal that each engine has prepared. What the caller then does to its own object has no effect. */
function kept(engines: readonly Engine[], principal: PrincipalInput): Kept {
  const prepared = engines.map((engine) => {
    const own = { ...principal, roles: [...principal.roles] };
    const prepared = engine.for(own);
    own.roles.splice(0, own.roles.length, 'admin', 'user');
    Object.assign(own, { id: 'u2', attr: {}, scope: 'a', policyVersion: 'v2' });
    return prepared;
  });
  return { principal, prepared };
}

function effects(engine: Engine, request: CheckRequest): readonly object[] {
  const [result] = engine.check(request);
  return (result?.actions ?? []).map(({ allowed, effect, ...decision }) => {
    assert.is(allowed, effect === ALLOW);
    return { ...decision, effect: allowed ? 'EFFECT_ALLOW' : 'EFFECT_DENY' };
  });
}

function isAllow([decision]: readonly object[]): boolean {
  return (decision as { readonly effect: string }).effect === 'EFFECT_ALLOW';
}

function withoutDecide(bundle: CompiledBundle): CompiledBundle {
  return {
    ...bundle,
    resourcePolicies: bundle.resourcePolicies.map((policy) => ({ ...policy, decide: undefined })),
  };
}

/** Half of the stores have little else than resource policies at the root, which have a decide function. */
function storeOf(random: Random): readonly Document[] {
  const isPlain = random.chance(0.5);
  const documents = randomStore(random, { outputs: random.chance(0.5), runtime: random.chance(0.3) });
  if (!isPlain) return documents;
  const hasPrincipals = random.chance(0.3);
  return documents.flatMap((document): Document[] => {
    const { resourcePolicy, principalPolicy, rolePolicy } = document;
    if (rolePolicy !== undefined || (principalPolicy !== undefined && !hasPrincipals)) return [];
    if (resourcePolicy === undefined) return [document];
    if (resourcePolicy.scope !== '') return [];
    const rules = resourcePolicy.rules?.map((rule) => {
      const { derivedRoles: _, ...plain } = rule;
      return rule.effect === 'EFFECT_DENY' ? { ...plain, roles: ['*'] } : rule;
    });
    return [{ ...document, resourcePolicy: { ...resourcePolicy, ...(rules && { rules }) } }];
  });
}

/** With schemas, and with conditions that read globals, the kind, the roles and inherited names. */
function extended(random: Random, documents: readonly Document[]): readonly Document[] {
  const withMore = <Rule extends RuleBody>(rule: Rule): Rule =>
    random.chance(0.25)
      ? { ...rule, condition: { match: { any: { of: [...own(rule), { expr: random.pick(MORE) }] } } } }
      : rule;
  const own = ({ condition }: RuleBody) => (condition === undefined ? [] : [condition.match]);
  const hasSchemas = random.chance(0.4);
  return documents.map((document): Document => {
    const { resourcePolicy, principalPolicy } = document;
    if (resourcePolicy !== undefined) {
      const rules = resourcePolicy.rules?.map(withMore) ?? [];
      const schemas = hasSchemas && random.chance(0.7) ? { schemas: schemasOf(random) } : {};
      return { ...document, resourcePolicy: { ...resourcePolicy, ...schemas, rules } };
    }
    if (principalPolicy === undefined) return document;
    const rules = principalPolicy.rules?.map((rule) => ({ ...rule, actions: rule.actions.map(withMore) })) ?? [];
    return { ...document, principalPolicy: { ...principalPolicy, rules } };
  });
}

const MORE = [
  'G.limit == R.attr.n',
  'G.name == R.attr.a',
  'G.missing == 1',
  'R.kind == "doc"',
  'R.kind == "constructor"',
  'R.id == "r"',
  '"__proto__" in P.roles',
  '"" in P.roles',
  'has(P.attr.constructor)',
  'has(R.attr.__proto__)',
  'R.attr.toString == "x"',
  'P.attr.n == R.attr.n',
  '!(P.scope == R.scope)',
];

function schemasOf(random: Random): NonNullable<NonNullable<Document['resourcePolicy']>['schemas']> {
  const ignoreWhen = random.chance(0.5)
    ? { ignoreWhen: { actions: [random.pick(['view', 'view:*', '*', 'edit'])] } }
    : {};
  return {
    ...(random.chance(0.7) ? { resourceSchema: { ref: 'authz:///resource.json', ...ignoreWhen } } : {}),
    ...(random.chance(0.5) ? { principalSchema: { ref: 'authz:///principal.json' } } : {}),
  };
}

const SCHEMA_TEXTS = new Map([
  ['resource.json', JSON.stringify({ type: 'object', required: ['flag'] })],
  ['principal.json', JSON.stringify({ type: 'object', required: ['n'] })],
]);

function configuration(random: Random): { readonly options: EngineOptions; readonly settings: ModelSettings } {
  const defaultScope = random.pick(['', '', '', 'a', '.a']);
  const lenient = random.chance(0.4);
  const globals = { limit: random.pick([1, 4]), name: random.pick(['x', 'y']) };
  const schemaEnforcement = random.pick(['none', 'none', 'warn', 'reject'] as const);
  return {
    options: { defaultScope, lenientScopeSearch: lenient, globals, schemaEnforcement },
    settings: {
      ...MODEL_DEFAULTS,
      defaultScope,
      lenient,
      globals,
      schemaEnforcement,
      violations: (ref, attributes) =>
        Object.hasOwn(attributes as object, ref.includes('principal') ? 'n' : 'flag') ? [] : [VIOLATION],
    },
  };
}

const VIOLATION = { path: '', message: '' };

/** A random request, with unusual roles, names and attributes. */
function unusual(random: Random): ModelRequest {
  const { principal, resource, actions } = randomRequest(random);
  const roles = random.chance(0.15) ? strangeRoles(random, principal.roles) : principal.roles;
  return {
    principal: {
      ...principal,
      ...(random.chance(0.1) ? { id: random.pick(NAMES) } : {}),
      attr: { ...principal.attr, ...strangeAttributes(random) },
      roles,
    },
    resource: {
      ...resource,
      ...(random.chance(0.1) ? { kind: random.pick(NAMES) } : {}),
      ...(random.chance(0.1) ? { id: random.pick(NAMES) } : {}),
      ...(random.chance(0.05) ? { scope: random.pick(['.', '.a.b', 'a.b-', 'toString', 'constructor']) } : {}),
      attr: { ...resource.attr, ...strangeAttributes(random) },
    },
    actions: random.chance(0.2) ? [...new Set([...actions, random.pick(NAMES)])] : actions,
  };
}

function strangeRoles(random: Random, roles: readonly string[]): readonly string[] {
  return random.pick([
    () => [...new Set([...roles, random.pick(NAMES)])],
    () => random.some(NAMES, 1, 3),
    () => [...Array.from({ length: 9 }, (_, index) => `role-${index}`), ...roles],
  ])();
}

const NAMES = [
  ' ',
  '*',
  '**',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'view:',
  ':view',
  'view:public:',
  'VIEW',
  'view ',
  'doc',
  'album.object',
  'leave_request',
  'd*',
  'a\u0000b',
  '\ud800',
  '\u{1f600}',
  'é',
  'x'.repeat(500),
];

function strangeAttributes(random: Random): { readonly [name: string]: unknown } {
  if (random.chance(0.8)) return {};
  const name = random.pick(['a', 'b', 'n', 'flag', 'owner', 'constructor', 'toString', '__proto__']);
  // An own property, also if it is called `__proto__`.
  return Object.fromEntries([[name, random.pick(VALUES)]]);
}

const VALUES: readonly unknown[] = [{}, [], ['x'], { a: 'x' }, true, false, '', 'x', '\ud800', -0, 0.5, 1e21, null];

/** Gives what policies and requests name other names, which objects of JavaScript inherit. */
function renaming(random: Random): <T>(value: T) => T {
  if (random.chance(0.5)) return (value) => value;
  const [user, edit] = random.pick([
    ['__proto__', 'constructor'],
    ['constructor', '__proto__'],
    ['toString', 'valueOf'],
  ] as const);
  const kind = random.pick(['constructor', 'toString', 'doc']);
  const attribute = random.pick(['constructor', 'toString', '__proto__']);
  return <T>(value: T): T =>
    JSON.parse(
      JSON.stringify(value)
        .replace(/\buser\b/g, user)
        .replace(/\bedit\b/g, edit)
        .replace(/"doc"/g, JSON.stringify(kind))
        .replace(/\.attr\.a\b/g, `.attr.${attribute}`)
        .replace(/"a":/g, `"${attribute}":`),
    ) as T;
}
