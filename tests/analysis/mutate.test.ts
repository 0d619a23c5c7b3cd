import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, type Engine } from '../../runtime/engine/index.js';
import { MutantComparison } from '../../packages/policy-tests/mutate/comparison.js';
import {
  type MutantResult,
  type MutationReport,
  type Tests,
  tryMutants,
} from '../../packages/policy-tests/mutate/mutate.js';
import { listMutants } from '../../packages/policy-tests/mutate/mutants.js';
import { mutationText } from '../../packages/policy-tests/mutate/report/text.js';
import { makeBundle } from '../../packages/analysis/program/bundle.js';
import { selected } from '../../packages/policy-tests/mutate/selection.js';
import { chooseProver } from '../../packages/cli/policies/solver.js';
import { Source } from '../../compiler/diagnostics/source.js';
import type { Program } from '../../compiler/ir/program.js';
import { emit } from '../../compiler/emit/index.js';
import { fold, optimise } from '../../compiler/optimise/index.js';
import { type TestCall, testCalls } from '../../packages/policy-tests/run-tests.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { policyFiles } from '../support/oracle/documents.js';
import { Random } from '../support/oracle/random.js';
import { randomRequest, randomStore } from '../support/oracle/random-store.js';
import { skip } from '../support/skip.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of random policies and of random stores; SEED is the first seed. */
const POLICIES = rounds(3);
const STORES = rounds(2, 2);

const test = suite('mutants');

const VIEW = { name: 'view', actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['user'] };
const OWNED = { ...VIEW, condition: { match: { expr: 'R.attr.owner == P.id' } } };

// The tests ask whether alice, a user, may view her own document, and that of bob: ALLOW and DENY.

test('a test kills the mutants of a rule that it exercises, and no others', async () => {
  const report = await reportOf({ rules: [OWNED, { ...VIEW, name: 'edit', actions: ['edit', 'delete'] }] });
  assert.equal(textsOf(report), [
    'killed scope view,edit: scopePermissions: SCOPE_PERMISSIONS_OVERRIDE_PARENT -> scopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS',
    'killed effect view: effect: EFFECT_ALLOW -> effect: EFFECT_DENY',
    'killed rule view: rule view -> (removed)',
    'survived role view: roles: [user] -> roles: ["*"]',
    'survived action view: actions: [view] -> actions: ["*"]',
    'killed cond view: condition: R.attr.owner == P.id -> (removed)',
    'killed cond view: R.attr.owner == P.id -> {none: {of: [R.attr.owner == P.id]}}',
    'killed op view: R.attr.owner == P.id -> R.attr.owner != P.id',
    'survived effect edit: effect: EFFECT_ALLOW -> effect: EFFECT_DENY',
    'survived rule edit: rule edit -> (removed)',
    'survived role edit: roles: [user] -> roles: ["*"]',
    'survived action edit: actions: [edit, delete] -> actions: [delete]',
    'survived action edit: actions: [edit, delete] -> actions: [edit]',
    'killed action edit: actions: [edit, delete] -> actions: ["*"]',
  ]);
  assert.equal(report.total, { killed: 7, survived: 7, equivalent: 0, undecided: 0, score: 50 });
});

