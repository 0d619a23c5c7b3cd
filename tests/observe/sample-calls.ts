import type { Resource } from '../../proto/gen/messages.js';
import type { ActionDecision, Decision } from '../../server/service/decider.js';
import type { Call } from '../../server/service/call.js';
import type { CallEnd, Checked } from '../../server/service/watcher.js';

/** A call in the form that a transport passes on. */
export function sampleCall(
  changes: Partial<Call> & { readonly headers?: Readonly<Record<string, string>> } = {},
): Call {
  const { headers = {}, ...rest } = changes;
  return {
    method: '/authz.svc.v1.AuthzService/CheckResources',
    protocol: 'rest',
    timestamp: Date.now(),
    start: performance.now(),
    id: '01HAAAAAAAAAAAAAAAAAAAAAAA',
    peer: () => ({ address: '127.0.0.1:40000', authInfo: '', userAgent: 'test/1', forwardedFor: '127.0.0.1' }),
    metadata: () => new Map(Object.entries(headers).map(([name, value]) => [name, [value]])),
    header: () => undefined,
    host: () => 'localhost:3592',
    isEncrypted: () => false,
    ...rest,
  };
}

/** The end of a successful call, unless changed. */
export function sampleEnd(changes: Partial<CallEnd> = {}): CallEnd {
  return {
    code: undefined,
    message: '',
    httpStatus: 200,
    requestSize: 500,
    responseSize: 300,
    requestContext: undefined,
    ...changes,
  };
}

/** A check of one action on resources of these kinds. The first of two is allowed. */
export function sampleCheck(kinds: readonly string[] = ['album'], changes: Partial<Checked> = {}): Checked {
  return {
    requestId: 'request-1',
    principal: { id: 'u1', policyVersion: '', roles: ['user'], attr: {}, scope: '', actors: [] },
    resources: kinds.map((kind) => ({ resource: sampleResource(kind), actions: ['view', 'edit'] })),
    includeMeta: true,
    decisions: kinds.map(() => sampleDecision()),
    auxData: { jwt: {}, jwts: {} },
    requestContext: undefined,
    duration: 0.004,
    ...changes,
  };
}

export function sampleDecision(changes: Partial<Decision> = {}): Decision {
  return {
    actions: [sampleAction('view', 1), sampleAction('edit', 2)],
    effectiveDerivedRoles: [],
    outputs: [],
    validationErrors: [],
    ...changes,
  } as Decision;
}

export function sampleAction(action: string, effect: 1 | 2, matchedPolicy = 'resource.album.vdefault'): ActionDecision {
  return { action, effect, matchedPolicy, matchedScope: '' };
}

function sampleResource(kind: string): Resource {
  return { kind, policyVersion: '', id: 'r1', attr: {}, scope: '' };
}
