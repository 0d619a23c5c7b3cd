import { analysisBench } from './analysis.bench.js';
import { checkBench } from './check.bench.js';
import { coldBench } from './cold.bench.js';
import { compileBench } from './compile.bench.js';
import { conditionsBench } from './conditions.bench.js';
import { factsBench } from './facts.bench.js';
import { firstStartBench } from './first-start.bench.js';
import { type Section, writeResults } from './harness/report.js';
import { kindsBench } from './kinds.bench.js';
import { longBench } from './long.bench.js';
import { librariesBench } from './libraries.bench.js';
import { planBench } from './plan.bench.js';
import { scaleBench } from './scale.bench.js';
import { serverBench } from './server.bench.js';
import { sizeBench } from './size.bench.js';
import { startBench } from './start.bench.js';
import { tenantsBench } from './tenants.bench.js';
import { RESULT_ORDER } from './titles.js';
import { weightsBench } from './weights.bench.js';
import { Bundles } from './workload/bundles.js';

/*
 * `node --import tsx bench/run.ts [in-process|check|kinds|plan|scale|cold|facts|tenants|long|weights|compile|first-start|size|analysis|libraries|server]...`: runs all benchmarks, or the
 * named ones, prints the tables and rewrites bench/results.md. Exits with code 1 when a target is missed.
 */

type Bench = (bundles: Bundles) => Promise<Section | readonly Section[]>;

const GROUPS: { readonly [name: string]: readonly Bench[] } = {
  'in-process': [checkBench, kindsBench, coldBench, conditionsBench, planBench, scaleBench, startBench],
  weights: [weightsBench],
  compile: [compileBench],
  'first-start': [firstStartBench],
  size: [sizeBench],
  analysis: [analysisBench],
  server: [serverBench],
  libraries: [librariesBench],
};

/** Parts of other groups, which only run by name. */
const PARTS: { readonly [name: string]: readonly Bench[] } = {
  check: [checkBench],
  plan: [planBench],
  scale: [scaleBench],
  kinds: [kindsBench],
  cold: [coldBench],
  facts: [factsBench],
  tenants: [tenantsBench],
  long: [longBench],
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(GROUPS);
const bundles = new Bundles();
const sections: Section[] = [];
try {
  for (const bench of names.flatMap(benchesOf)) {
    const made = [await bench(bundles)].flat();
    for (const { title, text } of made) process.stdout.write(`## ${title}\n\n${text}\n\n`);
    sections.push(...made);
    writeResults(sections, RESULT_ORDER);
  }
} finally {
  bundles.remove();
}
const failures = sections.flatMap((section) => section.failures);
for (const failure of failures) process.stderr.write(`${failure}\n`);
process.exitCode = failures.length > 0 ? 1 : 0;

function benchesOf(name: string): readonly Bench[] {
  const group = GROUPS[name] ?? PARTS[name];
  if (group === undefined)
    throw new Error(`no benchmark is called ${name}: ${Object.keys({ ...GROUPS, ...PARTS }).join(', ')}`);
  return group;
}
