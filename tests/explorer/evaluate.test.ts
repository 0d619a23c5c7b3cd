import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { ALLOW } from '../../runtime/policy/index.js';
import { evaluate } from '../../packages/playground/playground/evaluate.js';
import type { PlaygroundInput, PlaygroundResult } from '../../packages/playground/playground/result.js';
import { guessedTable } from '../../packages/playground/playground/guessed-table.js';
import { policies } from '../../generated/index.js';
import { ROOT } from '../support/compiled.js';
import { Random } from '../support/oracle/random.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of mutated inputs; SEED is the first seed. */
const ROUNDS = rounds(80);

const test = suite('what the playground evaluates');

const FILES = readdirSync(join(ROOT, 'policies')).map((path) => ({
  path,
  text: readFileSync(join(ROOT, 'policies', path), 'utf8'),
}));
const REQUEST = {
  principal: { id: 'alice', roles: ['user', 'employee'], attr: { department: 'hr', title: 'manager' } },
  resource: { kind: 'album', id: 'a1', attr: { owner: 'alice', visibility: 'friends', friends: ['bob'] } },
  actions: ['view', 'edit', 'delete'],
};

test('the generated code, decisions, filters and test results are those of the command line', async () => {
  const {
    problems,
    generated = [],
    answer,
    tests,
  } = await evaluate({ files: FILES, request: JSON.stringify(REQUEST) });
  assert.equal(problems, []);
  for (const { path, text } of generated)
    if (path !== 'manifest.json') assert.is(text, readFileSync(join(ROOT, 'generated', path), 'utf8'), path);
  const { overallResult, testsCount = 0 } = tests?.summary ?? {};
  assert.is(overallResult, 'RESULT_PASSED');
  assert.ok(testsCount > 100);
  assert.ok(answer?.kind === 'answered');
  const engine = createEngine(policies);
  const [expected] = engine.check({ ...REQUEST, resources: [REQUEST] });
  assert.equal(
    answer.decisions.map(({ action, explanations }) => [action, explanations[0]?.explanation.effect]),
    expected?.actions.map(({ action, effect }) => [action, effect === ALLOW ? 'EFFECT_ALLOW' : 'EFFECT_DENY']),
  );
  for (const { action, response } of answer.plans) {
    const plan = engine.plan({ principal: REQUEST.principal, resource: { kind: 'album' }, actions: [action] });
    assert.equal((response as { readonly filter: unknown }).filter, plan.filter, action);
  }
});

test('tests that do not know some facts are evaluated', async () => {
  const text = `name: albums
principals: {bob: {id: bob, roles: [user]}}
resources: {a1: {kind: album, id: a1, attr: {owner: alice, visibility: public, status: OPEN}}}
tests:
  - name: whoever owns it
    unknown: [resource.attr.owner]
    input: {principals: [bob], resources: [a1], actions: [view, edit]}
    expected: [{principal: bob, resource: a1, actions: {view: EFFECT_ALLOW, edit: UNKNOWN}}]
`;
  const files = [...FILES.filter(({ path }) => !path.endsWith('_test.yaml')), { path: 'album_test.yaml', text }];
  const { problems, tests } = await evaluate({ files, request: JSON.stringify(REQUEST) });
  assert.equal(problems, []);
  assert.equal(tests?.summary.resultCounts, [{ result: 'RESULT_PASSED', count: 2 }]);
});

test('refused policies have problems with their places, and no answer', async () => {
  const files = [{ path: 'a.yaml', text: 'apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resurce: album\n' }];
  const { problems, generated, answer } = await evaluate({ files, request: '{}' });
  const [first] = problems;
  assert.is(first?.path, 'a.yaml');
  assert.equal(first?.place, { line: 3, column: 3, start: 47, end: 54 });
  assert.is(generated, undefined);
  assert.is(answer, undefined);
});

