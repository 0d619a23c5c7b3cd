import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Decision } from '../../service/decider.js';
import type { CheckEntry } from '../../service/decider.js';
import { DecisionCounts } from './engine-metrics.js';

test('decisions are counted by kind, action and effect', () => {
  const counts = new DecisionCounts();
  record(counts, 'album', ['view', 1], ['edit', 2]);
  record(counts, 'album', ['view', 1], ['edit', 1]);
  assert.equal(read(counts), { 'album view allow': 2, 'album edit allow': 1, 'album edit deny': 1 });
});

test('an unknown kind is counted as other, whatever its actions', () => {
  const counts = new DecisionCounts();
  for (let index = 0; index < 50; index++) recordMatched(counts, `made-up-${index}`, 'NO_MATCH', [`a${index}`, 2]);
  assert.equal(read(counts), { 'other other deny': 50 });
});

test('made-up actions of one kind do not use the limit of others', () => {
  const counts = new DecisionCounts();
  for (let index = 0; index < 10_000; index++) record(counts, 'album', [`a${index}`, 2]);
  record(counts, 'photo', ['view', 1]);
  const read_ = read(counts);
  assert.is(Object.keys(read_).length, 102);
  assert.is(read_['album other deny'], 9900);
  assert.is(read_['photo view allow'], 1);
});

test('the number of series is limited over all kinds', () => {
  const counts = new DecisionCounts();
  for (let kind = 0; kind < 3000; kind++) record(counts, `kind${kind}`, ['view', 1]);
  assert.is(Object.keys(read(counts)).length, 1001);
  assert.is(read(counts)['other other allow'], 2000);
});

test('names like `__proto__` are ordinary, and very long ones are not kept', () => {
  const counts = new DecisionCounts();
  record(counts, '__proto__', ['constructor', 1]);
  record(counts, 'k'.repeat(1000), ['view', 1]);
  record(counts, 'album', ['v'.repeat(1000), 2]);
  record(counts, 'other', ['view', 1]);
  assert.equal(Object.entries(read(counts)), [
    ['__proto__ constructor allow', 1],
    ['album other deny', 1],
    ['other other allow', 2],
  ]);
});

test.run();

type Pair = readonly [action: string, effect: 1 | 2];

function record(counts: DecisionCounts, kind: string, ...pairs: readonly Pair[]): void {
  recordMatched(counts, kind, `resource.${kind}.vdefault`, ...pairs);
}

function recordMatched(counts: DecisionCounts, kind: string, matchedPolicy: string, ...pairs: readonly Pair[]): void {
  const actions = pairs.map(([action, effect]) => ({ action, effect, matchedPolicy, matchedScope: '' }));
  counts.record([{ resource: { kind } } as CheckEntry], [{ actions } as unknown as Decision]);
}

function read(counts: DecisionCounts): Readonly<Record<string, number>> {
  return Object.fromEntries(counts.family().series.map(({ labels, value }) => [labels.join(' '), value]));
}
