import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Diagnostic, Note } from './diagnostic.js';
import { formatList, formatPretty } from './format.js';
import { Source } from './source.js';

const policy = new Source(
  'a.yaml',
  ['one: 1', 'two: 2', 'three: 3', 'four: ownr', 'five: 5', 'six: 6', 'seven: 7', 'eight: 8', ''].join('\n'),
);

function diagnostic(source: Source, start: number, end: number, notes: readonly Note[] = []): Diagnostic {
  const place = { span: { source, start, end }, anchor: start, path: '$' };
  return { code: 'derived-role/unknown', severity: 'error', message: 'no such role', source, place, notes, facts: {} };
}

/** The underlined line and the underline, without the gutter. */
function frame(text: string, start: number, end: number): readonly string[] {
  const lines = formatPretty([diagnostic(new Source('a.yaml', text), start, end)], { color: false }).split('\n');
  const at = lines.findIndex((line) => line.startsWith('>'));
  return lines.slice(at, at + 2).map((line) => line.slice(6));
}

const ownr = policy.text.indexOf('ownr');

test('the list has one line per diagnostic: location, severity, code, message', () => {
  const whole: Diagnostic = { code: 'scope/missing', severity: 'error', message: 'of the set', notes: [], facts: {} };
  const file: Diagnostic = { ...whole, severity: 'warning', source: policy };
  assert.is(
    formatList([whole, file, diagnostic(policy, ownr, ownr + 4)]),
    'error[scope/missing]: of the set\na.yaml: warning[scope/missing]: of the set\na.yaml:4:7: error[derived-role/unknown]: no such role\n',
  );
  assert.is(formatList([]), '');
});

test('a frame shows three lines before and after, marks the line and underlines the text; notes follow', () => {
  const notes = [
    { message: 'did you mean `owner`?' },
    { message: 'defined here', span: { source: policy, start: 0, end: 3 } },
  ];
  assert.is(
    formatPretty([diagnostic(policy, ownr, ownr + 4, notes)], { color: false }),
    [
      'a.yaml:4:7: error[derived-role/unknown]: no such role',
      '  1 | one: 1',
      '  2 | two: 2',
      '  3 | three: 3',
      '> 4 | four: ownr',
      '    |       ^~~~',
      '  5 | five: 5',
      '  6 | six: 6',
      '  7 | seven: 7',
      '  note: did you mean `owner`?',
      '  note: defined here (a.yaml:1:1)',
      '',
      '1 error',
      '',
    ].join('\n'),
  );
});

test('a frame at the edge of a file shows fewer lines', () => {
  assert.equal(frame('a: b', 3, 4), ['a: b', '   ^']);
  assert.equal(frame('', 0, 0), ['', '^']);
  assert.equal(frame('a\r\nb\r\n', 3, 4), ['b', '^']);
});

test('a span of several lines is underlined on its first', () => {
  assert.equal(frame('a: |\n  x\n  y\n', 3, 12), ['a: |', '   ^']);
});

test('tabs are spaces, wide characters take two columns, combining marks none', () => {
  assert.equal(frame('\ta: b', 4, 5), ['    a: b', '       ^']);
  assert.equal(frame('日本: ab', 4, 6), ['日本: ab', '      ^~']);
  assert.equal(frame('e\u0301: ab', 4, 6), ['e\u0301: ab', '   ^~']);
  assert.equal(frame('😀: 😀', 4, 6), ['😀: 😀', '    ^~']);
});

test('control characters of a policy never reach the terminal', () => {
  assert.equal(frame('a: \u001b[2Jx', 7, 8), ['a: \\x1b[2Jx', '          ^']);
  const source = new Source('\u001b]0;evil\u0007.yaml', 'a: \u202e\u009b31m\u2028\ud800\u{e0041}\u200b\n');
  const shown = formatPretty(
    [{ ...diagnostic(source, 3, 4, [{ message: 'a\nb\u001b[0m' }]), message: 'x\r\n\u001b[31m\t' }],
    { color: false },
  );
  assert.not.match(shown, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e\u200b\p{Cs}\u{e0041}]/u);
  assert.match(shown, 'x\\r\\n\\x1b[31m\\t');
  assert.match(shown, 'a: \\u{202e}\\x9b31m\\u{2028}\\u{d800}\\u{e0041}\\u{200b}');
});

test('very long lines and messages are truncated', () => {
  const [line, under] = frame(`${'x'.repeat(500_000)}ownr${'y'.repeat(500_000)}`, 500_000, 500_004);
  assert.ok((line as string).length < 200);
  assert.is((line as string).slice((under as string).indexOf('^'), (under as string).length), 'ownr');
  assert.ok(formatList([{ ...diagnostic(policy, 0, 1), message: 'x'.repeat(1_000_000) }]).length < 2_000);
});

test('a surrogate pair is not split where a line is truncated', () => {
  const [line] = frame('😀'.repeat(1000), 1001, 1002);
  assert.not.match(line as string, 'ud83d');
});

test('colour is optional and does not change the text', () => {
  const list = [diagnostic(policy, ownr, ownr + 4, [{ message: 'a note' }])];
  const colored = formatPretty(list, { color: true });
  assert.match(colored, '\u001b[1;31merror[derived-role/unknown]\u001b[0m');
  assert.is(colored.replace(/\u001b\[[\d;]*m/g, ''), formatPretty(list, { color: false }));
});

test.run();
