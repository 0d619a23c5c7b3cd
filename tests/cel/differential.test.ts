import { isDeepStrictEqual } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as cel from '../../packages/cel/runtime/index.js';
import type { Request } from '../../runtime/policy/index.js';
import type { Expr } from '../../packages/cel/ast/expr.js';
import { parseCel } from '../../packages/cel/parse/index.js';
import { type CheckResult, checkExpression } from '../../packages/cel/check/check-expression.js';
import { policyEnvironment } from '../../packages/cel/check/environment.js';
import { Random } from '../support/oracle/random.js';
import { type Emitted, type EmittedMatch, emittedBatch } from './differential/emitted-batch.js';
import { CONSTANTS, randomExpression, VARIABLES } from '../support/cel/differential/random-expressions.js';
import { holds, matchDocument, type RandomMatch, randomMatch, strictly } from './differential/random-match.js';
import { randomRequest } from '../support/cel/differential/random-requests.js';
import { interpret, type Surroundings } from './interpreter/interpret.js';
import { SEED, rounds } from '../support/effort.js';

// Random expressions, compiled and interpreted.

const EXPRESSIONS = rounds(1200);
const BATCH = 400;
const REQUESTS = 20;

const test = suite('emitted conditions compared with the interpreter');

test('every emitted form of a random expression agrees with the interpreter', async () => {
  const random = new Random(SEED);
  const requests = Array.from({ length: REQUESTS }, () => randomRequest(random));
  const tally = { compared: 0, refused: 0, failing: 0, holding: 0, differences: [] as string[] };
  for (let made = 0; made < EXPRESSIONS; made += BATCH) {
    const accepted: Accepted[] = [];
    while (accepted.length < BATCH) {
      const text = randomExpression(random);
      const parsed = parseCel(text);
      const checked = parsed.ast && checkExpression(parsed.ast, policyEnvironment);
      if (parsed.ast === undefined || checked === undefined || checked.problems.length > 0) tally.refused += 1;
      else accepted.push({ text, ast: parsed.ast, checked });
    }
    const trees = Array.from({ length: BATCH / 4 }, () => randomMatch(random, BATCH));
    const emitted = await emittedBatch(
      accepted.map(({ text }) => text),
      trees,
    );
    for (const [at, request] of requests.entries()) {
      const results = accepted.map(({ ast, checked }) => interpret(ast, checked, surroundingsOf(request)));
      for (const [index, { text }] of accepted.entries()) {
        const difference = differenceOf(results[index], emitted.expressions[index] as Emitted, request, tally);
        tally.compared += 1;
        if (difference !== undefined) tally.differences.push(`${text}\n    request ${at}: ${difference}`);
      }
      for (const [index, tree] of trees.entries()) {
        const difference = matchDifferenceOf(
          tree,
          (leaf) => results[leaf],
          emitted.matches[index] as EmittedMatch,
          request,
        );
        if (difference !== undefined)
          tally.differences.push(
            `${JSON.stringify(
              matchDocument(
                tree,
                accepted.map(({ text }) => text),
              ),
            )}\n    request ${at}: ${difference}`,
          );
      }
    }
  }
  const { compared, refused, failing, holding, differences } = tally;
  console.log(
    `seed ${SEED}: ${compared} pairs of expression and request (${Math.round((100 * failing) / compared)}% fail, ${Math.round((100 * holding) / compared)}% hold); ` +
      `${refused} other expressions were refused by the checker; ${differences.length} differences`,
  );
  assert.ok(differences.length === 0, `seed ${SEED}:\n${shortest(differences).join('\n')}`);
});

test('the checker accepts or rejects a damaged expression and never throws', () => {
  const random = new Random(SEED);
  let accepted = 0;
  for (let made = 0; made < 2 * EXPRESSIONS; made++) {
    const text = damagedExpression(randomExpression(random), randomExpression(random), random);
    const { ast } = parseCel(text);
    if (ast !== undefined && checkExpression(ast, policyEnvironment).problems.length === 0) accepted += 1;
  }
  console.log(`${accepted} of ${2 * EXPRESSIONS} mutilated expressions were accepted`);
  assert.ok(accepted > 0 && accepted < EXPRESSIONS, `seed ${SEED}: ${accepted}`);
});

test.run();

interface Accepted {
  readonly text: string;
  readonly ast: Expr;
  readonly checked: CheckResult;
}

/** The differences between the compiled forms and the interpreter. */
function differenceOf(
  expected: cel.Result,
  emitted: Emitted,
  request: Request,
  tally: { failing: number; holding: number },
): string | undefined {
  const failure = expected instanceof cel.CelError ? expected.message : undefined;
  if (failure !== undefined) tally.failing += 1;
  if (expected === true) tally.holding += 1;
  const shown = failure === undefined ? JSON.stringify(cel.toOutput(expected)) : `failure ${failure}`;
  const holds = emitted.holds(request);
  if (holds !== (expected === true)) return `${shown}, but as a condition ${holds}`;
  const holdsNot = emitted.holdsNot(request);
  if (holdsNot !== (expected !== true)) return `${shown}, but below none ${holdsNot}`;
  const traced = emitted.traced(request);
  if (traced !== (failure ?? expected === true)) return `${shown}, but traced ${traced}`;
  const output = emitted.output(request);
  const wanted = failure === undefined ? cel.toOutput(expected) : { error: failure };
  return isDeepStrictEqual(output, wanted) ? undefined : `${shown}, but as output ${JSON.stringify(output)}`;
}

/** The differences for a compiled tree of expressions. */
function matchDifferenceOf(
  tree: RandomMatch,
  resultOf: (index: number) => cel.Result,
  emitted: EmittedMatch,
  request: Request,
): string | undefined {
  const [wanted, strict] = [holds(tree, resultOf), strictly(tree, resultOf)];
  const [held, traced] = [emitted.holds(request), emitted.traced(request)];
  if (held !== wanted) return `as a condition ${held}`;
  return traced === strict ? undefined : `${strict}, but traced ${traced}`;
}

/** Two expressions cut anywhere and joined, or one with a token removed or doubled. */
function damagedExpression(text: string, other: string, random: Random): string {
  const tokens = text.match(/\w+|\s+|"[^"]*"|./gsu) ?? [];
  const at = random.below(tokens.length);
  const replacement = random.pick<readonly string[]>([
    [],
    [tokens[at] ?? '', tokens[at] ?? ''],
    other.match(/\w+|\s+|"[^"]*"|./gsu)?.slice(0, 1 + random.below(8)) ?? [],
    [other],
  ]);
  return [...tokens.slice(0, at), ...replacement, ...tokens.slice(at + 1)].join('');
}

const variables = Object.entries(VARIABLES).map(([name, text]) => {
  const ast = parseCel(text).ast as Expr;
  return { name, ast, checked: checkExpression(ast, policyEnvironment) };
});

const known = new WeakMap<Request, Surroundings>();

function surroundingsOf(request: Request): Surroundings {
  const made = known.get(request);
  if (made !== undefined) return made;
  const values = new Map<string, cel.Result>();
  const surroundings = { request, variables: values, constants: CONSTANTS as never };
  for (const { name, ast, checked } of variables) values.set(name, cel.stored(interpret(ast, checked, surroundings)));
  known.set(request, surroundings);
  return surroundings;
}

/** One difference per expression, the shortest first, because they are the easiest to understand. */
function shortest(differences: readonly string[]): readonly string[] {
  const first = new Map(
    differences.toReversed().map((difference) => [difference.slice(0, difference.indexOf('\n')), difference]),
  );
  return [...first.values()].sort((a, b) => a.length - b.length).slice(0, 40);
}
