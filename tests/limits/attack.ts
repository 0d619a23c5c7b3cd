import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../../compiler/bundle/index.js';
import { parseCel } from '../../packages/cel/parse/index.js';
import { checkExpression } from '../../packages/cel/check/check-expression.js';
import { policyEnvironment } from '../../packages/cel/check/environment.js';
import type { Random } from '../support/oracle/random.js';
import { BUNDLE_ENTRY } from '../../compiler/ir/emitted-file.js';
import { PieceList } from '../../compiler/ir/pieces.js';
import { compileTexts, ROOT } from '../support/compiled.js';
import { LAST_RESORT } from '../support/timeout.js';
import type { Outcome, Task } from './limited-child.js';
import { type Core, CORES, randomCondition, VARIABLES } from './random-conditions.js';

/** Heap of the evaluating process, in MB. */
const HEAP = 256;

/** Milliseconds without a result after which a process counts as hung. A limited call never takes seconds. */
const RESULT_TIMEOUT = LAST_RESORT / 5;

/** The problem with a pair of condition and request. */
export interface Finding {
  readonly condition: string;
  readonly told: string;
  readonly trouble: string;
}

/** The findings and counts of an attack. */
export interface Attack {
  readonly outcomes: readonly (Outcome & { readonly condition: string })[];
  readonly findings: readonly Finding[];
}

/** A condition around each core in turn that the checker accepts. The last attempts are as small as possible. */
export function conditionsOf(random: Random, count: number): readonly { readonly core: Core; readonly text: string }[] {
  return Array.from({ length: count }, (_, index) => {
    const core = CORES[index % CORES.length] as Core;
    for (let attempt = 0; attempt < 200; attempt++) {
      const text = randomCondition(random, core, attempt < 100 ? 1 + random.below(4) : 1);
      const { ast } = parseCel(text);
      if (ast !== undefined && checkExpression(ast, policyEnvironment).problems.length === 0) return { core, text };
    }
    throw new Error(`no condition with ${core.name} passes the checker`);
  });
}

/**
 * Compiles conditions as DENY rules, one action each, and evaluates all pairs with requests in a process with little
 * memory.
 */
export async function attack(
  folder: string,
  conditions: readonly string[],
  {
    requests,
    seed,
    evaluationCost,
  }: {
    readonly requests: number;
    readonly seed: number;
    readonly evaluationCost: number;
  },
): Promise<Attack> {
  const file = join(folder, `attack-${seed}.js`);
  writeFileSync(file, await bundleOf(conditions));
  const outcomes: (Outcome & { readonly condition: string })[] = [];
  const findings: Finding[] = [];
  const find = (pair: number, told: string, trouble: string): void =>
    void findings.push({ condition: conditions[pair % conditions.length] as string, told, trouble });
  const pairs = conditions.length * requests;
  let from = 0;
  while (from < pairs) {
    const child = fork(fileURLToPath(new URL('limited-child.ts', import.meta.url)), [], {
      execArgv: ['--import', 'tsx', `--max-old-space-size=${HEAP}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    let current: { readonly pair: number; readonly told: string } = { pair: from, told: 'not started' };
    const end = await watched(
      child,
      { bundle: file, conditions: conditions.length, requests, seed, from, evaluationCost },
      (outcome) => {
        current = outcome;
        if (!('result' in outcome)) return;
        const condition = conditions[outcome.pair % conditions.length] as string;
        outcomes.push({ ...outcome, condition });
        from = outcome.pair + 1;
        if (outcome.result === 'different' || outcome.result === 'error')
          find(outcome.pair, outcome.told, `${outcome.result}: ${outcome.message}`);
        else if (outcome.excess !== undefined)
          find(
            outcome.pair,
            outcome.told,
            `${outcome.excess} for ${Math.round(outcome.steps)} steps: ${outcome.result}`,
          );
      },
    );
    if (end === 'done') break;
    find(current.pair, current.told, end);
    from = current.pair + 1;
  }
  return { outcomes, findings };
}

async function bundleOf(conditions: readonly string[]): Promise<string> {
  const rule = { actions: ['*'], effect: 'EFFECT_ALLOW', roles: ['*'] };
  const rules = [
    rule,
    ...conditions.map((expr, index) => ({
      ...rule,
      actions: [`c${index}`],
      effect: 'EFFECT_DENY',
      condition: { match: { expr } },
    })),
  ];
  const policy = {
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: { resource: 'item', version: 'default', variables: { local: VARIABLES }, rules },
  };
  const { program, files, diagnostics } = compileTexts({ 'item.yaml': JSON.stringify(policy) });
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const exported = "\nexport { stepsLeft } from 'authz/runtime/cel';\n";
  const metered = files.map((file) => {
    if (file.path !== BUNDLE_ENTRY) return file;
    const pieces = new PieceList([...file.pieces.numbers]);
    pieces.add('code', exported.length);
    return { ...file, text: `${file.text}${exported}`, pieces };
  });
  return (await bundle(metered, join(ROOT, 'runtime'))).js;
}

/** Gives a process a task, and returns how it ended. */
async function watched(
  child: ChildProcess,
  task: Task,
  report: (message: Outcome | { readonly pair: number; readonly told: string }) => void,
): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<string>((resolve) => {
      const wait = (): void => {
        clearTimeout(timer);
        timer = setTimeout(() => resolve('does not answer'), RESULT_TIMEOUT);
      };
      child.on('message', (message: 'ready' | 'done' | Outcome) => {
        wait();
        if (message === 'ready') child.send(task);
        else if (message === 'done') resolve('done');
        else report(message);
      });
      child.on('exit', (code, signal) => resolve(`the process ended: ${code ?? signal}`));
      wait();
    });
  } finally {
    clearTimeout(timer);
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
}
