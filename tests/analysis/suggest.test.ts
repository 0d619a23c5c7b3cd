import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Coverage, CoverageRecorder } from '../../packages/analysis/coverage/coverage.js';
import { countKilled, tryMutants } from '../../packages/policy-tests/mutate/mutate.js';
import { listMutants } from '../../packages/policy-tests/mutate/mutants.js';
import { selected } from '../../packages/policy-tests/mutate/selection.js';
import { suggestForCoverage } from '../../packages/policy-tests/suggest/coverage-suggestions.js';
import { suggestForMutants } from '../../packages/policy-tests/suggest/mutant-suggestions.js';
import { listGoals } from '../../packages/policy-tests/suggest/goals.js';
import { Reachability } from '../../packages/policy-tests/suggest/reachability.js';
import type { Suggestions, SuggestionSubject } from '../../packages/policy-tests/suggest/subject.js';
import { suiteText } from '../../packages/policy-tests/suggest/suite.js';
import { askPolicies, type PoliciesWithProgram } from '../../packages/policy-tests/engine/ask-policies.js';
import { chooseProver } from '../../packages/cli/policies/solver.js';
import { Source } from '../../compiler/diagnostics/source.js';
import type { Program } from '../../compiler/ir/program.js';
import { runTests, testCalls } from '../../packages/policy-tests/run-tests.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { policyFiles } from '../support/oracle/documents.js';
import { Random } from '../support/oracle/random.js';
import { randomStore } from '../support/oracle/random-store.js';
import { skip } from '../support/skip.js';
import { EFFORT, SEED, rounds } from '../support/effort.js';

/** The number of random stores; SEED is the first seed. */
const STORES = rounds(1);

/** The number of random conditions whose goals are proved impossible. */
const PROOFS = rounds(15, 5);

const test = suite('suggested tests');

const VIEW = { name: 'view', actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['user'] };

test('a test for each value with which a clause decides', async () => {
  const { text, unmet, coverage } = await suggested([
    { ...VIEW, condition: { match: { expr: 'R.attr.public == true || R.attr.owner == P.id' } } },
  ]);
  assert.is(
    text,
    `# Made by authzc: what the policies decide now. Read each line: is it what they should decide?

name: suggested
principals:
  alice_user: {id: alice, roles: [user]}
resources:
  bob_doc: {kind: doc, id: r1, attr: {owner: bob, public: true}}
  bob_doc_2: {kind: doc, id: r1, attr: {owner: bob, public: false}}
  alice_doc: {kind: doc, id: r1, attr: {owner: alice, public: false}}
tests:
  - name: "suggested: doc.yaml:1 view, public is true"
    input: {principals: [alice_user], resources: [bob_doc], actions: [view]}
    expected:
      - {principal: alice_user, resource: bob_doc, actions: {view: EFFECT_ALLOW}}
  - name: "suggested: doc.yaml:1 view, public is not true"
    input: {principals: [alice_user], resources: [bob_doc_2], actions: [view]}
    expected:
      - {principal: alice_user, resource: bob_doc_2, actions: {view: EFFECT_DENY}}
  - name: "suggested: doc.yaml:1 view, R.attr.owner == P.id is true"
    input: {principals: [alice_user], resources: [alice_doc], actions: [view]}
    expected:
      - {principal: alice_user, resource: alice_doc, actions: {view: EFFECT_ALLOW}}
`,
  );
  assert.equal(unmet, []);
  assert.is(isComplete(coverage), true);
});

