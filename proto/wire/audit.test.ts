import { createFileRegistry, create, fromBinary, toBinary, toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { AccessLogEntrySchema, DecisionLogEntrySchema } from '@cerbos/api/cerbos/audit/v1/audit_pb';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { descriptorSet } from '../gen/descriptors.js';
import { decodeListAuditLogEntriesRequest } from '../gen/wire/request.js';
import { encodeAccessLogEntry, encodeDecisionLogEntry, encodeListAuditLogEntriesResponse } from '../gen/wire/audit.js';
import type { ListAuditLogEntriesRequest } from '../gen/messages.js';
import type { AccessLogEntry, DecisionLogEntry } from '../gen/audit-messages.js';
import { WireError } from './reader.js';
import { WireWriter } from './writer.js';

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(descriptorSet, 'base64')));
const findMessage = (name: string) => registry.getMessage(name) ?? assert.unreachable(name);
/** What the definitions say that the bytes mean. */
const read = (name: string, bytes: Uint8Array): unknown =>
  toJson(findMessage(name) as never, fromBinary(findMessage(name) as never, bytes), { registry });
const encoded = (entry: AccessLogEntry | DecisionLogEntry): Buffer =>
  'auditTrail' in entry
    ? encodeDecisionLogEntry(entry, new WireWriter())
    : encodeAccessLogEntry(entry, new WireWriter());

const head = {
  callId: '01HX7QJ8Z3ABCDEFGHJKMNPQRS',
  timestamp: '2024-05-06T07:08:09.123456789Z',
  peer: { address: '10.0.0.1:1', authInfo: 'tls', userAgent: 'curl', forwardedFor: '1.1.1.1' },
  metadata: { 'x-a': { values: ['1', '2'] }, 'x-b': { values: [''] } },
  policySource: { embeddedPdp: { commitHash: 'c', builtAt: '2024-01-01T00:00:00Z', bundleHash: 'b' } },
  requestContext: { annotations: { a: [1, null, { b: 'é' }] } },
};
const access: AccessLogEntry = { ...head, method: '/a/B', statusCode: 3, oversized: true };
const principal = {
  id: 'alice',
  policyVersion: 'v',
  roles: ['a', 'b'],
  attr: { n: 1.5, o: { p: true } },
  scope: 's',
  actors: [{ id: 'bot', roles: ['c'] }, { id: 'tool' }],
};
const auxData = { jwt: { iss: 'x' }, jwts: { one: { claims: { aud: ['y'] } } } };
const trail = {
  effectivePolicies: { 'resource.a.vdefault': { attributes: { driver: 'embedded', source: 'a.yaml' } } },
};
const validationErrors = [
  { path: '/a', message: 'm', source: 'SOURCE_PRINCIPAL' as const },
  { path: '/b', message: 'n', source: 'SOURCE_RESOURCE' as const },
];
const evaluationErrors = [{ celError: { expression: '1 / 0', message: 'divide by zero' } }];
const check: DecisionLogEntry = {
  ...head,
  checkResources: {
    inputs: [
      {
        requestId: 'r',
        resource: { kind: 'k', policyVersion: 'v', id: '1', attr: { x: 'y' }, scope: 's' },
        principal,
        actions: ['view', 'edit'],
        auxData,
      },
    ],
    outputs: [
      {
        requestId: 'r',
        resourceId: '1',
        actions: {
          edit: { effect: 'EFFECT_DENY', policy: 'NO_MATCH' },
          view: { effect: 'EFFECT_ALLOW', policy: 'p', scope: 's' },
        },
        effectiveDerivedRoles: ['owner'],
        validationErrors,
        outputs: [
          { src: 'p#r', val: null, action: 'view' },
          { src: 'p#s', action: 'edit', error: 'e' },
        ],
        evaluationErrors,
      },
    ],
    error: 'x',
  },
  auditTrail: trail,
  oversized: true,
};
const plan: DecisionLogEntry = {
  ...head,
  planResources: {
    input: {
      requestId: 'r',
      action: 'view',
      principal,
      resource: { kind: 'k', attr: { z: 1 }, policyVersion: 'v', scope: 's' },
      auxData,
      includeMeta: true,
      actions: ['view'],
    },
    output: {
      requestId: 'r',
      action: 'view',
      kind: 'k',
      policyVersion: 'v',
      scope: 's',
      filter: {
        kind: 'KIND_CONDITIONAL',
        condition: {
          expression: { operator: 'eq', operands: [{ variable: 'request.resource.attr.a' }, { value: ['x'] }] },
        },
      },
      filterDebug: '(eq a x)',
      validationErrors,
      actions: ['view'],
      matchedScopes: { view: '' },
      evaluationErrors,
    },
  },
  auditTrail: {},
};

