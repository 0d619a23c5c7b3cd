import type { Explainer } from '../../runtime/engine/parts.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type AccessRequest,
  type CompiledTraces,
  type EngineOptions,
  EvaluationLimitError,
} from '../../runtime/engine/index.js';
import { makeExplainer } from '../../packages/analysis/explain/explain.js';
import { importBundle } from '../../compiler/bundle/import-bundle.js';
import { bundle } from '../../compiler/bundle/index.js';
import { compile } from '../../compiler/compile.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { restoreProgram, serialiseProgram } from '../../compiler/ir/serialised.js';
import type { Program } from '../../compiler/ir/program.js';
import { runtimeFolder } from '../../compiler/load/runtime-folder.js';
import { fold } from '../../compiler/optimise/index.js';
import { acceptedStore, FAMILIES, GLOBALS, NOW } from '../support/cel/condition-stores.js';
import { PLACES } from '../support/mutants/conditions.js';
import { policyFiles } from '../support/oracle/documents.js';
import { Random } from '../support/oracle/random.js';
import { randomRequest, randomStore } from '../support/oracle/random-store.js';
import { SEED, rounds } from '../support/effort.js';

/**
 * The number of stores of random policies, of requests for each, and of stores of conditions; SEED is the first seed.
 */
const STORES = rounds(5);
const REQUESTS = 120;
const CONDITION_STORES = rounds(3);
const CONDITIONS = Math.min(40, rounds(40, 15));
const ROWS = 6;

const test = suite('bundles that explain');

test('a bundle explains as authzc explain does, and decides as its engine', async () => {
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed);
    const documents = randomStore(random, { outputs: random.chance(0.3), runtime: random.chance(0.5) });
    const { lowered, files } = compiled(policyFiles(documents), true);
    const options: EngineOptions = {
      clock: () => NOW,
      defaultScope: random.pick(['', '', 'a', '.a']),
      lenientScopeSearch: random.chance(0.4),
      strictEvaluation: random.chance(0.3),
    };
    const { js } = await bundle(files, runtimeFolder());
    const { explainer, traced } = (await importBundle(js)) as unknown as ExplainingBundle;
    const actual = await explainer({ ...options, traced: await traced() });
    const expected = makeExplainer(lowered, options);
    for (let i = 0; i < REQUESTS; i += 1) {
      const { principal, resource, actions } = randomRequest(random);
      const request = { principal, resource, action: actions[0] ?? 'view' };
      const detail = `seed ${seed}, request ${i}: ${JSON.stringify(request)}`;
      const search = i % 20 === 0 ? { near: 2 } : undefined;
      const explanation = actual.explain(request, search);
      assert.equal(explanation, expected.explain(request, search), detail);
      assert.is(actual.isAllowed(request), explanation.decision === 'ALLOW', detail);
    }
  }
});

for (const [name, family] of Object.entries(FAMILIES)) {
  test(`conditions ${name} are explained from data as from their program`, () => {
    for (let seed = SEED; seed < SEED + CONDITION_STORES; seed += 1) {
      const random = new Random(seed);
      const { compilation, conditions } = acceptedStore(family, random, CONDITIONS);
      const lowered = fold(compilation.lowered as Program);
      const options: EngineOptions = { clock: () => NOW, globals: GLOBALS };
      const expected = makeExplainer(lowered, options);
      const actual = makeExplainer(restoreProgram(serialiseProgram(lowered)), options);
      for (const [index, condition] of conditions) {
        for (let i = 0; i < ROWS; i += 1) {
          const principal = { id: random.pick(['u1', 'alice']), roles: ['user'], attr: family.principal(random) };
          const resource = { kind: `kind${index}`, id: 'r', attr: family.row(random) };
          for (const action of Object.keys(PLACES)) {
            const request: AccessRequest = { principal, resource, action };
            const search = i === 0 ? { near: 1, tries: 50 } : undefined;
            // As text: a result may have a member `__proto__`, which the assertion takes for a prototype.
            assert.is(
              JSON.stringify(actual.explain(request, search)),
              JSON.stringify(expected.explain(request, search)),
              `seed ${seed}, ${condition}, ${action}`,
            );
          }
        }
      }
    }
  });
}