test('what no request can show is said with its place', async () => {
  const { unmet, coverage } = await suggested([
    { ...VIEW, name: 'dead', condition: { match: { expr: 'R.attr.n > 3 && R.attr.n < 2' } } },
    { ...VIEW, name: 'both', condition: { match: { expr: 'has(R.attr.x) && R.attr.x == "a"' } } },
  ]);
  assert.equal(
    unmet.map(({ text }) => text),
    [
      'dead, R.attr.n > 3 is true: no request found for which it decides alone',
      'dead, R.attr.n < 2 is true: no request found for which it decides alone',
      'dead applies: no request found',
      'both, has(R.attr.x) is false: proved never to decide alone',
    ],
  );
  assert.equal(coverage.total.clauses, { covered: 8, all: 8 });
  assert.equal(coverage.total.rules, { covered: 1, all: 2 });
});

const z3 = chooseProver({});
if (z3 === undefined) skip(import.meta.url, 'z3-solver is not installed');
else {
  test('a solver proves that rules are dead', async () => {
    const { unmet } = await suggested(
      [{ ...VIEW, name: 'dead', condition: { match: { expr: 'R.attr.n > 3 && R.attr.n < 2' } } }],
      { prover: z3 },
    );
    assert.equal(
      unmet.map(({ text }) => text),
      [
        'dead, R.attr.n > 3 is true: proved never to decide alone',
        'dead, R.attr.n < 2 is true: proved never to decide alone',
        'dead applies: proved that no request can',
      ],
    );
  });

  test('a solver finds values that nothing is compared with', async () => {
    const rule = {
      ...VIEW,
      condition: { match: { expr: 'R.attr.code.matches("^[a-c]{3}-[0-9]{4}$") && "vip" in P.roles' } },
    };
    const without = await suggested([rule]);
    assert.equal(
      without.unmet.map(({ text }) => text).filter((text) => text.includes('applies')),
      ['view applies: no request found'],
    );
    const { unmet, coverage } = await suggested([rule], { prover: z3 });
    assert.equal(unmet, []);
    assert.is(isComplete(coverage), true);
  });
}

test('no request of a small domain reaches a goal that is proved impossible', async () => {
  const reachability = new Reachability(z3);
  let proved = 0;
  for (let seed = SEED; seed < SEED + PROOFS; seed += 1) {
    const random = new Random(seed);
    const expr = randomCondition(random, 3);
    const { lowered } = compileTexts(policyTexts([{ ...VIEW, condition: { match: { expr } } }]));
    const recorder = new CoverageRecorder(lowered as Program);
    for (const goal of recorder.rules().flatMap(listGoals))
      for (const own of [goal, ...(goal.otherwise ? [goal.otherwise] : [])]) {
        if ((await reachability.decide(own, [], () => false)) !== 'impossible') continue;
        proved += 1;
        for (const a of VALUES)
          for (const b of VALUES) {
            const attr = { ...(a !== undefined && { a }), ...(b !== undefined && { b }) };
            const request = {
              principal: { id: 'alice', roles: ['user'] },
              resource: { kind: 'doc', id: 'r1', attr },
              action: 'view',
            };
            const isMet = recorder
              .observe(request, {})
              .some((sight) => sight.record === own.record && own.isMetBy(sight));
            assert.not(isMet, `seed ${seed}: ${expr}: ${own.text}: ${JSON.stringify(attr)}`);
          }
      }
  }
  await reachability.close();
  assert.ok(proved > PROOFS / 3, `only ${proved} goals are proved impossible`);
});

const CONDITIONS: readonly string[] = [
  'timestamp(R.attr.ends) > now() && R.attr.open',
  'now() < timestamp("2020-05-01T00:00:00Z")',
  'P.id == "root" || "auditor" in P.roles',
  'R.attr.tags.exists(t, t == "secret")',
  'size(R.attr.tags) > 1 && R.attr.level >= P.attr.level',
  'R.attr.name.startsWith("draft-") ? R.attr.author == P.id : R.attr.done',
  'request.auxData.jwt.tenant == R.attr.tenant',
  'globals.region == "eu"',
  'R.attr.team == P.attr.team && !(R.attr.kind in ["a", "b"])',
  'P.attr.limits.most >= R.attr.sum && R.attr["odd name"] == "it\'s \\"quoted\\": {yes}"',
];