test('a protobuf entry equals its JSON form', () => {
  assert.equal(read('authz.audit.v1.AccessLogEntry', encoded(access)), access);
  assert.equal(read('authz.audit.v1.DecisionLogEntry', encoded(check)), check);
  assert.equal(read('authz.audit.v1.DecisionLogEntry', encoded(plan)), plan);
});

test('an entry decodes with the published definitions of the reference', () => {
  const source = { embeddedPdp: { commitHash: 'c', builtAt: '2024-01-01T00:00:00Z' } };
  const known = { policySource: source };
  assert.equal(toJson(AccessLogEntrySchema, fromBinary(AccessLogEntrySchema, encoded(access))), {
    ...access,
    ...known,
  });
  const decoded = (entry: DecisionLogEntry) => fromBinary(DecisionLogEntrySchema, encoded(entry));
  assert.equal(withoutNewer(toJson(DecisionLogEntrySchema, decoded(check))), withoutNewer({ ...check, ...known }));
  assert.equal(withoutNewer(toJson(DecisionLogEntrySchema, decoded(plan))), withoutNewer({ ...plan, ...known }));
});

/** Without the fields that the published definitions of the reference do not have, or not yet. */
function withoutNewer(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json, (key, value: unknown) => (NEWER.has(key) ? undefined : value)));
}

/** `error` also stands where it is published; that it is there, the test above says. */
const NEWER = new Set(['actors', 'jwts', 'evaluationErrors', 'error']);

test('an item of the listing is an access entry or a decision entry', () => {
  const name = 'authz.response.v1.ListAuditLogEntriesResponse';
  assert.equal(read(name, encodeListAuditLogEntriesResponse({ accessLogEntry: access }, new WireWriter())), {
    accessLogEntry: access,
  });
  assert.equal(read(name, encodeListAuditLogEntriesResponse({ decisionLogEntry: check }, new WireWriter())), {
    decisionLogEntry: check,
  });
});

const requestBytes = (fields: object): Buffer => {
  const type = findMessage('authz.request.v1.ListAuditLogEntriesRequest') as never;
  return Buffer.from(toBinary(type, create(type, fields as never)));
};

test('a request decodes with each filter', () => {
  const cases: readonly (readonly [object, ListAuditLogEntriesRequest])[] = [
    [{}, { kind: 0, filter: undefined }],
    [
      { kind: 1, filter: { case: 'tail', value: 5 } },
      { kind: 1, filter: { by: 'tail', value: 5 } },
    ],
    [
      {
        kind: 2,
        filter: { case: 'between', value: { start: { seconds: 1_700_000_000n, nanos: 5 }, end: { seconds: -1n } } },
      },
      {
        kind: 2,
        filter: {
          by: 'between',
          value: { start: { seconds: 1_700_000_000, nanos: 5 }, end: { seconds: -1, nanos: 0 } },
        },
      },
    ],
    [
      { kind: 2, filter: { case: 'between', value: {} } },
      { kind: 2, filter: { by: 'between', value: { start: undefined, end: undefined } } },
    ],
    [
      { kind: 9, filter: { case: 'since', value: { seconds: 7200n } } },
      { kind: 9, filter: { by: 'since', value: { seconds: 7200, nanos: 0 } } },
    ],
    [
      { kind: 1, filter: { case: 'lookup', value: 'ABC' } },
      { kind: 1, filter: { by: 'lookup', value: 'ABC' } },
    ],
  ];
  for (const [fields, request] of cases) assert.equal(decodeListAuditLogEntriesRequest(requestBytes(fields)), request);
});

test('invalid bytes are rejected', () => {
  const bytes = requestBytes({ kind: 2, filter: { case: 'between', value: { start: { seconds: 1n } } } });
  for (let length = 1; length < bytes.length; length++) {
    if (length === 2) continue;
    assert.throws(
      () => decodeListAuditLogEntriesRequest(bytes.subarray(0, length)),
      (error: unknown) => error instanceof WireError,
    );
  }
});

test.run();
