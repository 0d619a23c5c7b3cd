import type { Attributes } from '@opentelemetry/api';
import type { Decision } from '../../service/decider.js';
import type { Call } from '../../service/call.js';
import { CODES } from '../../service/rpc-error.js';
import type { FetchTime, TokenTimes } from '../../service/call-times.js';
import type { CallEnd, Checked, Planned } from '../../service/watcher.js';
import { nameHttpMethod, splitMethod, nameRpcSystem } from '../call-names.js';

/** Attributes of an HTTP server span (OpenTelemetry semantic conventions). */
export function httpAttributes(call: Call): Attributes {
  const { address, userAgent } = call.peer();
  return {
    'http.request.method': nameHttpMethod(call.protocol, call.method),
    'network.protocol.name': 'http',
    'network.peer.address': address,
    'user_agent.original': userAgent,
  };
}

/** Attributes of the span of an RPC. REST calls are RPCs too, of a system of ours. */
export function rpcAttributes(call: Call): Attributes {
  const { service, method } = splitMethod(call.method);
  return { 'rpc.system': nameRpcSystem(call.protocol) ?? 'authz_rest', 'rpc.service': service, 'rpc.method': method };
}

/** What the end of a call adds to the span of the RPC. */
export function endAttributes(call: Call, end: CallEnd): Attributes {
  const code = end.code === undefined ? 0 : CODES[end.code].number;
  return { 'rpc.grpc.status_code': code, ...(call.id === '' ? {} : { 'authz.call_id': call.id }) };
}

/** Attributes of a check: what was asked and whether it was allowed (docs/spec/server.md#opentelemetry). */
export function checkAttributes(call: Call, { requestId, resources, decisions }: Checked): Attributes {
  const kinds = [...new Set(resources.map(({ resource }) => resource.kind))].sort();
  return {
    'authz.call_id': call.id,
    'authz.request_id': cut(requestId),
    'authz.kind': cut(kinds.slice(0, MAX_NAMES).join(',')),
    'authz.resource.count': resources.length,
    'authz.action.count': decisions.reduce((count, { actions }) => count + actions.length, 0),
    'authz.decision': decisionText(decisions),
  };
}

/** Attributes of a plan. */
export function planAttributes(call: Call, { request, plan }: Planned): Attributes {
  return {
    'authz.call_id': call.id,
    'authz.request_id': cut(request.requestId),
    'authz.kind': cut(request.resource?.kind ?? ''),
    'authz.action.count': request.action === '' ? request.actions.length : 1,
    'authz.decision': plan.filter.kind,
  };
}

/**
 * Attributes of the decision about one resource of a check. Resource attributes are left out: traces may be stored
 * where such data must not go.
 */
export function evaluationAttributes({ requestId, resources, decisions }: Checked, index: number): Attributes {
  const policies = [...new Set(decisions[index]?.actions.map(({ matchedPolicy }) => matchedPolicy))];
  const resource = resources[index]?.resource;
  return {
    'authz.request_id': cut(requestId),
    'authz.kind': cut(resource?.kind ?? ''),
    'authz.resource.id': cut(resource?.id ?? ''),
    'authz.policy.name': cut(policies.slice(0, MAX_NAMES).join(',')),
  };
}

/** How many attributes did not satisfy their schemas; which ones, the answer says. */
export function schemaAttributes(decided: Pick<Decision, 'validationErrors'> | undefined): Attributes {
  return { 'authz.validation_error.count': decided?.validationErrors.length ?? 0 };
}

/** Attributes of the tokens of a call: nothing that is in one. */
export function tokensAttributes({ tokens }: TokenTimes): Attributes {
  return { 'authz.token.count': tokens.length };
}

/** Attributes of asking a source: nothing that it was asked for, or returned. */
export function fetchAttributes({ source, of, keys, rows, outcome }: FetchTime): Attributes {
  return {
    'authz.source': source,
    'authz.kind': cut(of),
    'authz.key.count': keys,
    'authz.row.count': rows,
    'authz.outcome': outcome,
  };
}

/** More would not help the reader of a trace. */
const MAX_NAMES = 10;
/** Length in characters: callers choose names and ids, as long as they like. */
const MAX_LENGTH = 256;

function cut(text: string): string {
  return text.slice(0, MAX_LENGTH);
}

function decisionText(decisions: readonly Decision[]): 'allow' | 'deny' | 'mixed' {
  const effects = new Set(decisions.flatMap(({ actions }) => actions.map(({ effect }) => effect)));
  if (effects.size > 1) return 'mixed';
  return effects.has(1) ? 'allow' : 'deny';
}
