import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FactGatherer } from '../../runtime/facts/gather.js';
import type { Loader, SourceCall } from '../../runtime/facts/loader.js';

/* How many requests a source gets at once, and what becomes of those that wait. */

const test = suite('bounds of sources');

/** A source whose answers are given by hand. */
function heldSource() {
  const answers: (() => void)[] = [];
  const calls: SourceCall[] = [];
  const source = {
    of: 'doc',
    provides: ['owner'],
    types: { owner: 'string' } as const,
    load: ([key]: readonly string[]) =>
      new Promise<{ readonly [key: string]: object }>((resolve) =>
        answers.push(() => resolve({ [key as string]: { owner: 'ann' } })),
      ),
  };
  const gatherer = new FactGatherer([source], {
    deadline: 60_000,
    caller: 'use',
    bounds: { atOnce: 2, waiting: 1 },
    tell: (_, call) => calls.push(call),
  });
  return { loader: gatherer.loaders[0] as Loader, answers, calls };
}

const load = async (loader: Loader, key: string, signal?: AbortSignal, wait = 60_000): Promise<unknown> => {
  const until = Date.now() + wait;
  return (await loader.load([key], { tx: undefined, signal, until, isFresh: false })).get(key)?.row;
};

const isRow = (row: unknown): boolean => row instanceof Map;

test('so many requests are asked at once, others wait, and more fail', async () => {
  const { loader, answers, calls } = heldSource();
  const [first, second, third] = ['1', '2', '3'].map((key) => load(loader, key));
  assert.is(answers.length, 2);
  assert.is(await load(loader, '4'), 'busy');
  answers[0]?.();
  assert.ok(isRow(await first));
  // The one that waited is asked now, and another one may wait.
  assert.is(answers.length, 3);
  const fifth = load(loader, '5');
  for (const answer of answers) answer();
  assert.ok(isRow(await second) && isRow(await third));
  assert.is(answers.length, 4);
  answers[3]?.();
  assert.ok(isRow(await fifth));
  assert.equal(
    calls.map(({ failures }) => failures),
    [['busy'], [], [], [], []],
  );
});

test('a request that nobody waits for any more is not asked', async () => {
  const { loader, answers } = heldSource();
  const held = ['1', '2'].map((key) => load(loader, key));
  const controller = new AbortController();
  const waiting = load(loader, '3', controller.signal);
  controller.abort();
  assert.is(await waiting, 'aborted');
  // Its place is free.
  const next = load(loader, '4');
  for (const answer of answers) answer();
  await Promise.all(held);
  assert.is(answers.length, 3);
  answers[2]?.();
  assert.ok(isRow(await next));
  assert.is(await load(loader, '5', AbortSignal.abort()), 'aborted');
  assert.is(answers.length, 3);
});

test('a request that waits fails at the deadline, and one that is never answered makes room then', async () => {
  const { loader, answers } = heldSource();
  const held = ['1', '2'].map((key) => load(loader, key, undefined, 20));
  const late = load(loader, '3', undefined, 20);
  assert.equal(await Promise.all([...held, late]), ['deadline', 'deadline', 'deadline']);
  const asked = answers.length;
  const next = load(loader, '4');
  assert.is(answers.length, asked + 1);
  answers.at(-1)?.();
  assert.ok(isRow(await next));
});

test.run();
