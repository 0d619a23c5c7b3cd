import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RpcError } from '../service/rpc-error.js';
import { listAuditLogEntries, listViolations } from './list-entries.js';
import type { AuditQuery, AuditReader } from './reader.js';

const NOW = Date.UTC(2024, 0, 1);
const moment = (milliseconds: number) => ({ seconds: milliseconds / 1000, nanos: 0 });
const linesOf = (request: Parameters<typeof listViolations>[0]): readonly string[] =>
  listViolations(request, NOW).map(({ field, rule }) => `${field.map(({ name }) => name).join('.')}: ${rule.message}`);

test('a request that keeps all rules has no violation', () => {
  assert.equal(linesOf({ kind: 1, filter: { by: 'tail', count: 1000 } }), []);
  assert.equal(linesOf({ kind: 2, filter: { by: 'between', start: moment(0), end: moment(NOW - 1000) } }), []);
  assert.equal(linesOf({ kind: 2, filter: { by: 'since', duration: moment(7_200_000) } }), []);
  assert.equal(linesOf({ kind: 2, filter: { by: 'lookup', callId: '01HX7QJ8Z3ABCDEFGHJKMNPQRS' } }), []);
});

test('kind is one of two, exactly one filter, tail 1 to 1000, moments there and past, lookup a call id', () => {
  assert.equal(linesOf({ kind: 0, filter: undefined }), ['kind: value is required', 'filter: exactly one field is required in oneof']);
  assert.equal(linesOf({ kind: 3, filter: { by: 'tail', count: 0 } }), [
    'kind: must be in list [KIND_ACCESS, KIND_DECISION]',
    'tail: must be greater than or equal to 1 and less than or equal to 1000',
  ]);
  assert.is(linesOf({ kind: 1, filter: { by: 'tail', count: 1001 } }).length, 1);
  assert.equal(linesOf({ kind: 1, filter: { by: 'between', start: undefined, end: moment(NOW + 1) } }), [
    'between.start: value is required',
    'between.end: must be less than now',
  ]);
  assert.equal(linesOf({ kind: 1, filter: { by: 'lookup', callId: 'x' } }), [
    'lookup: does not match regex pattern `^[0123456789ABCDEFGHJKMNPQRSTVWXYZ]{26}$`',
  ]);
});

const asked = async (request: Parameters<typeof listAuditLogEntries>[1]): Promise<AuditQuery | undefined> => {
  let query: AuditQuery | undefined;
  const reader: AuditReader = {
    page: async (given) => {
      query = given;
      return { entries: ['{"callId":"1","method":"m"}'], next: undefined };
    },
  };
  const entries = [];
  for await (const entry of listAuditLogEntries(reader, request, NOW)) entries.push(entry);
  assert.equal(entries, [{ callId: '1', method: 'm' }]);
  return query;
};

test('a request becomes a query of the backend; since counts from now', async () => {
  assert.equal(await asked({ kind: 1, filter: { by: 'tail', count: 3 } }), { kind: 'access', by: 'tail', count: 3 });
  assert.equal(await asked({ kind: 2, filter: { by: 'since', duration: moment(3_600_000) } }), { kind: 'decision', by: 'between', start: NOW - 3_600_000, end: NOW });
});

test('a request that is not valid is code 3; without a backend that can be queried code 12', () => {
  const codeOf = (reader: AuditReader | undefined, kind: number): string | undefined => {
    try {
      listAuditLogEntries(reader, { kind, filter: { by: 'tail', count: 3 } });
      return undefined;
    } catch (error) {
      return (error as RpcError).code;
    }
  };
  assert.is(codeOf(undefined, 0), 'invalid_argument');
  assert.is(codeOf(undefined, 1), 'unimplemented');
});

test.run();
