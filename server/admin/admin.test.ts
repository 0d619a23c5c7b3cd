import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RpcError } from '../service/rpc-error.js';
import { listAuditLogEntries } from './admin.js';
import type { AuditQuery, AuditReader } from '../audit/reader.js';

const NOW = Date.UTC(2024, 0, 1);
const moment = (milliseconds: number) => ({ seconds: milliseconds / 1000, nanos: 0 });

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
  assert.equal(entries, [{ accessLogEntry: { callId: '1', method: 'm' } }]);
  return query;
};

test('a request becomes a query of the backend, and since is relative to now', async () => {
  assert.equal(await asked({ kind: 1, filter: { by: 'tail', value: 3 } }), { kind: 'access', by: 'tail', count: 3 });
  assert.equal(await asked({ kind: 2, filter: { by: 'since', value: moment(3_600_000) } }), {
    kind: 'decision',
    by: 'between',
    start: NOW - 3_600_000,
    end: NOW,
  });
});

test('an invalid request is code 3, and a backend without queries is code 12', () => {
  const findCode = (reader: AuditReader | undefined, kind: number): string | undefined => {
    try {
      listAuditLogEntries(reader, { kind, filter: { by: 'tail', value: 3 } });
      return undefined;
    } catch (error) {
      return (error as RpcError).code;
    }
  };
  assert.is(findCode(undefined, 0), 'invalid_argument');
  assert.is(findCode(undefined, 1), 'unimplemented');
});

test.run();
