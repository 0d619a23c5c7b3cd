import type { Attributes } from '../../../proto/wire/json-shape.js';
import type { Decision } from '../../../server/service/decider.js';
import { type AuditConfig, AUDIT_DEFAULTS } from '../../../server/config/audit-config.js';
import type { AuditRecord } from '../../../server/audit/record.js';
import type { Call } from '../../../server/service/call.js';
import type { CallEnd, Checked, Planned } from '../../../server/service/watcher.js';

/** A configuration with changes to the defaults. */
export function configWith(changes: Partial<AuditConfig>): AuditConfig {
  return { ...AUDIT_DEFAULTS, enabled: true, ...changes };
}

/** A call with an id, a caller and headers, some of them secret. */
export function sampleCall(changes: Partial<Call> = {}): Call {
  return {
    method: '/authz.svc.v1.AuthzService/CheckResources',
    protocol: 'rest',
    timestamp: Date.UTC(2024, 4, 6, 7, 8, 9, 123),
    start: 0,
    id: '01HX7QJ8Z3ABCDEFGHJKMNPQRS',
    peer: () => ({ address: '10.0.0.1:4711', authInfo: '', userAgent: 'curl/8', forwardedFor: '10.0.0.1' }),
    metadata: () =>
      new Map([
        ['authorization', ['Bearer secret-token']],
        ['cookie', ['session=secret-cookie']],
        ['grpc-trace-bin', ['AAAA']],
        ['user-agent', ['curl/8']],
        ['x-tenant', ['acme', 'umbrella']],
      ]),
    header: () => undefined,
    host: () => 'localhost:3592',
    isEncrypted: () => false,
    ...changes,
  };
}

export const ENDED: CallEnd = {
  code: undefined,
  message: '',
  httpStatus: 200,
  requestSize: 100,
  responseSize: 200,
  requestContext: undefined,
};

const ALLOWED: Decision = {
  actions: [{ action: 'view', effect: 1, matchedPolicy: 'resource.album.vdefault/acme', matchedScope: 'acme' }],
  effectiveDerivedRoles: ['owner'],
  outputs: [{ src: 'resource.album.vdefault#r', action: 'view', val: { owner: 'alice', ssn: '123-45-6789' } }],
  validationErrors: [],
};

/** A check of one resource, allowed. */
export function sampleCheck(
  changes: Partial<Checked> = {},
  attr: Attributes = { ssn: '123-45-6789', dept: 'hr' },
): Checked {
  return {
    requestId: 'req-1',
    principal: { id: 'alice', policyVersion: '', roles: ['user'], attr, scope: '', actors: [] },
    resources: [
      {
        resource: {
          kind: 'album',
          policyVersion: 'default',
          id: 'a1',
          attr: { public: false, card: { number: '4111', name: 'A' } },
          scope: 'acme',
        },
        actions: ['view'],
      },
    ],
    includeMeta: true,
    decisions: [ALLOWED],
    auxData: { jwt: { iss: 'us', email: 'alice@example.com' }, jwts: {} },
    requestContext: { annotations: { ticket: 'T-1' } },
    duration: 0.1,
    ...changes,
  };
}

/** A plan that leaves a condition. */
export function samplePlan(
  changes: Partial<Planned['request']> = {},
  kind: Planned['plan']['filter']['kind'] = 'KIND_CONDITIONAL',
): Planned {
  return {
    request: {
      requestId: 'req-2',
      action: 'view',
      actions: [],
      principal: {
        id: 'alice',
        policyVersion: '',
        roles: ['user'],
        attr: { ssn: '123-45-6789' },
        scope: '',
        actors: [],
      },
      resource: { kind: 'album', policyVersion: '', attr: {}, scope: '' },
      auxData: { jwt: { token: 'secret-token', keySetId: '' }, jwts: new Map() },
      includeMeta: false,
      requestContext: undefined,
      ...changes,
    },
    plan: {
      filter:
        kind === 'KIND_CONDITIONAL'
          ? {
              kind,
              condition: {
                expression: {
                  operator: 'eq',
                  operands: [{ variable: 'request.resource.attr.ssn' }, { value: '123-45-6789' }],
                },
              },
            }
          : { kind },
      filterDebug: '(eq request.resource.attr.ssn "123-45-6789")',
      matchedScopes: new Map([['view', '']]),
      unplanned: [],
      validationErrors: [],
    },
    auxData: { jwt: {}, jwts: {} },
    duration: 0.1,
  };
}

/** A record like the watcher's. */
export function sampleRecord(index: number, time = Date.now(), padding = 0): AuditRecord {
  const kind = index % 2 === 0 ? 'access' : 'decision';
  const callId = String(index).padStart(26, '0');
  return {
    kind,
    callId,
    time,
    json: Buffer.from(JSON.stringify({ callId, index, ...(padding > 0 ? { padding: 'x'.repeat(padding) } : {}) })),
  };
}
