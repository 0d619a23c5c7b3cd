import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ready } from '../support/analysis/program-version.js';
import type { PolicyVersion } from '../../packages/analysis/decision/policy-version.js';
import { diffVersions } from '../../packages/analysis/diff/diff.js';
import type { DiffOptions } from '../../packages/analysis/diff/options.js';
import { diffJson } from '../../packages/analysis/diff/report/json.js';
import { listMutants } from '../../packages/policy-tests/mutate/mutants.js';
import { selected } from '../../packages/policy-tests/mutate/selection.js';
import { makeBundle } from '../../packages/analysis/program/bundle.js';
import { chooseProver } from '../../packages/cli/policies/solver.js';
import type { Program } from '../../compiler/ir/program.js';
import { fold, optimise } from '../../compiler/optimise/index.js';
import { compileTexts, ROOT } from '../support/compiled.js';
import { skip } from '../support/skip.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of mutants of policies/; SEED chooses them. */
const MUTANTS = rounds(24);

const test = suite('diff of mutants');
const prover = chooseProver({ effort: 3 });

const title = 'verdicts with and without solver agree, two runs give equal bytes, and few rows are undecided';
if (prover === undefined) skip(import.meta.url, 'z3-solver is not installed');
else test(title, () => compareVerdicts(prover));

test.run();

async function compareVerdicts(prover: NonNullable<DiffOptions['prover']>): Promise<void> {
  const lowered = policies();
  const old = versionOf(lowered);
  const seen = { rows: 0, undecided: 0, decidedBySolver: 0, shown: 0 };
  for (const mutant of selected(listMutants(lowered), { count: MUTANTS, seed: SEED })) {
    const detail = `${mutant.operator} ${mutant.before} -> ${mutant.after}`;
    const new_ = versionOf(mutant.program());
    const without = await diffVersions(old, new_);
    const proved = await diffVersions(old, new_, { prover });
    assert.is(diffJson(await diffVersions(old, new_, { prover })), diffJson(proved), detail);
    assert.is(diffJson(await diffVersions(old, new_)), diffJson(without), detail);
    assert.is(without.rows.length, proved.rows.length, detail);
    seen.rows += proved.summary.rows;
    seen.undecided += proved.summary.undecided;
    seen.decidedBySolver += without.summary.undecided - proved.summary.undecided;
    for (const [index, row] of proved.rows.entries())
      for (const direction of ['widened', 'narrowed'] as const) {
        const [first, second] = [without.rows[index]?.[direction].answer, row[direction].answer];
        if (first !== '?') assert.is(second, first, `${detail}: ${row.kind} ${row.action} ${direction}`);
        if (second === 'yes') seen.shown += 1;
      }
  }
  assert.ok(seen.shown > MUTANTS, JSON.stringify(seen));
  assert.ok(seen.undecided < seen.rows / 50, JSON.stringify(seen));
  assert.ok(MUTANTS < 24 || seen.decidedBySolver > 0, JSON.stringify(seen));
}

/** The policies of this repository. */
function policies(): Program {
  const folder = join(ROOT, 'policies');
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml') && !/_test|invariants/.test(name));
  const texts = Object.fromEntries(files.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  return compileTexts(texts).lowered as Program;
}

function versionOf(lowered: Program): PolicyVersion {
  const program = optimise(fold(lowered));
  return { source: 'policies', program, lowered, ...ready(makeBundle(program).bundle) };
}
