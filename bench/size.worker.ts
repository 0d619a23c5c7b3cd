import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createEngine } from '../runtime/engine/index.js';
import type { CompiledBundle } from '../runtime/engine/parts.js';
import { report } from './harness/child.js';
import { nanosecondsSince, statisticsOf } from './harness/rounds.js';
import type { SizeReport } from './size.bench.js';
import { questionOf, type TenantQuestion, tenantsOf } from './workload/tenant-policies.js';

/* Loads a bundle, and asks about one tenant, then about all in random order. */

const [count, path] = [Number(process.argv[2]), process.argv[3] as string];
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const heap = (): number => {
  collect();
  return process.memoryUsage().heapUsed;
};

const before = heap();
// Reads it into the cache of the file system.
readFileSync(path);
const begin = performance.now();
const { policies } = (await import(path)) as { readonly policies: CompiledBundle };
const engine = createEngine(policies);
const load = performance.now() - begin;
const loadedHeap = heap() - before;

const requests = (questions: readonly TenantQuestion[]) =>
  questions.map(({ kind, scope, limit }) => ({
    principal: { id: 'alice', roles: ['employee'], attr: { departments: ['sales'] } },
    resource: { kind, id: '1', scope, attr: { owner: 'alice', amount: limit, status: 'OPEN' } },
    action: 'read',
  }));
type Asked = ReturnType<typeof requests>;

const tenants = Math.max(1, tenantsOf(count));
// V8 has compiled the engine before the first decisions at the scopes that are measured.
const one = requests(Array.from({ length: 600 }, (_, turn) => questionOf(count, 0, turn)));
decideAll(one, 50);
const first = requests(Array.from({ length: Math.min(20, tenants - 1) }, (_, index) => questionOf(count, index + 1)));
const firsts = first.map((request) => {
  const start = performance.now();
  engine.isAllowed(request);
  return (performance.now() - start) * 1000;
});
const hot = statisticsOf(Array.from({ length: 15 }, () => decideAll(one, 100))).median;
// A prime number of tenants on: neighbours in the bundle are not neighbours in time.
const all = requests(
  Array.from({ length: Math.max(600, 2 * tenants) }, (_, turn) =>
    questionOf(count, (turn * 7_919) % tenants, Math.floor((turn * 7) / 3)),
  ),
);
decideAll(all, Math.ceil(200_000 / all.length));
const random = statisticsOf(Array.from({ length: 9 }, () => decideAll(all, Math.ceil(50_000 / all.length)))).median;
const usedHeap = heap() - before;
const planned = all.slice(0, 500);
planAll(planned);
planAll(planned);
const plan = statisticsOf(Array.from({ length: 5 }, () => planAll(planned))).median;
await report({
  load,
  loadedHeap,
  usedHeap,
  first: firsts.length === 0 ? undefined : statisticsOf(firsts).median,
  hot,
  random,
  plan: plan / 1000,
} satisfies SizeReport);

/** Nanoseconds of CPU for each decision. */
function decideAll(asked: Asked, passes: number): number {
  const start = process.cpuUsage();
  let allowed = 0;
  for (let pass = 0; pass < passes; pass += 1) for (const request of asked) if (engine.isAllowed(request)) allowed += 1;
  if (allowed !== passes * asked.length) throw new Error(`${passes * asked.length - allowed} decisions are wrong`);
  return nanosecondsSince(start) / allowed;
}

/** Nanoseconds of CPU for each plan. */
function planAll(asked: Asked): number {
  const start = process.cpuUsage();
  for (const { principal, resource, action } of asked) {
    const { filter } = engine.plan({
      principal,
      resource: { kind: resource.kind, scope: resource.scope },
      actions: [action],
    });
    if (filter.kind !== 'KIND_CONDITIONAL') throw new Error(`a plan is ${filter.kind}`);
  }
  return nanosecondsSince(start) / asked.length;
}
