import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ListAuditLogEntriesRequest } from '../gen/messages.js';
import { readListAuditLogEntriesRequest } from '../gen/json/request.js';
import { decodeListAuditLogEntriesRequest } from '../gen/wire/request.js';
import { messageType } from '../../tests/support/protobuf.js';
import { readDocument } from './json-scan.js';

const read = (text: string): ListAuditLogEntriesRequest =>
  readDocument(Buffer.from(text), readListAuditLogEntriesRequest);
const { encode } = messageType('authz.request.v1.ListAuditLogEntriesRequest');

test('a JSON request equals the same request in protobuf', () => {
  const cases: readonly object[] = [
    {},
    { kind: 'KIND_UNSPECIFIED' },
    { kind: 'KIND_ACCESS', tail: 0 },
    { kind: 2, tail: 4_294_967_295 },
    { kind: 7, tail: 3 },
    { kind: 'KIND_DECISION', between: {} },
    { kind: 'KIND_DECISION', between: { start: '2024-01-01T00:00:00.000000001Z', end: '1969-12-31T23:59:59.5+01:00' } },
    { kind: null, tail: null, between: { start: null, end: '2024-02-29T12:00:00-05:30' } },
    { since: '0s' },
    { since: '5400.25s' },
    { since: '-1.5s' },
    { lookup: '' },
    { lookup: '01ARZ3NDEKTSV4RRFFQ69G5FAV' },
  ];
  for (const json of cases) {
    const text = JSON.stringify(json);
    assert.equal(
      JSON.stringify(read(text)),
      JSON.stringify(decodeListAuditLogEntriesRequest(encode(json as never))),
      text,
    );
  }
});

test('an empty body is an empty request', () => {
  assert.equal(read(''), { kind: 0, filter: undefined });
});

test('a null field of the oneof is unset', () => {
  assert.equal(read('{"tail":null,"lookup":"a","since":null}'), { kind: 0, filter: { by: 'lookup', value: 'a' } });
});

test('an invalid message is rejected, and so are two fields of the oneof', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['[]', /the request must be an object/],
    ['{"kind":"ACCESS"}', /`kind` must be one of KIND_UNSPECIFIED, KIND_ACCESS, KIND_DECISION/],
    ['{"kind":1.5}', /`kind`/],
    ['{"kind":2147483648}', /`kind`/],
    ['{"kind":true}', /`kind`/],
    ['{"tail":"3"}', /`tail` must be a number/],
    ['{"tail":-1}', /`tail`/],
    ['{"tail":4294967296}', /`tail`/],
    ['{"between":[]}', /`between` must be an object/],
    ['{"between":{"start":1}}', /`between.start` must be a string/],
    ['{"between":{"start":"yesterday"}}', /`between.start` must be an RFC 3339/],
    ['{"between":{"begin":"x"}}', /unknown field "begin" in `between`/],
    ['{"since":"1h"}', /`since` must be a duration/],
    ['{"since":5}', /`since` must be a string/],
    ['{"lookup":5}', /`lookup` must be a string/],
    ['{"filter":{}}', /unknown field "filter"/],
    ['{"tail":1,"since":"1s"}', /only one of `tail`, `since` may be there/],
    ['{"tail":1,"tail":1}', /duplicate key/],
    ['{"tail":1', /unexpected EOF/],
  ];
  for (const [text, message] of cases)
    assert.throws(
      () => read(text),
      (error: Error) => message.test(error.message),
      text,
    );
});

test.run();
