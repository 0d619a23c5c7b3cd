import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failuresIn } from './failures.js';

test('a failure is named with its test file and what the runner says', () => {
  const output = [
    '\u001b[1mtests/a.test.ts\u001b[22m',
    ' a suite • ✘  (1 / 2)',
    '',
    '  \u001b[41m FAIL \u001b[49m a suite "a test"',
    '    Expected values to be deeply equal:',
    '',
    '    at Object.handler (tests/a.test.ts:4:1)',
    'tests/b.test.ts',
    '• (1 / 1)',
  ];
  assert.equal(failuresIn(output.join('\n')), [
    [
      'tests/a.test.ts: a suite "a test"',
      '    Expected values to be deeply equal:',
      '    at Object.handler (tests/a.test.ts:4:1)',
    ].join('\n'),
  ]);
});

test('a long report is cut', () => {
  const report = Array.from({ length: 100 }, (_, line) => `    line ${line}`);
  const [failure = ''] = failuresIn(['tests/a.test.ts', '   FAIL  "a test"', ...report].join('\n'));
  assert.is(failure.split('\n').length, 20);
  assert.is(failuresIn('tests/a.test.ts\n• (1 / 1)').length, 0);
});

test.run();
