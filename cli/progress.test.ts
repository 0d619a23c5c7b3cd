import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ProgressLine } from './progress.js';

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

test('a pipe sees nothing', () => {
  const { line, written, clock } = lineOn(false);
  clock.now = 5000;
  line.show('parsing');
  line.clear();
  assert.equal(written, []);
});

test.run();

function lineOn(isTTY: boolean) {
  const written: string[] = [];
  const clock = { now: 0 };
  const write = (text: string | Uint8Array): boolean => written.push(String(text)) > 0;
  return { line: new ProgressLine({ isTTY, write }, () => clock.now), written, clock };
}
