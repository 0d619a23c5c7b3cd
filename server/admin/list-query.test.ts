import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listRequestOfQuery } from './list-query.js';

const read = (kind: string, query: string) => listRequestOfQuery(kind, new URLSearchParams(query));

test('the kind is a name or a number', () => {
  for (const kind of ['KIND_ACCESS', 'access', '1'])
    assert.equal(read(kind, 'tail=3'), { kind: 1, filter: { by: 'tail', value: 3 } });
  assert.is(read('decision', 'tail=3').kind, 2);
  assert.throws(() => read('other', 'tail=3'), /not a kind of audit entry/);
});

test('each filter is parsed', () => {
  assert.equal(read('access', 'between.start=2024-01-01T00:00:00.5Z&between.end=2024-01-01T01:00:00%2B01:00').filter, {
    by: 'between',
    value: { start: { seconds: 1704067200, nanos: 500_000_000 }, end: { seconds: 1704067200, nanos: 0 } },
  });
  for (const since of ['2h', '7200s'])
    assert.equal(read('access', `since=${since}`).filter, { by: 'since', value: { seconds: 7200, nanos: 0 } });
  assert.equal(read('access', 'lookup=ABC').filter, { by: 'lookup', value: 'ABC' });
});

test('no filter or two filters are passed on, because the rules of the request reject them', () => {
  assert.is(read('access', '').filter, undefined);
  assert.is(read('access', 'tail=1&since=1h').filter, undefined);
});

test('other parameters are ignored', () => {
  assert.equal(read('access', 'tail=1&pretty&unknown=1').filter, { by: 'tail', value: 1 });
});

test('invalid values are rejected', () => {
  for (const query of ['tail=x', 'tail=-1', 'since=2', 'between.start=yesterday'])
    assert.throws(() => read('access', query), undefined, query);
});

test.run();
