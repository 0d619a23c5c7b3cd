import { readFileSync } from 'node:fs';
import { importBundle } from '../../compiler/bundle/import-bundle.js';
import { createEngine, EvaluationLimitError } from '../../runtime/engine/index.js';
import type { CompiledBundle } from '../../runtime/engine/bundle.js';
import { assertCheaper } from '../support/growth.js';
import { Random } from '../support/oracle/random.js';
import { hostileRequest } from './hostile-attributes.js';

/** The task from the parent: one condition, and one request each from `from` on. */
export interface Task {
  readonly bundle: string;
  readonly conditions: number;
  readonly requests: number;
  readonly seed: number;
  /** The pair to continue with, counted request by request. */
  readonly from: number;
  readonly evaluationCost: number;
}

/** The result of a pair. */
export interface Outcome {
  readonly pair: number;
  readonly told: string;
  readonly result: 'allow' | 'deny' | 'limit' | 'different' | 'error';
  readonly message?: string;
  /** Charged steps of a call that was decided or limited. */
  readonly steps: number;
  /** CPU time of all threads of the process. */
  readonly microseconds: number;
  /** Why it costs too much for its steps; absent if it does not. */
  readonly excess?: string;
}

/** The CPU time of a call, in microseconds, beyond which it is compared with that of other work. */
const SUSPECT = 1_000_000;
const NAMES = Array.from({ length: 100_000 }, (_, index) => `${(index * 7919) % 100_003}`);

/**
 * About a hundred times what the steps of a call should cost, so that only a function that is hardly charged exceeds it.
 */
function sortOften(): void {
  for (let time = 0; time < 60; time += 1) NAMES.toSorted();
}

interface MeteredBundle extends CompiledBundle {
  readonly guard: NonNullable<CompiledBundle['guard']>;
}

process.on('disconnect', () => process.exit(0));
process.on('message', (task: Task) => void run(task));
process.send?.('ready');

async function run({ bundle, conditions, requests, seed, from, evaluationCost }: Task): Promise<void> {
  const module = (await importBundle(readFileSync(bundle, 'utf8'))) as unknown as {
    readonly policies: MeteredBundle;
    readonly stepsLeft: () => number;
  };
  const { guard } = module.policies;
  const limits = { evaluationCost };
  const limited = createEngine(module.policies, { limits });
  const unlimited = createEngine(module.policies, {
    limits: { evaluationCost: Number.MAX_SAFE_INTEGER, evaluationMemory: Number.MAX_SAFE_INTEGER },
  });
  for (let at = Math.floor(from / conditions); at < requests; at++) {
    const { request, told } = hostileRequest(new Random(seed + at), '');
    for (let condition = at * conditions >= from ? 0 : from % conditions; condition < conditions; condition++) {
      const pair = at * conditions + condition;
      const asked = { ...request, action: `c${condition}` };
      process.send?.({ pair, told });
      const before = process.cpuUsage();
      let steps = 0;
      let result: Outcome['result'] = 'error';
      let message: string | undefined;
      guard.asOne(() => {
        try {
          result = limited.isAllowed(asked) ? 'allow' : 'deny';
        } catch (error) {
          result = error instanceof EvaluationLimitError ? 'limit' : 'error';
          message = String(error);
        }
        steps = evaluationCost - module.stepsLeft();
      }, limits);
      const { user, system } = process.cpuUsage(before);
      if ((result as string) === 'allow' || (result as string) === 'deny') {
        const allowed = unlimited.isAllowed(asked);
        if (allowed !== ((result as string) === 'allow')) result = 'different';
      }
      const excess =
        user + system > SUSPECT ? await excessOf(() => guard.asOne(() => limited.isAllowed(asked), limits)) : undefined;
      const outcome: Outcome = {
        pair,
        told,
        result,
        steps,
        microseconds: user + system,
        ...(message === undefined ? {} : { message }),
        ...(excess === undefined ? {} : { excess }),
      };
      await new Promise((resolve) => process.send?.(outcome, resolve));
    }
  }
  process.send?.('done');
}

/** What a call costs, as a sentence, if that is too much. */
async function excessOf(call: () => unknown): Promise<string | undefined> {
  const ended = (): void => {
    try {
      call();
    } catch {}
  };
  try {
    await assertCheaper('the call', ended, sortOften);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
