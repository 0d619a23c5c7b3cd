import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import { toOutput } from '../../packages/cel/runtime/index.js';
import type { AuxData } from '../../runtime/policy/index.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { parse } from '../../compiler/parse/index.js';
import { type LoadedPolicy, loadedPolicy } from '../../packages/cli/repl/loaded-policy.js';
import { EMPTY_STATE, type State } from '../../packages/cli/repl/state.js';
import { evaluateExpression, surroundingsOfPolicy } from '../../packages/cli/repl/surroundings.js';
import { SHARED } from '../support/compiled.js';
import { type Outcome, readKnownFailures, settle } from '../support/known-failures.js';
import { type Environment, policyOf, problemOf, type RecordedCase } from './recorded-case.js';
import { auxDataOf } from './recorded-claims.js';
import { skip } from '../support/skip.js';

const file = join(SHARED, 'cases', 'cel-cases.json');
const test = suite('recorded CEL cases in the REPL');
const NOW = { seconds: 1_800_000_000, nanos: 0, offset: 0 };

if (existsSync(file)) {
  const { cases, environment } = JSON.parse(readFileSync(file, 'utf8')) as {
    cases: readonly RecordedCase[];
    environment: Environment;
  };
  const known = readKnownFailures(join(import.meta.dirname, 'known-failures.txt'));

  test('a condition of a loaded policy evaluates as in emitted code', async () => {
    const running = cases.filter(({ errorKind }) => errorKind !== 'compile');
    settle('cel-cases', await Promise.all(running.map((entry) => replayed(entry, environment))), known, 2448);
  });
} else {
  skip(import.meta.url, 'the recorded CEL cases are not here (../shared/cases)');
}

test.run();

async function replayed(entry: RecordedCase, environment: Environment): Promise<Outcome> {
  const policy = policyWith(entry);
  const match = policy.rules[0]?.condition.match;
  if (match?.kind !== 'expr') throw new Error(`${entry.id} has no condition`);
  const result = evaluateExpression(
    match.expression,
    surroundingsOfPolicy(await stateOf(entry, environment, policy), NOW),
  );
  const problem = problemOf(entry, toOutput(result), result === true);
  return { id: `cel-cases/${entry.id}`, problem: problem && `${entry.expr}: ${problem}` };
}

async function stateOf(
  entry: RecordedCase,
  { principal, resource, globals }: Environment,
  policy: LoadedPolicy,
): Promise<State> {
  const auxData = await auxDataOf(entry);
  return {
    ...EMPTY_STATE,
    parts: {
      principal: {
        id: principal.id,
        roles: principal.roles,
        attr: entry.principalAttr,
        policyVersion: entry.principalPolicyVersion ?? '',
        scope: '',
      },
      resource: { kind: 'doc', id: resource.id, attr: entry.resourceAttr, policyVersion: '', scope: '' },
      auxData: (auxData ?? EMPTY_STATE.parts.auxData) as AuxData,
    },
    globals: entry.globals ?? globals,
    policy,
  };
}

function policyWith(entry: RecordedCase): LoadedPolicy {
  const policy = parse(new Source('case.yaml', policyOf(entry, 'doc')), new Diagnostics());
  if (policy === undefined) throw new Error(`${entry.id} is not a policy`);
  return loadedPolicy(policy, []);
}
