import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CompiledBundle, createEngine, explanations } from '../../runtime/engine/index.js';
import type { CompiledTraces } from '../../runtime/engine/parts.js';
import { makeBundle } from '../../packages/analysis/program/bundle.js';
import { evaluateModule } from '../../packages/bundle/index.js';
import { bundle } from '../../compiler/bundle/index.js';
import { type Compilation, compile, type CompileOptions } from '../../compiler/compile.js';
import { formatPretty } from '../../compiler/diagnostics/format.js';
import { Source } from '../../compiler/diagnostics/source.js';
import type { EmittedFile } from '../../compiler/ir/emitted-file.js';
import type { Program } from '../../compiler/ir/program.js';
import { packed, unpacked } from '../../compiler/recompile/packed-part.js';
import { compilePart, mergeParts } from '../../compiler/recompile/parts.js';
import { partition } from '../../compiler/recompile/partition.js';
import { ROOT } from '../support/compiled.js';
import { type Asked, type HostileSet, hostileSet, SIZE } from '../support/hostile-sets.js';
import { Random } from '../support/oracle/random.js';
import { rounds, SEED } from '../support/effort.js';

/**
 * Bundles of many policies of one shape, whose texts could break a generator, against their program: 0 differences. SETS
 * is the number of random sets, REQUESTS that of requests for each policy.
 */
const SETS = rounds(15, 2);
const REQUESTS = 3;

const test = suite('bundles of hostile policies of one shape');

const leaked = globalThis as { leaked?: boolean };

test('a bundle decides as its program, and runs no text of a policy', async () => {
  const tally = { allowed: 0, denied: 0, outputs: 0, violations: 0, shared: 0 };
  for (let seed = SEED; seed < SEED + SETS; seed += 1) {
    const isScoped = seed % 3 === 1;
    const set = hostileSet(seed, { scoped: isScoped });
    const options = { explain: seed % 4 === 1, checksOnly: seed % 5 === 2, ...(isScoped && { scopedFrom: 1 }) };
    const compilation = compiled(set, options);
    const { js } = await bundle(compilation.files, `${ROOT}/runtime`);
    if (sharedFunctions(js) > 0) tally.shared += 1;
    await compare(
      js,
      compilation,
      set,
      new Random(seed),
      (result) => {
        if (result.includes('"effect":1')) tally.allowed += 1;
        if (result.includes('"effect":2')) tally.denied += 1;
        if (result.includes('"src"')) tally.outputs += 1;
        if (result.includes('"validationErrors":[{')) tally.violations += 1;
      },
      `seed ${seed}`,
    );
  }
  console.log(`  ${JSON.stringify(tally)}`);
  assert.is(leaked.leaked, undefined);
  assert.ok(tally.shared > 0);
  // No schema is violated in the first sets.
  for (const [name, count] of Object.entries(tally)) assert.ok(count > 0 || (SETS < 15 && name === 'violations'), name);
});

test('the bundle of a set that was compiled in parts is that of the whole', async () => {
  for (const scopedFrom of [1, 1_000].slice(0, rounds(2, 1))) {
    const set = hostileSet(scopedFrom, { scoped: true });
    const options = { scopedFrom, schemaTexts: new Map(Object.entries(set.schemas)) };
    const whole = await bundle(compiled(set, { scopedFrom }).files, `${ROOT}/runtime`);
    assert.is((await bundle(filesOfParts(set, options), `${ROOT}/runtime`)).js, whole.js);
  }
});

test.run();

function compiled({ policies, schemas }: HostileSet, options: CompileOptions): Compilation {
  const compilation = compile(sourcesOf(policies), undefined, {
    ...options,
    schemaTexts: new Map(Object.entries(schemas)),
  });
  assert.ok(compilation.program, formatPretty(compilation.diagnostics, { color: false }).slice(0, 2_000));
  return compilation;
}

function sourcesOf(policies: HostileSet['policies']): readonly Source[] {
  return Object.entries(policies)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, text]) => new Source(path, text));
}

/** As several threads compile a set. */
function filesOfParts({ policies }: HostileSet, options: CompileOptions): readonly EmittedFile[] {
  const sources = sourcesOf(policies);
  const { shared, parts } = partition(sources, { characters: Number.POSITIVE_INFINITY, policies: 5 });
  const merged = parts.map((part) => {
    const own = [...shared, ...part.above, ...part.policies];
    const result = compilePart(shared, part, options);
    assert.ok(result);
    return unpacked(structuredClone(packed(result, own)), own);
  });
  assert.ok(parts.length > 1);
  const snapshot = mergeParts(sources, shared, merged, options);
  assert.ok(snapshot);
  return snapshot.files;
}

/** How many functions of a bundle have literals as parameters. */
function sharedFunctions(js: string): number {
  return js.match(/^ *function make_module\d+\((?:\$\$decisions, )?\$\$\d/gm)?.length ?? 0;
}

async function compare(
  js: string,
  { program, lowered }: Compilation,
  set: HostileSet,
  random: Random,
  count: (result: string) => void,
  named: string,
): Promise<void> {
  const exported = await evaluateModule(js, '/hostile/policies.js');
  const policies = exported['policies'] as CompiledBundle;
  const loadTraced = exported['traced'] as (() => Promise<CompiledTraces>) | undefined;
  const expected = makeBundle(program as Program);
  assert.ok(lowered);
  const traced = await loadTraced?.();
  const engines = [undefined, 'reject'].flatMap((schemas) => {
    const options = schemas === undefined ? {} : { schemaEnforcement: schemas as 'reject' };
    return [
      [
        createEngine(policies, { ...options, use: [explanations()] }),
        createEngine(expected.bundle, { ...options, use: [explanations()] }),
      ] as const,
      ...(traced === undefined
        ? []
        : [
            [
              createEngine(policies, { ...options, strictEvaluation: true, traced }),
              createEngine(expected.bundle, { ...options, strictEvaluation: true, traced: expected.traced }),
            ] as const,
          ]),
    ];
  });
  for (const asked of set.asked) {
    for (let index = 0; index < REQUESTS; index += 1) {
      const request = requestOf(asked, random);
      for (const [actual, reference] of engines) {
        const result = JSON.stringify(reference.check(request));
        assert.is(JSON.stringify(actual.check(request)), result, `${named}: ${JSON.stringify(request)}`);
        count(result);
        const [{ resource, actions }] = request.resources;
        for (const action of actions) {
          const single = { principal: request.principal, resource, action };
          assert.is(actual.isAllowed(single), reference.isAllowed(single), `${named}: ${JSON.stringify(single)}`);
        }
      }
    }
  }
  assert.is(set.asked.length, SIZE);
}

function requestOf(asked: Asked, random: Random) {
  const value = (): string | number => random.pick(asked.values);
  const attr = {
    a: value(),
    b: value(),
    n: random.pick([0, 7, -7, 0.5, 12]),
    list: [value(), value()],
    [String(value())]: value(),
  };
  return {
    principal: {
      id: random.chance(0.5) ? asked.principal : 'somebody',
      roles: [...random.some(asked.roles, 1, 3)],
      policyVersion: asked.version,
      scope: asked.scope,
      attr: { a: value(), f: 'globalThis.leaked = true' },
    },
    resources: [
      {
        resource: { kind: asked.kind, id: 'r', policyVersion: asked.version, scope: asked.scope, attr },
        actions: [...random.some(asked.actions, 1, 4), 'other'],
      },
    ] as const,
    includeMeta: true,
  };
}
