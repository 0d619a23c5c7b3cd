import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../compiler/bundle/index.js';
import { Diagnostics } from '../compiler/diagnostics/diagnostic.js';
import { emit } from '../compiler/emit/index.js';
import { link } from '../compiler/link/index.js';
import { load } from '../compiler/load/index.js';
import { lower } from '../compiler/lower/index.js';
import { fold, optimise } from '../compiler/optimise/index.js';
import { parse } from '../compiler/parse/index.js';
import { schema } from '../compiler/schema/index.js';
import { validate } from '../compiler/validate/index.js';
import { version } from '../compiler/version.js';
import { report } from './harness/child.js';
import { ROOT } from './harness/paths.js';
import type { Shape } from './workload/bundles.js';
import type { CompileReport } from './workload/compile-report.js';
import { hotLeavePolicy, leavePolicies, type PolicyTexts, tenRulePolicies } from './workload/leave-policies.js';

const [shape, count, directory] = process.argv.slice(2) as [Shape, string, string];
const policies = join(directory, 'policies');
writeAll(policies, textsOf(shape, Number(count)));
await report(await compileAll());

async function compileAll(): Promise<CompileReport> {
  const stages: { name: string; milliseconds: number }[] = [];
  const stage = async <T>(name: string, run: () => T | Promise<T>): Promise<T> => {
    const start = performance.now();
    const value = await run();
    stages.push({ name, milliseconds: performance.now() - start });
    return value;
  };

  const diagnostics = new Diagnostics();
  const { sources, schemas: schemaTexts } = await stage('load', () => load(policies, diagnostics));
  const files = await stage('parse', () => sources.flatMap((source) => parse(source, diagnostics) ?? []));
  const linked = await stage('link', () => link(files, diagnostics));
  const types = await stage('validate', () => validate(linked, diagnostics));
  const schemas = await stage('schema', () => schema(linked, schemaTexts, diagnostics));
  if (diagnostics.hasErrors) throw new Error(diagnostics.sorted()[0]?.message);
  const lowered = await stage('lower', () => lower(linked, types, schemas));
  const program = await stage('optimise', () => optimise(fold(lowered)));
  const emitted = await stage('emit', () => emit(program, sources, version));
  const { js } = await stage('bundle', () => bundle(emitted, join(ROOT, 'runtime')));
  writeFileSync(join(directory, 'policies.mjs'), js);
  return { stages, peakMemory: process.resourceUsage().maxRSS * 1024, bundleBytes: js.length };
}

function textsOf(shape: Shape, count: number): PolicyTexts {
  switch (shape) {
    case 'hot':
      return hotLeavePolicy().texts;
    case 'six-rules':
      return leavePolicies(count).texts;
    case 'ten-rules':
      return tenRulePolicies(count);
  }
}

function writeAll(folder: string, texts: PolicyTexts): void {
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of Object.entries(texts)) writeFileSync(join(folder, path), text);
}