for (const expr of CONDITIONS) {
  test(`every clause is covered and decides, again and again: ${expr}`, async () => {
    const rules = [{ ...VIEW, condition: { match: { expr } } }];
    const { text, unmet, coverage } = await suggested(rules);
    assert.is((await suggested(rules)).text, text);
    assert.equal(
      unmet.map(({ text }) => text),
      [],
    );
    assert.is(isComplete(coverage), true, JSON.stringify(coverage.total));
  });
}

test('names and values of any kind survive the way through YAML', async () => {
  const odd = [
    'null',
    '0x1F',
    '~',
    'yes',
    '- a',
    'a: b # c',
    '{x}',
    "it's",
    '"q"',
    'é\u2028x',
    '__proto__',
    '1e3',
    '<<',
  ];
  const { unmet, coverage } = await suggested([
    {
      name: 'odd.name@x',
      actions: odd,
      effect: 'EFFECT_ALLOW',
      roles: ['a: b', '"r"'],
      condition: {
        match: {
          all: {
            of: odd.map((text) => ({ expr: `R.attr[${JSON.stringify(text)}] == ${JSON.stringify(text)}` })),
          },
        },
      },
    },
  ]);
  assert.equal(
    unmet.map(({ text }) => text),
    [],
  );
  assert.is(isComplete(coverage), true, JSON.stringify(coverage.total));
});

test('only names of the vocabulary are used', async () => {
  const rules = [
    { ...VIEW, actions: ['view', 'comment:*'], roles: ['user', 'guest:*'] },
    { ...VIEW, name: 'none', actions: ['other:*'] },
  ];
  const { unmet, text } = await suggested(rules, {
    allowed: { roles: ['user', 'guest:x'], actions: ['view', 'comment:add'] },
  });
  assert.match(text, 'comment:add');
  assert.match(text, 'guest:x');
  assert.equal(
    unmet.map((own) => own.text),
    ['none applies: no request found', 'none, action other:*: no request found', 'none, role user: no request found'],
  );
});

test('random policies: the suite passes, and covers what it promises', async () => {
  let tests = 0;
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed);
    const subject = await subjectOf(policyFiles(randomStore(random, { outputs: true, runtime: random.chance(0.5) })));
    const recorder = new CoverageRecorder(subject.program);
    const suggestions = await suggestForCoverage(recorder, subject, always);
    tests += suggestions.tests.length;
    const confirmed = coverageOf(suggestions, subject);
    assert.equal(confirmed.total, recorder.coverage().total, `seed ${seed}`);
    const { rules } = confirmed.total;
    assert.ok(rules.covered > rules.all / 2, `seed ${seed}: ${rules.covered} of ${rules.all} rules`);
    if (EFFORT === 'quick') continue;
    const again = await suggestForCoverage(new CoverageRecorder(subject.program), subject, always);
    assert.is(suiteText(again.tests), suiteText(suggestions.tests), `seed ${seed}`);
  }
  assert.ok(tests > 10 * STORES, `only ${tests} tests`);
});

test('random policies: a suite notices each mutant that a test is suggested for', async () => {
  let noticed = 0;
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed);
    const subject = await subjectOf(policyFiles(randomStore(random, { outputs: false, runtime: false })));
    const { program } = subject;
    const mutants = selected(listMutants(program), { count: 8, seed });
    const tests = { calls: [], options: ASK_OPTIONS, compiled: subject.compiled };
    const report = await tryMutants(program, mutants, tests, { next: () => Promise.resolve(true) });
    const suggestions = await suggestForMutants(report, mutants, subject, always);
    coverageOf(suggestions, subject);
    const calls = callsOf(suiteText(suggestions.tests));
    const survivors = mutants.filter((_, index) => report.mutants[index]?.result === 'survived');
    const killed = countKilled(survivors, program, { calls, options: ASK_OPTIONS });
    assert.is(killed, survivors.length - suggestions.unmet.length, `seed ${seed}`);
    noticed += killed;
  }
  assert.ok(noticed > STORES, `only ${noticed} mutants are noticed`);
});

