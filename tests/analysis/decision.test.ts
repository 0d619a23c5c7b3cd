import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, type EngineOptions } from '../../runtime/engine/index.js';
import { computedRoles } from '../../runtime/engine/parts.js';
import { classesAt } from '../../packages/analysis/decision/classes.js';
import { Decisions } from '../../packages/analysis/decision/decisions.js';
import { nameClasses } from '../../packages/analysis/decision/name-classes.js';
import type { Point } from '../../packages/analysis/question/point.js';
import { listPoints } from '../../packages/analysis/decision/points.js';
import type { Formula } from '../../packages/analysis/formula/formula.js';
import { FormulaKeys } from '../../packages/analysis/formula/keys.js';
import { formatStructure } from '../../packages/analysis/formula/structure.js';
import { makeBundle } from '../../packages/analysis/program/bundle.js';
import { requestAt } from '../../packages/analysis/witness/replay.js';
import type { Match, Program } from '../../compiler/ir/program.js';
import { isTrueFor } from '../support/analysis/formulas.js';
import { compileTexts } from '../support/compiled.js';
import { policyFiles } from '../support/oracle/documents.js';
import { globMatch } from '../support/oracle/glob-match.js';
import { Random } from '../support/oracle/random.js';
import { randomAttributes, randomStore } from '../support/oracle/random-store.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of random stores, and of requests for each; SEED is the first seed. 20,000 requests by default. */
const STORES = rounds(40);
const REQUESTS = 500;

const NOW = { seconds: 0, nanos: 0, offset: 0 };

const test = suite('decisions as formulas');

test('the formula of a decision is the decision, for any set of roles', () => {
  const counts = { allowed: 0, denied: 0, listed: 0 };
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed);
    const { program } = compileTexts(policyFiles(randomStore(random, { outputs: false, runtime: random.chance(0.5) })));
    const options: EngineOptions = {
      defaultScope: random.pick(['', '', 'a', '.a']).replace('.', ''),
      lenientScopeSearch: random.chance(0.4),
    };
    const decisions = new Decisions(program as Program, options);
    const engine = createEngine(makeBundle(program as Program).bundle, { ...options, use: [computedRoles] });
    const points = listPoints([decisions], options.lenientScopeSearch === true);
    const keys = new FormulaKeys();
    const known = new Map<Point, { readonly names: readonly string[]; readonly formulas: Map<string, Formula> }>();
    for (let i = 0; points.length > 0 && i < REQUESTS; i += 1) {
      const point = random.pick(points);
      const first = decisions.at(point, []);
      if (first.sharesResults) continue;
      const { names, formulas } = known.get(point) ?? formulasAt(decisions, point, keys);
      known.set(point, { names, formulas });
      const [action, formula] = random.pick([...formulas]);
      const own = random.some(names, 0, 4);
      const { principal, resource } = requestAt(point, new Set(), options);
      const attr = randomAttributes(random);
      const request = {
        principal: {
          ...principal,
          ...(point.principal === undefined && { id: 'someone' }),
          roles: own,
          attr: { n: random.below(10) },
        },
        resource: { ...resource, attr },
        action,
      };
      const expected = engine.isAllowed(request);
      const detail = `seed ${seed}: ${JSON.stringify([point, request])}`;
      assert.is(isTrueFor(formula, request, NOW), expected, detail);
      counts[expected ? 'allowed' : 'denied'] += 1;
      if (first.readsRuntime) counts.listed += 1;
    }
  }
  assert.ok(Math.min(counts.allowed, counts.denied) > STORES, JSON.stringify(counts));
  assert.ok(STORES < 40 || counts.listed > STORES, JSON.stringify(counts));
});