test('operators and literals of expressions, and how conditions are combined', async () => {
  const edits = async (match: object): Promise<readonly string[]> => {
    const report = await reportOf({ rules: [{ ...VIEW, condition: { match } }] });
    return report.mutants
      .filter(({ operator }) => ['op', 'lit', 'tree'].includes(operator))
      .map(({ result, operator, before, after }) => `${result} ${operator} ${before} -> ${after}`);
  };
  assert.equal(await edits({ expr: '(R.attr.owner) == (P.id) && !(P.id in ["bob", "eve"])' }), [
    'killed op (R.attr.owner) == (P.id) && !(P.id in ["bob", "eve"]) -> (R.attr.owner) == (P.id) || !(P.id in ["bob", "eve"])',
    'survived op (R.attr.owner) == (P.id) && !(P.id in ["bob", "eve"]) -> (R.attr.owner) == (P.id)',
    'killed op (R.attr.owner) == (P.id) && !(P.id in ["bob", "eve"]) -> !(P.id in ["bob", "eve"])',
    'killed op (R.attr.owner) == (P.id) -> (R.attr.owner) != (P.id)',
    'killed op !(P.id in ["bob", "eve"]) -> P.id in ["bob", "eve"]',
    'killed op P.id in ["bob", "eve"] -> !(P.id in ["bob", "eve"])',
    'survived lit "bob" -> "other"',
    'survived lit "eve" -> "other"',
  ]);
  assert.equal(await edits({ expr: 'R.attr.owner == P.id && size(P.id) < 6' }), [
    'killed op R.attr.owner == P.id && size(P.id) < 6 -> R.attr.owner == P.id || size(P.id) < 6',
    'survived op R.attr.owner == P.id && size(P.id) < 6 -> R.attr.owner == P.id',
    'killed op R.attr.owner == P.id && size(P.id) < 6 -> size(P.id) < 6',
    'killed op R.attr.owner == P.id -> R.attr.owner != P.id',
    'survived op size(P.id) < 6 -> size(P.id) <= 6',
    'killed op size(P.id) < 6 -> size(P.id) >= 6',
    'survived lit 6 -> 7',
    'killed lit 6 -> 5',
  ]);
  assert.equal(
    await edits({
      all: { of: [{ expr: 'R.attr.owner == P.id' }, { none: { of: [{ expr: 'false' }, { expr: 'R.attr.no' }] } }] },
    }),
    [
      'killed tree {all: {of: [R.attr.owner == P.id, {none: {of: [false, R.attr.no]}}]}} -> {any: {of: [R.attr.owner == P.id, {none: {of: [false, R.attr.no]}}]}}',
      'killed tree R.attr.owner == P.id -> (removed)',
      'killed op R.attr.owner == P.id -> R.attr.owner != P.id',
      'survived tree {none: {of: [false, R.attr.no]}} -> (removed)',
      'killed tree {none: {of: [false, R.attr.no]}} -> {any: {of: [false, R.attr.no]}}',
      'equivalent tree false -> (removed)',
      'killed lit false -> true',
      'survived tree R.attr.no -> (removed)',
    ],
  );
});

test('derived roles, with the rules that name them', async () => {
  const derivedRoles = {
    name: 'roles',
    definitions: [
      { name: 'owner', parentRoles: ['user', 'guest'], condition: { match: { expr: 'R.attr.owner == P.id' } } },
    ],
  };
  const report = await reportOf(
    { importDerivedRoles: ['roles'], rules: [{ ...VIEW, roles: ['admin'], derivedRoles: ['owner'] }] },
    { 'roles.yaml': { derivedRoles } },
  );
  assert.equal(
    textsOf(report).filter((text) => /role|dr/.test(text)),
    [
      'survived role view: roles: [admin] -> roles: []',
      'killed role view: roles: [admin] -> roles: ["*"]',
      'killed role view: derivedRoles: [owner] -> derivedRoles: []',
      'killed dr owner: parentRoles: [user, guest] -> parentRoles: [guest]',
      'survived dr owner: parentRoles: [user, guest] -> parentRoles: [user]',
      'killed dr owner: condition: R.attr.owner == P.id -> (removed)',
      'killed dr owner: R.attr.owner == P.id -> {none: {of: [R.attr.owner == P.id]}}',
    ],
  );
});

test('scope permissions, in both lowerings', async () => {
  const report = await reportOf(
    { rules: [VIEW] },
    { 'scoped.yaml': { resourcePolicy: { resource: 'doc', version: 'default', scope: 'acme', rules: [OWNED] } } },
  );
  assert.equal(
    textsOf(report).filter((text) => text.includes('scope')),
    [
      'killed scope view: scopePermissions: SCOPE_PERMISSIONS_OVERRIDE_PARENT -> scopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS',
      'survived scope view: scopePermissions: SCOPE_PERMISSIONS_OVERRIDE_PARENT -> scopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS',
    ],
  );
});

test('role policies: actions added and removed', async () => {
  const rolePolicy = { role: 'user', scope: '', rules: [{ resource: 'doc', allowActions: ['view', 'edit'] }] };
  const report = await reportOf(
    { rules: [OWNED, { ...VIEW, name: 'delete', actions: ['delete'] }] },
    { 'role.yaml': { rolePolicy } },
  );
  assert.equal(
    textsOf(report).filter((text) => /limit|rule for/.test(text)),
    [
      'survived rule : rule for doc -> (removed)',
      'killed limit : allowActions: [view, edit] -> allowActions: [edit]',
      'equivalent limit : allowActions: [view, edit] -> allowActions: [view]',
      'survived limit : allowActions: [view, edit] -> allowActions: [view, edit, delete]',
    ],
  );
});

