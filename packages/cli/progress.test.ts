import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ProgressLine, formatStep } from './progress.js';

const test = suite('the progress line');

test('on a terminal each step is shown once, from one second on, and the line is removed', () => {
  const { line, written, clock } = lineOn(true);
  line.show('parsing');
  clock.now = 999;
  line.show('parsing');
  line.clear();
  assert.equal(written, []);
  clock.now = 1000;
  line.show('parsing');
  line.show('parsing');
  line.show('emitting');
  line.clear();
  line.clear();
  assert.equal(written, ['\r\u001b[Kparsing ...', '\r\u001b[Kemitting ...', '\r\u001b[K']);
});

test('a step that takes longer than a second is shown without another call, unless the line was removed', () => {
  const { line, written, timers } = lineOn(true);
  line.show('parsing');
  line.show('solving');
  assert.equal([...timers.values()], [1000]);
  for (const call of timers.keys()) call();
  assert.equal(written, ['\r\u001b[Ksolving ...']);
  line.clear();
  line.show('printing');
  line.clear();
  assert.is(timers.size, 0);
});

test('a pipe sees nothing', () => {
  const { line, written, clock, timers } = lineOn(false);
  line.show('parsing');
  assert.is(timers.size, 0);
  clock.now = 5000;
  line.show('parsing');
  line.clear();
  assert.equal(written, []);
});

test('a step has numbers that people can read', () => {
  assert.is(formatStep(3, 1200, 'mutants'), '3 of 1,200 mutants');
});

test.run();

function lineOn(isTTY: boolean) {
  const written: string[] = [];
  const clock = { now: 0 };
  /** What was not cancelled, with its milliseconds. */
  const timers = new Map<() => void, number>();
  const write = (text: string | Uint8Array): boolean => written.push(String(text)) > 0;
  const later = (call: () => void, milliseconds: number) => {
    timers.set(call, milliseconds);
    return { cancel: () => void timers.delete(call) };
  };
  return { line: new ProgressLine({ isTTY, write }, { now: () => clock.now, later }), written, clock, timers };
}