test('numbers, bytes and names that JSON cannot say are restored', () => {
  const constants = { local: { deep: { $int: [-0, 0.1], $$: {}, type: { kind: 'field' } } } };
  const rule = (expr: string) => ({
    actions: ['view'],
    effect: 'EFFECT_ALLOW',
    roles: ['*'],
    condition: { match: { expr } },
  });
  const rules = [
    rule('C.deep["$int"][0] == R.attr.x && 9223372036854775807 > 1u && b"\\xff\\x00" == b"a"'),
    rule('1.0 / 0.0 > R.attr.x'),
  ];
  const resourcePolicy = { resource: 'doc', version: 'default', constants, rules };
  const { lowered } = compiled({ 'a.yaml': JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy }) }, true);
  const restored = restoreProgram(serialiseProgram(lowered));
  const constantsOf = (program: Program): string => JSON.stringify(program.modules.map((module) => module.constants));
  assert.is(constantsOf(restored), constantsOf(lowered));
  const again = (program: Program): unknown => serialiseProgram(program).modules.map((text) => JSON.parse(text));
  assert.equal(again(restored), again(lowered));
});

test('a bundle that explains adds modules and changes none but the index', () => {
  const texts = policyFiles(randomStore(new Random(SEED), { outputs: true, runtime: true }));
  const [plain, explained] = [false, true].map(
    (explain) => new Map(compiled(texts, explain).files.map(({ path, text }) => [path, text])),
  ) as [Map<string, string>, Map<string, string>];
  const differing = [...explained].filter(([path, text]) => plain.get(path) !== text).map(([path]) => path);
  assert.equal(differing, [
    'explain/documents.ts',
    'explain/index.ts',
    'explain/subjects.ts',
    'index.ts',
    'manifest.json',
  ]);
  assert.ok(explained.get('index.ts')?.includes('export const explainer'));
  for (const text of plain.values()) assert.not.ok(text.includes('explain'));
});

test('a search ends when its tries or its time are used up', () => {
  // No number equals one more than itself, but for very large ones: neither search finds any.
  const expr = [...Array(6).keys()].map((index) => `R.attr.a${index} + 1.0 == R.attr.a${index}`).join(' && ');
  const rules = [{ actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['*'], condition: { match: { expr } } }];
  const resourcePolicy = { resource: 'doc', version: 'default', rules };
  const { lowered } = compiled({ 'a.yaml': JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy }) }, true);
  const request = { principal: { id: 'p', roles: ['user'] }, resource: { kind: 'doc', id: 'd' }, action: 'view' };
  const engine = makeExplainer(lowered);
  const searched = engine.explain(request, { near: 1 }).nearMisses;
  assert.equal(searched, { changes: [], isComplete: true, sampled: searched?.sampled });
  // One rule is evaluated for each request, and ten for each try.
  const limited = { changes: [], isComplete: false, sampled: 49 };
  assert.equal(engine.explain(request, { near: 1, tries: 10 }).nearMisses, limited);
  let asked = 0;
  const isOver = (): boolean => ++asked > 5;
  const over = { changes: [], isComplete: false, sampled: 0 };
  assert.equal(engine.explain(request, { near: 1, isOver }).nearMisses, over);
  assert.is(asked, 7);
});

test('an explanation of too many rules exceeds the limits of a call', () => {
  const rule = { actions: ['view'], effect: 'EFFECT_ALLOW' };
  // Roles that no rule tells apart are asked once.
  const rules = [
    ...Array.from({ length: 100 }, () => ({ ...rule, roles: ['*'] })),
    ...Array.from({ length: 201 }, (_, index) => ({ ...rule, roles: [`role${index}`] })),
  ];
  const resourcePolicy = { resource: 'doc', version: 'default', rules };
  const { lowered } = compiled({ 'a.yaml': JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy }) }, true);
  const engine = makeExplainer(lowered);
  const requestOf = (count: number): AccessRequest => ({
    principal: { id: 'p', roles: Array.from({ length: count }, (_, index) => `role${index}`) },
    resource: { kind: 'doc', id: 'd' },
    action: 'view',
  });
  assert.is(engine.explain(requestOf(150)).steps.length, 150);
  assert.throws(
    () => engine.explain(requestOf(201)),
    (error: unknown) => error instanceof EvaluationLimitError,
  );
  assert.ok(engine.isAllowed(requestOf(201)));
});

test.run();

interface ExplainingBundle {
  readonly traced: () => Promise<CompiledTraces>;
  readonly explainer: (options?: EngineOptions) => Promise<Explainer>;
}

function compiled(
  texts: { readonly [path: string]: string },
  explain: boolean,
): { readonly lowered: Program; readonly files: ReturnType<typeof compile>['files'] } {
  const sources = Object.entries(texts).map(([path, text]) => new Source(path, text));
  const { lowered, files, diagnostics } = compile(sources, undefined, { explain });
  if (lowered === undefined) throw new Error(JSON.stringify(diagnostics));
  return { lowered: fold(lowered), files };
}