test('variables and constants, in every policy that imports them', async () => {
  const report = await reportOf(
    {
      variables: { import: ['shared'], local: { unread: '"nothing"' } },
      constants: { import: ['limits'] },
      rules: [
        {
          ...VIEW,
          condition: { match: { expr: 'V.owned && size(P.id) <= C.longest' } },
          output: { when: { ruleActivated: 'V.unread' } },
        },
      ],
    },
    {
      'shared.yaml': { exportVariables: { name: 'shared', definitions: { owned: 'R.attr.owner == P.id' } } },
      'limits.yaml': { exportConstants: { name: 'limits', definitions: { longest: 6 } } },
    },
  );
  assert.equal(
    textsOf(report).filter((text) => !/(effect|rule|role|action|cond) view/.test(text)),
    [
      'killed scope view: scopePermissions: SCOPE_PERMISSIONS_OVERRIDE_PARENT -> scopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS',
      'killed op view: V.owned && size(P.id) <= C.longest -> V.owned || size(P.id) <= C.longest',
      'survived op view: V.owned && size(P.id) <= C.longest -> V.owned',
      'killed op view: V.owned && size(P.id) <= C.longest -> size(P.id) <= C.longest',
      'survived op view: size(P.id) <= C.longest -> size(P.id) < C.longest',
      'killed op view: size(P.id) <= C.longest -> size(P.id) > C.longest',
      'survived const view: longest: 6 -> longest: 7',
      'survived const view: longest: 6 -> longest: 5',
      'killed op view: R.attr.owner == P.id -> R.attr.owner != P.id',
    ],
  );
});

test('equivalent mutants decide alike: all requests of a small domain', async () => {
  let proved = 0;
  let equal = 0;
  for (let seed = SEED; seed < SEED + POLICIES; seed += 1) {
    const random = new Random(seed);
    const program = programOf({ rules: Array.from({ length: 1 + random.below(3) }, () => randomRule(random)) }, {});
    const decisions = decisionsOf(program);
    const isEquivalent = equivalence(program);
    for (const mutant of listMutants(program)) {
      const mutated = mutant.program();
      const isEqual = decisionsOf(mutated) === decisions;
      const isProved = await isEquivalent(mutated);
      assert.ok(isEqual || !isProved, `seed ${seed}: ${mutant.before} -> ${mutant.after}`);
      if (isEqual) equal += 1;
      if (isProved) proved += 1;
    }
  }
  assert.ok(proved > POLICIES / 2, `only ${proved} of ${equal} mutants that decide alike are proved`);
});

test('equivalent mutants decide alike: scopes, consent, role policies and principal policies', async () => {
  let proved = 0;
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed);
    const { lowered } = compileTexts(policyFiles(randomStore(random, { outputs: false, runtime: false })));
    if (lowered === undefined) continue;
    const requests = Array.from({ length: 300 }, () => randomRequest(random));
    const isEquivalent = equivalence(lowered);
    for (const lenientScopeSearch of [false, true]) {
      const engineOf = (program: Program): Engine =>
        createEngine(makeBundle(fold(program)).bundle, { lenientScopeSearch });
      const engine = engineOf(lowered);
      const mutants = selected(listMutants(lowered), { count: 6, seed });
      for (const mutant of mutants) {
        const mutated = mutant.program();
        if (!(await isEquivalent(mutated))) continue;
        proved += 1;
        const other = engineOf(mutated);
        for (const { principal, resource, actions } of requests)
          for (const action of actions) {
            const request = { principal, resource, action };
            const detail = `seed ${seed}: ${mutant.operator} ${mutant.before} -> ${mutant.after}: ${JSON.stringify(request)}`;
            assert.is(other.isAllowed(request), engine.isAllowed(request), detail);
          }
      }
    }
  }
  assert.ok(proved > 0, `only ${proved} mutants are proved`);
});

test('a mutant that no test is near is told from the policies: globals, claims, time', async () => {
  for (const expr of [
    'globals.region == "eu" && R.attr.n > 3',
    'request.auxData.jwt.tenant == R.attr.tenant && R.attr.kind in ["a", "b"]',
    'timestamp(R.attr.ends) > now() && R.attr.open',
  ]) {
    const report = await reportOf({ rules: [{ ...VIEW, actions: ['edit'], condition: { match: { expr } } }] });
    const untold = report.mutants.filter(({ result, witness }) => result !== 'killed' && witness === undefined);
    assert.equal(untold.map(textOf), []);
  }
});

test('a witness names the globals and the time that it depends on', async () => {
  const expr = 'globals.region == "eu" && now() > timestamp("2030-01-01T00:00:00Z")';
  const report = await reportOf({ rules: [{ ...VIEW, condition: { match: { expr } } }] });
  assert.match(
    mutationText(report, (file) => file),
    'no test asks: alice [user] view doc globals {"region":"eu"} at 2030-01-01T00:00:01Z   ALLOW, mutant DENY',
  );
});