test.run();

const VALUES = [undefined, 'x', 'y', true, false, 1, null] as const;

/** A condition of two attributes. */
function randomCondition(random: Random, depth: number): string {
  const attribute = `R.attr.${random.pick(['a', 'b'])}`;
  const part = (): string => randomCondition(random, depth - 1);
  if (depth === 0 || random.chance(0.2))
    return random.pick([
      `${attribute} == "x"`,
      `${attribute} != "x"`,
      `has(${attribute})`,
      attribute,
      `${attribute} in ["x", "y"]`,
      `${attribute} < 2`,
    ]);
  return random.pick([
    () => `(${part()} && ${part()})`,
    () => `(${part()} || ${part()})`,
    () => `!(${part()})`,
    () => `(${part()} ? ${part()} : ${part()})`,
  ])();
}

const ASK_OPTIONS = { strictEvaluation: false, schemaEnforcement: 'warn' } as const;

const always = (): Promise<boolean> => Promise.resolve(true);

function isComplete({ total: { rules, clauses, mcdc } }: Coverage): boolean {
  return [rules, clauses, mcdc].every(({ covered, all }) => covered === all);
}

/** What is suggested for a resource policy without tests, and the coverage of the suite when it is run. */
async function suggested(
  rules: readonly object[],
  more: Partial<SuggestionSubject> = {},
): Promise<Suggestions & { readonly text: string; readonly coverage: Coverage }> {
  const subject = { ...(await subjectOf(policyTexts(rules))), ...more };
  const suggestions = await suggestForCoverage(new CoverageRecorder(subject.program), subject, always);
  return { ...suggestions, text: suiteText(suggestions.tests), coverage: coverageOf(suggestions, subject) };
}

function policyTexts(rules: readonly object[]): { readonly [path: string]: string } {
  const resourcePolicy = { resource: 'doc', version: 'default', rules };
  return { 'doc.yaml': JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy }) };
}

type LoadedSubject = SuggestionSubject & { readonly loaded: PoliciesWithProgram };

async function subjectOf(texts: { readonly [path: string]: string }): Promise<LoadedSubject> {
  const compilation = compileTexts(texts);
  const { policies, traced } = await loaded(compilation);
  const program = compilation.lowered as Program;
  const own = { policies, traces: await traced(), lowered: () => program };
  return {
    program,
    compiled: policies,
    ask: askPolicies(own, ASK_OPTIONS).ask,
    engineOptions: { schemaEnforcement: 'none' },
    calls: [],
    allowed: { roles: undefined, actions: undefined },
    loaded: own,
  };
}

/** The coverage of suggested tests, all of which have to pass. */
function coverageOf({ tests }: Suggestions, { loaded: own, program }: LoadedSubject): Coverage {
  const recorder = new CoverageRecorder(program);
  const { ask } = askPolicies(own, ASK_OPTIONS, (request, options) => recorder.record(request, options));
  const text = suiteText(tests);
  const { suites, summary } = runTests([suiteFiles(text)], {
    filter: new Map(),
    skipBatching: false,
    traced: false,
    ask,
  });
  if (tests.length > 0) assert.is(summary.overall, 'passed', `${suites[0]?.error}\n${text}`);
  return recorder.coverage();
}

function callsOf(text: string): ReturnType<typeof testCalls> {
  return testCalls([suiteFiles(text)], { filter: new Map(), skipBatching: false, traced: false });
}

function suiteFiles(text: string): Parameters<typeof testCalls>[0][number] {
  return {
    path: 'suggested_test.yaml',
    file: { source: new Source('suggested_test.yaml', text) },
    fixtureFolder: 'testdata',
    principals: undefined,
    resources: undefined,
    auxData: undefined,
  };
}
