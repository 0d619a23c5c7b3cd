import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Diagnostics } from './diagnostic.js';
import { formatList, formatPretty } from './format.js';
import { toReport } from './json.js';
import { Source } from './source.js';

const source = new Source('a.yaml', '');

test('the number of hint searches in a run is limited', () => {
  const report = new Diagnostics();
  let searches = 0;
  const hints = () => {
    searches += 1;
    return [{ message: 'did you mean `owner`?' }];
  };
  for (let index = 0; index < 5000; index += 1)
    report.add('variable/undefined', source, { name: `v${index}`, referencedIn: undefined }, { hints });
  assert.is(searches, 100);
  assert.is(report.sorted().filter(({ notes }) => notes.length === 1).length, 100);
  assert.is(report.sorted().length, 5000);
});

test('hints come before other notes', () => {
  const report = new Diagnostics();
  report.add(
    'variable/undefined',
    source,
    { name: 'v', referencedIn: undefined },
    { notes: [{ message: 'second' }], hints: () => [{ message: 'first' }] },
  );
  assert.equal(
    report.sorted()[0]?.notes.map(({ message }) => message),
    ['first', 'second'],
  );
});

test('the fallback notes are used where a search found nothing, or was not made', () => {
  const report = new Diagnostics();
  const add = (name: string, hints: () => readonly { readonly message: string }[]): void =>
    report.add(
      'variable/undefined',
      source,
      { name, referencedIn: undefined },
      { hints, withoutHints: [{ message: 'define it' }] },
    );
  add('a', () => []);
  add('b', () => [{ message: 'did you mean `c`?' }]);
  for (let index = 0; index < 98; index += 1) report.search(() => []);
  add('d', () => [{ message: 'did you mean `e`?' }]);
  assert.equal(
    report.sorted().map(({ notes }) => notes.map(({ message }) => message)),
    [['define it'], ['did you mean `c`?'], ['define it']],
  );
});

test('a run with many warnings still reports later errors, and keeps a bounded number of each', () => {
  const report = new Diagnostics();
  const add = (severity: 'error' | 'warning', count: number): void => {
    for (let index = 0; index < count; index += 1)
      report.add('variable/undefined', source, { name: `v${index}`, referencedIn: undefined }, { severity });
  };
  add('warning', 10_001);
  assert.not(report.hasErrors);
  add('error', 1);
  assert.ok(report.hasErrors);
  const kept = (severity: string): number => report.sorted().filter((one) => one.severity === severity).length;
  assert.equal([kept('warning'), kept('error')], [10_000, 1]);
  add('error', 10_001);
  const adopting = new Diagnostics();
  adopting.adopt(report);
  assert.equal([kept('warning'), kept('error')], [10_000, 10_000]);
  assert.equal(adopting.sorted(), report.sorted());
});

test('dropped diagnostics are counted, and every format says so', () => {
  const report = new Diagnostics();
  const add = (severity: 'error' | 'warning', count: number): void => {
    for (let index = 0; index < count; index += 1)
      report.add('variable/undefined', source, { name: 'v', referencedIn: undefined }, { severity });
  };
  add('error', 9999);
  add('warning', 10_001);
  const half = new Diagnostics();
  half.adopt(report);
  const ends = (text: string): readonly string[] => text.trimEnd().split('\n').slice(-2);
  assert.equal(ends(formatList(half.sorted()))[1], 'and 1 more warning');
  add('error', 1235);
  half.adopt(report);
  assert.equal(ends(formatList(half.sorted())), ['and 11,233 more errors', 'and 10,002 more warnings']);
  assert.equal(ends(formatList(report.sorted())), ['and 1,234 more errors', 'and 1 more warning']);
  assert.equal(formatPretty(report.sorted(), { color: false }).trimEnd().split('\n').slice(-3), [
    '10000 errors, 10000 warnings',
    'and 1,234 more errors',
    'and 1 more warning',
  ]);
  const { errors, omitted } = toReport(report.sorted());
  assert.is(errors.length, 10_000);
  assert.equal(omitted, { errors: 1234, warnings: 1 });
  assert.not('omitted' in toReport(report.sorted().slice(0, 2)));
});

test.run();