test('a witness has attributes that the schemas accept, if there are such', async () => {
  const number = (name: string): string =>
    JSON.stringify({ type: 'object', properties: { [name]: { type: 'number' } }, required: [name] });
  const schemas = new Map([
    ['doc.json', number('amount')],
    ['person.json', number('limit')],
  ]);
  const policy = {
    schemas: { resourceSchema: { ref: 'authz:///doc.json' }, principalSchema: { ref: 'authz:///person.json' } },
    rules: [{ ...VIEW, condition: { match: { expr: 'R.attr.amount < P.attr.limit' } } }],
  };
  const { mutants } = await reportOf(policy, {}, { calls: [] }, schemas);
  const shown = mutants.flatMap(({ witness }) => (witness === undefined ? [] : [witness.request]));
  assert.ok(shown.length > 5);
  assert.equal(
    shown.map(({ principal, resource }) => [typeof principal.attr?.['limit'], typeof resource.attr?.['amount']]),
    shown.map(() => ['number', 'number']),
  );
});

const BOUNDS = { ...VIEW, condition: { match: { expr: 'R.attr.n < 10 && R.attr.n < 20' } } };
const NARROWER = 'R.attr.n < 10 && R.attr.n < 20 -> R.attr.n < 10';

test('what only a solver proves is not decided without one', async () => {
  const report = await reportOf({ rules: [BOUNDS] });
  assert.ok(textsOf(report).includes(`survived op view: ${NARROWER}`), textsOf(report).join('\n'));
  assert.ok(report.total.undecided > 0);
});

const z3 = chooseProver({});
if (z3 === undefined) skip(import.meta.url, 'z3-solver is not installed');
else
  test('a solver proves that mutants are equivalent, but not in strict evaluation', async () => {
    const report = await reportOf({ rules: [BOUNDS] }, {}, { prover: z3 });
    assert.ok(textsOf(report).includes(`equivalent op view: ${NARROWER}`), textsOf(report).join('\n'));
    assert.is(report.total.undecided, 0);
    const strict = await reportOf(
      { rules: [BOUNDS] },
      {},
      { prover: z3, options: { strictEvaluation: true, schemaEnforcement: 'none' } },
    );
    assert.is(strict.total.equivalent, 0);
  });

test('mutants decide as their generated code does', async () => {
  let changed = 0;
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed);
    const texts = policyFiles(randomStore(random, { outputs: false, runtime: random.chance(0.5) }));
    const compilation = compileTexts(texts);
    const lowered = compilation.lowered as Program;
    const sources = Object.entries(texts).map(([path, text]) => new Source(path, text));
    const requests = Array.from({ length: 300 }, () => randomRequest(random));
    const original = createEngine(makeBundle(fold(lowered)).bundle);
    for (const mutant of selected(listMutants(lowered), { count: 4, seed })) {
      const mutated = mutant.program();
      const program = optimise(fold(mutated));
      const emitted = { ...compilation, program, files: emit(program, sources, 'test') };
      const compiled = createEngine((await loaded(emitted)).policies);
      const interpreted = createEngine(makeBundle(fold(mutated)).bundle);
      for (const { principal, resource, actions } of requests) {
        const request = { principal, resource, action: actions[0] as string };
        const detail = `seed ${seed}: ${mutant.operator} ${mutant.before} -> ${mutant.after}: ${JSON.stringify(request)}`;
        assert.is(interpreted.isAllowed(request), compiled.isAllowed(request), detail);
        if (interpreted.isAllowed(request) !== original.isAllowed(request)) changed += 1;
      }
    }
  }
  assert.ok(changed > STORES, `only ${changed} decisions are changed`);
});

test.run();

function textsOf({ mutants }: MutationReport): readonly string[] {
  return mutants.map(textOf);
}

function textOf({ result, operator, rules, before, after }: MutantResult): string {
  return `${result} ${operator} ${rules.map((key) => key.slice(key.indexOf('#') + 1)).join()}: ${before} -> ${after}`;
}

/** Whether mutants of a program are proved to decide as it does, without a solver. */
function equivalence(program: Program): (mutated: Program) => Promise<boolean> {
  const comparison = new MutantComparison(program, makeBundle(fold(program)).bundle, undefined);
  return async (mutated) => (await comparison.of(mutated).difference({ seeds: [] })).answer === 'no';
}

