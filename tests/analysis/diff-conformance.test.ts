import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AccessRequest, createEngine, type Engine } from '../../runtime/engine/index.js';
import { sanitize } from '../../runtime/policy/index.js';
import { ready } from '../support/analysis/program-version.js';
import type { PolicyVersion } from '../../packages/analysis/decision/policy-version.js';
import { diffVersions } from '../../packages/analysis/diff/diff.js';
import type { DiffReport } from '../../packages/analysis/diff/report.js';
import { listMutants } from '../../packages/policy-tests/mutate/mutants.js';
import { selected } from '../../packages/policy-tests/mutate/selection.js';
import { makeBundle } from '../../packages/analysis/program/bundle.js';
import { compileFolder } from '../../packages/cli/policies/compile.js';
import { chooseProver } from '../../packages/cli/policies/solver.js';
import type { Program } from '../../compiler/ir/program.js';
import { fold, optimise } from '../../compiler/optimise/index.js';
import { CORPUS, hasCorpus } from '../support/corpus.js';
import { Random } from '../support/oracle/random.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of mutants, and of requests that each is tried with; SEED chooses them. `MUTANTS=all`: every mutant. */
const MUTANTS = process.env.MUTANTS ?? '3';
const REQUESTS = rounds(5000);

const SUITE = join(CORPUS, 'check/main');
const ENGINE = { globals: { environment: 'test' } };

const test = suite('diff of mutants of the recorded suites');

if (hasCorpus(import.meta.url))
  test('no random request is against a proof, and few rows are undecided', async () => {
    const lowered = compileFolder(join(SUITE, 'policies')).lowered as Program;
    const old = versionOf(lowered);
    const random = new Random(SEED);
    const requestOf = randomRequests(random);
    const prover = chooseProver({ effort: 3 });
    const seen = { mutants: 0, unchanged: 0, toldApart: 0, rows: 0, undecided: 0, sharing: 0, differences: 0 };
    const count = MUTANTS === 'all' ? {} : { count: Number(MUTANTS), seed: SEED };
    for (const mutant of selected(listMutants(lowered), count)) {
      const new_ = versionOf(mutant.program());
      const report = await diffVersions(old, new_, { engine: ENGINE, prover });
      const [before, after] = (await Promise.all(
        [old, new_].map(async ({ compiled }) => createEngine(await compiled(), ENGINE)),
      )) as [Engine, Engine];
      let isToldApart = false;
      for (let i = 0; i < REQUESTS; i += 1) {
        const request = requestOf();
        const isAllowed = after.isAllowed(request);
        if (before.isAllowed(request) === isAllowed) continue;
        isToldApart = true;
        seen.differences += 1;
        const detail = `${mutant.operator} ${mutant.place.file}:${mutant.place.line} ${mutant.before} -> ${mutant.after}`;
        assert.ok(admits(report, request, isAllowed), `${detail}: ${JSON.stringify(request)}`);
      }
      const reasons = report.rows.flatMap(({ widened, narrowed }) =>
        [widened, narrowed].map((own) => (own.answer === '?' ? own.reason : own.answer === 'no' ? own.by : 'yes')),
      );
      const rows = report.rows.filter(({ widened }) => !(widened.answer === 'no' && widened.by === 'same'));
      seen.mutants += 1;
      seen.toldApart += isToldApart ? 1 : 0;
      seen.unchanged += report.summary.unchanged === report.summary.rows ? 1 : 0;
      seen.rows += rows.length;
      seen.undecided += report.summary.undecided;
      seen.sharing += reasons.filter((reason) => reason === 'rules share results').length / 2;
    }
    if (process.env.MUTANTS !== undefined) console.log(JSON.stringify(seen));
    // Rules that share results are compared as a whole only.
    if (prover !== undefined)
      assert.ok(seen.undecided - seen.sharing <= Math.max(2, seen.rows / 50), JSON.stringify(seen));
  });

test.run();

/** Policies that are decided from their program, as emitted code does (tests/analysis/program.test.ts). */
function versionOf(lowered: Program): PolicyVersion {
  const program = optimise(fold(lowered));
  return { source: 'policies', program, lowered, ...ready(makeBundle(program).bundle) };
}

/** Whether some row that a request may be in says that it could be widened or narrowed. */
function admits({ rows }: DiffReport, { resource, action }: AccessRequest, isWidened: boolean): boolean {
  return rows.some(
    (row) =>
      (row.kind === sanitize(resource.kind) || row.principal !== null) &&
      (row.action === action || !row.named) &&
      (isWidened ? row.widened : row.narrowed).answer !== 'no',
  );
}

/** Requests whose principals, resources, actions and attributes come from the recorded ones. */
function randomRequests(random: Random): () => AccessRequest {
  const folder = join(SUITE, 'cases');
  const recorded = readdirSync(folder)
    .sort()
    .map((name) => (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { readonly request: Recorded }).request)
    .filter(({ principal, resources = [] }) => principal !== undefined && resources.length > 0);
  const principals = recorded.map(({ principal }) => principal);
  const resources = recorded.flatMap((request) => request.resources);
  const values = [...principals, ...resources.map(({ resource }) => resource)].flatMap(({ attr = {} }) =>
    Object.values(attr),
  );
  const roles = [...new Set(principals.flatMap((principal) => principal.roles))];
  const changed = <T extends { readonly attr?: AccessRequest['resource']['attr'] }>(part: T): T => {
    const names = Object.keys(part.attr ?? {});
    if (names.length === 0 || random.chance(0.5)) return part;
    const attr = { ...part.attr, [random.pick(names)]: random.pick(values) };
    return { ...part, attr: random.chance(0.2) ? {} : attr } as T;
  };
  return () => {
    const { principal, resources: asked } = random.pick(recorded);
    const own = random.chance(0.8) ? principal : random.pick(principals);
    const { resource, actions } = random.chance(0.8) ? random.pick(asked) : random.pick(resources);
    return {
      principal: { ...changed(own), roles: random.chance(0.7) ? own.roles : random.some(roles, 1, 3) },
      resource: changed(resource),
      action: random.pick(actions),
    };
  };
}

interface Recorded {
  readonly principal: AccessRequest['principal'];
  readonly resources: readonly { readonly resource: AccessRequest['resource']; readonly actions: readonly string[] }[];
}
