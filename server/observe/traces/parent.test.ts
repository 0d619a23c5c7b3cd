import { trace } from '@opentelemetry/api';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PropagatorName } from '../otel/settings.js';
import { parentReader } from './parent.js';

const A = 'a'.repeat(32);
const B = 'b'.repeat(16);

test('traceparent names the trace, and tracestate is kept with it', async () => {
  const parent = await parentIn(['tracecontext'], { traceparent: `00-${A}-${B}-01`, tracestate: 'x=1' });
  assert.is(parent?.traceId, A);
  assert.is(parent?.spanId, B);
  assert.is(parent?.traceFlags, 1);
  assert.is(parent?.isRemote, true);
  assert.is(parent?.traceState?.get('x'), '1');
});

test('a malformed, repeated or all-zero traceparent is ignored', async () => {
  for (const traceparent of [
    `00-${A}-${B}-01-x`,
    `ff-${A}-${B}-01`,
    `00-${A.toUpperCase()}-${B}-01`,
    `00-${'0'.repeat(32)}-${B}-01`,
    `00-${A}-${'0'.repeat(16)}-01`,
    '',
    'x'.repeat(100_000),
  ]) {
    assert.is(await parentIn(['tracecontext'], { traceparent }), undefined);
  }
  const read = await parentReader(['tracecontext']);
  assert.is(trace.getSpanContext(read(new Map([['traceparent', [`00-${A}-${B}-01`, `00-${A}-${B}-01`]]]))), undefined);
});

test('a later version may have more parts', async () => {
  assert.is((await parentIn(['tracecontext'], { traceparent: `01-${A}-${B}-01-more` }))?.traceId, A);
});

test('B3 is read from one header or from several', async () => {
  assert.is((await parentIn(['b3'], { b3: `${A}-${B}-1` }))?.traceId, A);
  assert.is((await parentIn(['b3multi'], { 'x-b3-traceid': A, 'x-b3-spanid': B, 'x-b3-sampled': '1' }))?.traceFlags, 1);
});

test('the first configured format that is present counts', async () => {
  const headers = { traceparent: `00-${A}-${B}-01`, b3: `${'c'.repeat(32)}-${B}-1` };
  assert.is((await parentIn(['tracecontext', 'b3'], headers))?.traceId, A);
  assert.is((await parentIn(['b3', 'tracecontext'], headers))?.traceId, 'c'.repeat(32));
  assert.is(await parentIn(['none'], headers), undefined);
});

test.run();

async function parentIn(names: readonly PropagatorName[], headers: Readonly<Record<string, string>>) {
  const read = await parentReader(names);
  return trace.getSpanContext(read(new Map(Object.entries(headers).map(([name, value]) => [name, [value]]))));
}