for (const [name, request, reason] of [
  ['not JSON', '{', /^request: /],
  ['not an object', '[]', /^request: the request must be an object$/],
  ['too many actions', { actions: Array.from({ length: 21 }, (_, i) => `a${i}`) }, /`actions` must have 1 to 20 items/],
  ['an empty id', { principal: { id: '', roles: [] } }, /`principal.id` must be a string that is not empty/],
  ['a role that is not a string', { principal: { id: 'a', roles: [1] } }, /`principal.roles\[0\]` must be a string/],
  ['attributes that are a list', { resource: { kind: 'k', id: 'i', attr: [] } }, /`resource.attr` must be an object/],
  ['claims that are missing', { auxData: { jwts: { a: {} } } }, /^$/],
  ['an unknown field', { auxData: { token: 'x' } }, /`auxData` has an unknown field `token`: use `jwt`, `jwts`/],
] as const)
  test(`a request with ${name} is refused, or has a default`, async () => {
    const text = typeof request === 'string' ? request : JSON.stringify({ ...REQUEST, ...request });
    const { answer } = await evaluate({ files: FILES, request: text });
    assert.match(answer?.kind === 'refused' ? answer.reason : '', reason);
  });

test('attributes that are nested deeply are refused, not a failure', async () => {
  const deep = `${'['.repeat(60_000)}${']'.repeat(60_000)}`;
  const request = JSON.stringify(REQUEST).replace('"alice","visibility"', `${deep},"visibility"`);
  assert.is((await evaluate({ files: FILES, request })).answer?.kind, 'refused');
});

test('columns have the types that a filter, or else the request, tells', async () => {
  const variable = (name: string) => ({ variable: `request.resource.attr.${name}` });
  const call = (operator: string, ...operands: readonly object[]) => ({ expression: { operator, operands } });
  const condition = call(
    'and',
    call('eq', variable('owner'), { value: 'alice' }),
    call('gt', variable('size'), { value: 3 }),
    call('in', { value: 'a' }, variable('tags')),
    call('lt', call('timestamp', variable('at')), call('timestamp', { value: '2025-01-01T00:00:00Z' })),
    call('eq', variable('address.city'), variable('home')),
    call('in', variable('status'), { value: ['OPEN'] }),
    variable('isPublic'),
  );
  const attr = { isPublic: true, address: { city: 'Bern' } };
  const table = guessedTable({ kind: 'KIND_CONDITIONAL', condition } as never, { kind: 'a:b', id: '1', attr });
  assert.is(table.name, 'a_bs');
  assert.equal(Object.fromEntries(Object.entries(table.columns).map(([path, { type }]) => [path, type])), {
    'address.city': 'text',
    at: 'timestamp',
    home: 'text',
    isPublic: 'boolean',
    owner: 'text',
    size: 'number',
    status: 'text',
    tags: 'list',
  });
  assert.is(table.columns['address.city']?.column, 'address_city');
});

test(`mutated files and requests are evaluated without a failure, to data that a worker can send (seed ${SEED})`, async () => {
  const counts = { answered: 0, refused: 0, notCompiled: 0 };
  for (let seed = SEED; seed < SEED + ROUNDS; seed += 1) {
    const random = new Random(seed);
    const input: PlaygroundInput = {
      files: FILES.map(({ path, text }) => ({ path, text: random.chance(0.15) ? mutated(text, random) : text })),
      request: random.chance(0.3) ? mutated(JSON.stringify(REQUEST), random) : JSON.stringify(REQUEST),
    };
    let result: PlaygroundResult;
    try {
      result = structuredClone(await evaluate(input));
    } catch (error) {
      throw new Error(`seed ${seed}: ${JSON.stringify(input)}`, { cause: error });
    }
    counts[result.generated === undefined ? 'notCompiled' : (result.answer?.kind ?? 'refused')] += 1;
    assert.is(
      result.generated === undefined,
      result.problems.some(({ severity }) => severity === 'error'),
      `${seed}`,
    );
  }
  assert.ok(Math.min(counts.answered, counts.refused, counts.notCompiled) > 0, JSON.stringify(counts));
});

test.run();

const PIECES = [
  ' ',
  '\n',
  '  ',
  ':',
  '- ',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  '*',
  '&a ',
  '!',
  '\0',
  '\ud800',
  '9',
  '__proto__',
  'null',
];

function mutated(text: string, random: Random): string {
  const at = random.below(text.length);
  const length = random.below(12);
  return text.slice(0, at) + random.pick(PIECES) + text.slice(at + length);
}
