import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RpcError, toRpcError } from './rpc-error.js';
import { guarded } from './watch.js';
import type { Call } from './call.js';

const call = { method: '/s/M' } as Call;

test('a failing watcher is logged and does not throw, and ignores the events that it does not handle', () => {
  const told: unknown[] = [];
  const bug = new Error('a bug');
  const watcher = guarded(
    {
      began: ({ method }) => told.push(method),
      ended: () => {
        throw bug;
      },
    },
    (...problem) => told.push(problem),
  );
  watcher.began?.(call);
  watcher.ended?.(call, {
    code: undefined,
    message: '',
    httpStatus: 200,
    requestSize: 0,
    responseSize: 0,
    requestContext: undefined,
  });
  assert.equal(told, ['/s/M', ['a watcher failed', bug]]);
  assert.equal(Object.keys(watcher), ['began', 'ended']);
});

test('an unexpected exception is logged and hidden from callers; a refusal is neither', () => {
  const reported: unknown[] = [];
  const report = (...problem: readonly unknown[]): void => void reported.push(problem);
  const bug = new Error('of the engine');
  const { code, message } = toRpcError(bug, report);
  assert.equal([code, message, reported], ['internal', 'Policy check failed', [['a call failed', bug]]]);
  const refusal = new RpcError('not_found', 'unknown service');
  assert.is(toRpcError(refusal, report), refusal);
  assert.is(reported.length, 1);
});

test.run();