async function reportOf(
  policy: object,
  more: { readonly [path: string]: object } = {},
  tests: Partial<Tests> = {},
  schemaTexts: ReadonlyMap<string, string> = new Map(),
): Promise<MutationReport> {
  const program = programOf(policy, more, schemaTexts);
  return tryMutants(
    program,
    selected(listMutants(program), {}),
    {
      calls: callsOf(),
      options: { strictEvaluation: false, schemaEnforcement: 'none' },
      compiled: makeBundle(fold(program)).bundle,
      ...tests,
    },
    { next: () => Promise.resolve(true) },
  );
}

function programOf(
  policy: object,
  more: { readonly [path: string]: object },
  schemaTexts: ReadonlyMap<string, string> = new Map(),
): Program {
  const texts = { ...more, 'doc.yaml': { resourcePolicy: { resource: 'doc', version: 'default', ...policy } } };
  const { lowered, diagnostics } = compileTexts(
    Object.fromEntries(
      Object.entries(texts).map(([path, text]) => [path, JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...text })]),
    ),
    { schemaTexts },
  );
  assert.is(diagnostics.filter(({ severity }) => severity === 'error').length, 0, JSON.stringify(diagnostics));
  return lowered as Program;
}

/** Alice, a user, may view her own document, and not that of bob. */
function callsOf(): readonly TestCall[] {
  const text = JSON.stringify({
    name: 'tests',
    principals: { alice: { id: 'alice', roles: ['user'] } },
    resources: {
      own: { kind: 'doc', id: 'own', attr: { owner: 'alice' } },
      other: { kind: 'doc', id: 'other', attr: { owner: 'bob' } },
    },
    tests: [
      {
        name: 'owners',
        input: { principals: ['alice'], resources: ['own', 'other'], actions: ['view'] },
        expected: [{ principal: 'alice', resource: 'own', actions: { view: 'EFFECT_ALLOW' } }],
      },
    ],
  });
  const files = {
    path: 'doc_test.yaml',
    file: { source: new Source('doc_test.yaml', text) },
    fixtureFolder: 'testdata',
    principals: undefined,
    resources: undefined,
    auxData: undefined,
  };
  return testCalls([files], { filter: new Map(), skipBatching: false, traced: false });
}

const ATTRIBUTES = ['a', 'b', 'c'] as const;
const VALUES = [undefined, 'x', 'y', true] as const;

/** The decisions about all requests of a small domain. */
function decisionsOf(program: Program): string {
  const engine = createEngine(makeBundle(fold(program)).bundle);
  let decisions = '';
  for (const a of VALUES)
    for (const b of VALUES)
      for (const c of VALUES)
        for (const role of ['user', 'auditor'])
          for (const action of ['view', 'edit', 'view:all', 'else']) {
            const attr = Object.fromEntries(
              [a, b, c].flatMap((value, index) => (value === undefined ? [] : [[ATTRIBUTES[index], value]])),
            );
            const request = {
              principal: { id: 'alice', roles: [role] },
              resource: { kind: 'doc', id: 'd', attr },
              action,
            };
            decisions += engine.isAllowed(request) ? 1 : 0;
          }
  return decisions;
}

function randomRule(random: Random): object {
  return {
    actions: random.pick([['view'], ['edit'], ['view', 'edit'], ['view:*'], ['*'], ['view', 'view:*']]),
    effect: random.pick(['EFFECT_ALLOW', 'EFFECT_ALLOW', 'EFFECT_DENY']),
    roles: random.pick([['user'], ['admin'], ['user', 'admin'], ['*'], ['a*', 'user']]),
    ...(random.chance(0.8) && { condition: { match: randomMatch(random, 2) } }),
  };
}

function randomMatch(random: Random, depth: number): object {
  if (depth === 0 || random.chance(0.4)) return { expr: randomText(random, depth) };
  const of = Array.from({ length: 1 + random.below(3) }, () => randomMatch(random, depth - 1));
  return { [random.pick(['all', 'any', 'none'])]: { of } };
}

function randomText(random: Random, depth: number): string {
  const attribute = random.pick(ATTRIBUTES);
  const part = (): string => randomText(random, depth - 1);
  if (depth === 0 || random.chance(0.3))
    return random.pick([
      () => `R.attr.${attribute} == "x"`,
      () => `R.attr.${attribute} != "x"`,
      () => `R.attr.${attribute} == "y"`,
      () => `has(R.attr.${attribute})`,
      () => `R.attr.${attribute}`,
      () => `R.attr.${attribute} in ["x", "y"]`,
    ])();
  return random.pick([
    () => `(${part()} && ${part()})`,
    () => `(${part()} || ${part()})`,
    () => `!(${part()})`,
    () => `(${part()} ? ${part()} : ${part()})`,
  ])();
}