test('names that match the same literals and globs are one class', () => {
  const classes = (literals: readonly string[], globs: readonly string[]): object =>
    nameClasses(literals, globs, ['something']);
  const complete = { isComplete: true };
  assert.equal(classes(['view'], []), { named: ['view'], others: ['something'], ...complete });
  assert.equal(classes(['view'], ['*']), { named: ['view'], others: ['something'], ...complete });
  assert.equal(classes(['view'], ['view:*']), { named: ['view'], others: ['something', 'view:x'], ...complete });
  assert.equal(classes([], ['view*', '*:x']), {
    named: [],
    others: ['something', 'viewx', 'x:x'],
    ...complete,
  });
  // A name of each class, even if literals are the shortest.
  assert.equal(classes(['v', 'vx', 'vxx'], ['v*']), {
    named: ['v', 'vx', 'vxx'],
    others: ['something', 'va'],
    ...complete,
  });
  // `a:**:a` matches `a:a`, where its ends overlap; `a:*:a` does not.
  assert.equal(classes([], ['a:**:a', 'a:*:a']), {
    named: [],
    others: ['a:a', 'a:x:a', 'something'],
    ...complete,
  });
});

test('globs that take too many states together are not walked', () => {
  const globs = Array.from({ length: 16 }, (_, index) => `*${'abcdefghijklmnop'[index]}*${'ponmlkjihgfedcba'[index]}*`);
  const { isComplete } = nameClasses([], globs, ['something']);
  assert.not(isComplete);
});

test('classes of random globs: every name is in one of them', () => {
  const random = new Random(SEED);
  for (let i = 0; i < 300; i += 1) {
    const literals = Array.from({ length: random.below(3) }, () => randomName(random, 'ab:'));
    const globs = Array.from({ length: 1 + random.below(3) }, () => randomName(random, 'ab:*?{,}[]'));
    const { others, isComplete } = nameClasses(literals, globs, []);
    if (!isComplete) continue;
    const engineOf = (name: string): string => globs.map((pattern) => globMatch(pattern, name)).join();
    const known = new Set(others.map(engineOf));
    for (let j = 0; j < 50; j += 1) {
      const name = randomName(random, 'abc:-');
      if (name === '' || literals.includes(name)) continue;
      assert.ok(known.has(engineOf(name)), `${JSON.stringify([literals, globs, name])}: ${others.join()}`);
    }
  }
});

test('a condition that reads failed variables as null is another condition', () => {
  const rule = {
    actions: ['view'],
    effect: 'EFFECT_ALLOW',
    roles: ['*'],
    condition: { match: { expr: 'V.x == null' } },
  };
  const policy = { resource: 'doc', version: 'default', variables: { local: { x: 'R.attr.x' } }, rules: [rule] };
  const text = JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy: policy });
  const [module] = (compileTexts({ 'doc.yaml': text }).program as Program).modules;
  assert.ok(module?.kind === 'resource');
  const condition = module.rules[0]?.condition as Match;
  const keys = new FormulaKeys();
  const key = (failedIsNull: boolean): number => keys.of({ kind: 'holds', condition, module, failedIsNull });
  assert.is(key(true), key(true));
  assert.is.not(key(true), key(false));
});

test('the structure of a constant keeps all that its author wrote', () => {
  const literal = (value: object): object => ({ kind: 'literal', literal: 'json', value, type: { kind: 'dyn' } });
  assert.is.not(formatStructure(literal({ type: 'a' })), formatStructure(literal({ type: 'b' })));
  assert.is.not(formatStructure(literal({ expression: 1 })), formatStructure(literal({ expression: 2 })));
});

test.run();

/** The classes of roles at a point, and its formulas by action. */
function formulasAt(
  decisions: Decisions,
  point: Point,
  keys: FormulaKeys,
): { readonly names: readonly string[]; readonly formulas: Map<string, Formula> } {
  const { actions, roles } = classesAt(point, [decisions.at(point, [])]);
  const names = [...roles.named, ...roles.others];
  const at = decisions.at(point, names);
  const formulas = [...actions.named, ...actions.others].map((action) => [action, at.of(action, keys)] as const);
  return { names, formulas: new Map(formulas) };
}

function randomName(random: Random, characters: string): string {
  return Array.from({ length: random.below(5) }, () => random.pick([...characters])).join('');
}
