import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RpcError } from '../service/rpc-error.js';
import type { CallEnd } from '../service/watcher.js';
import type { TransportCall } from './transport-call.js';
import { createRunner, type RunnerServices, type UnaryProtocol } from './unary-call.js';

const BODY = Buffer.from('abc');
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Outcome {
  readonly sent: string[];
  readonly ends: Pick<CallEnd, 'code' | 'requestSize' | 'responseSize'>[];
  readonly reports: string[];
}

/** Runs one call, and returns what was sent and reported once nothing is left to do. */
async function runCall(
  protocol: Partial<UnaryProtocol<TransportCall, string>>,
  services: Partial<RunnerServices> = {},
  id = 'id',
): Promise<Outcome> {
  const outcome: Outcome = { sent: [], ends: [], reports: [] };
  const { sent, ends, reports } = outcome;
  const run = createRunner<TransportCall, string>(
    {
      watchers: [
        {
          ended: (_call, { code, requestSize, responseSize }) => void ends.push({ code, requestSize, responseSize }),
        },
      ],
      report: (problem) => void reports.push(problem),
      ...services,
    },
    {
      run: () => 'fine',
      answer: (_call, text) => sent.push(text),
      refuse: (_call, { code }) => sent.push(code) + 1,
      ...protocol,
    },
  );
  const call = { id, protocol: 'rest', requestContext: undefined, peer: () => ({}) } as unknown as TransportCall;
  run(call, BODY);
  await turn();
  return outcome;
}

const fails = (code: 'not_found' | 'unavailable') => (): never => {
  throw new RpcError(code, 'no');
};

test('a call has one response, and its watchers learn of it, whichever part fails, in this turn or a later one', async () => {
  const cases: readonly [Partial<UnaryProtocol<TransportCall, string>>, string][] = [
    [{}, 'fine'],
    [{ run: async () => 'fine' }, 'fine'],
    [{ open: fails('not_found') }, 'not_found'],
    [{ run: fails('not_found') }, 'not_found'],
    [{ run: async () => fails('not_found')() }, 'not_found'],
    [{ run: () => JSON.parse('{') }, 'internal'],
    [{ run: async () => JSON.parse('{') }, 'internal'],
    [{ isLate: () => true }, 'deadline_exceeded'],
    [{ isLate: () => true, run: async () => 'fine' }, 'deadline_exceeded'],
    [{ answer: fails('unavailable') }, 'unavailable'],
    [{ answer: fails('unavailable'), run: async () => 'fine' }, 'unavailable'],
  ];
  for (const [protocol, expected] of cases)
    for (const services of [{}, { deliver: async () => {} }] satisfies Partial<RunnerServices>[]) {
      if ('answer' in protocol && 'deliver' in services) continue;
      const { sent, ends } = await runCall(protocol, services);
      const isAnswered = expected === 'fine';
      const label = `${JSON.stringify(Object.keys(protocol))} ${expected}`;
      assert.equal(sent, [expected], label);
      const end = { code: isAnswered ? undefined : expected, requestSize: 3, responseSize: isAnswered ? 1 : 2 };
      assert.equal(ends, [end], label);
    }
});

test('a response waits for the audit log, and the call is refused if that cannot store its entries', async () => {
  const deliver = (): Promise<void> => Promise.reject(new Error('full'));
  for (const run of [() => 'fine', fails('not_found'), async () => 'fine'])
    assert.equal((await runCall({ run }, { deliver })).sent, ['unavailable']);
  // A call without an id has no entries.
  assert.equal((await runCall({}, { deliver }, '')).sent, ['fine']);
  let stored = (): void => {};
  const waiting = runCall({}, { deliver: () => new Promise<void>((resolve) => (stored = resolve)) });
  const { sent } = await waiting;
  assert.equal(sent, []);
  stored();
  await turn();
  assert.equal(sent, ['fine']);
});

test('a response that cannot be sent in a later turn is reported, and ends no process', async () => {
  const refuse = (): never => {
    throw new Error('cannot be sent');
  };
  const run = async (): Promise<string> => fails('not_found')();
  assert.equal((await runCall({ run, refuse })).reports, ['an answer could not be sent']);
  assert.equal((await runCall({ answer: refuse }, { deliver: async () => {} })).reports, [
    'an answer could not be sent',
  ]);
});

test.run();
