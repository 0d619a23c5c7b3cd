import type { AuxData, ValidationError } from '../../../proto/gen/messages.js';
import type { TokenTime } from '../../service/call-times.js';
import type { Call } from '../../service/call.js';
import type { CallEnd, Watcher } from '../../service/watcher.js';
import { nameCode, isHousekeeping, isServerFault, splitMethod } from '../call-names.js';
import { isSecretName, MASKED } from '../../config/mask.js';
import type { TellConditionErrors } from '../condition-errors.js';
import { HiddenValues } from './hidden-values.js';
import type { Logger, LogLevel } from './logger.js';
import { TimestampWriter } from './timestamp.js';

/**
 * Logs every call when it ends (docs/spec/server.md#logs). Mistakes of callers are not errors of the server: only
 * server faults are logged at `error`. The members are joined as text, because these lines are most of a log
 * (tests/observe/cost.ts).
 */
export function callLog(logger: Logger, hidden = NOTHING_HIDDEN): Watcher {
  const shownPeer = chooseShown(hidden);
  const timestamps = new TimestampWriter();
  // Not a WeakMap: with that the collector takes longer than all the rest (tests/observe/cost.ts).
  const requestIds = new Map<Call, string>();
  const prefixes = new Map<string, string>();
  const findPrefix = (method: string): string => {
    const known = prefixes.get(method);
    if (known !== undefined) return known;
    const prefix = methodMembers(method);
    if (prefixes.size < MAX_METHODS) prefixes.set(method, prefix);
    return prefix;
  };
  const remember = (call: Call, requestId: string): void => {
    if (requestId === '' || !logger.writes('info')) return;
    // Calls whose end is never told would fill the memory.
    if (requestIds.size >= MAX_CALLS) requestIds.clear();
    requestIds.set(call, requestId);
  };
  return {
    checked: (call, { requestId }) => remember(call, requestId),
    planned: (call, { request }) => remember(call, request.requestId),
    ended: (call, end) => {
      const requestId = requestIds.get(call);
      if (requestId !== undefined) requestIds.delete(call);
      // A call that fails before it has an id was malformed, which gRPC calls internal; bugs are reported separately.
      const level = isServerFault(end.code) && call.id !== '' ? 'error' : 'info';
      if (isHousekeeping(call) || !logger.writes(level)) return;
      const members = findPrefix(call.method) + peerMembers(call, shownPeer) + endMembers(call, end, timestamps);
      logger.members(
        level,
        'Handled request',
        requestId === undefined ? members : `${members},"grpc.request.meta.request_id":${JSON.stringify(requestId)}`,
      );
    },
  };
}

const NOTHING_HIDDEN = new HiddenValues([]);

/** More than there are RPCs. */
const MAX_METHODS = 64;
/** More than are under way at once. */
const MAX_CALLS = 10_000;

function methodMembers(name: string): string {
  const { service, method } = splitMethod(name);
  return `"grpc.service":${JSON.stringify(service)},"grpc.method":${JSON.stringify(method)},"grpc.method_type":"unary"`;
}

/** Which members about the caller are not hidden. */
interface ShownPeer {
  readonly address: boolean;
  readonly forwardedFor: boolean;
  readonly forwardedHost: boolean;
}

function chooseShown(hidden: HiddenValues): ShownPeer {
  return {
    address: !hidden.hides('peer', 'address'),
    forwardedFor: !hidden.hides('peer', 'forwardedFor') && !hidden.hides('metadata', 'x-forwarded-for'),
    forwardedHost: !hidden.hides('metadata', 'x-forwarded-host'),
  };
}

function peerMembers(call: Call, shown: ShownPeer): string {
  const peer = call.peer();
  const address = shown.address ? peer.address : MASKED;
  const forwardedFor = peer.forwardedFor === '' || shown.forwardedFor ? peer.forwardedFor : MASKED;
  const forwarded = forwardedFor === '' ? '' : `,"http.x_forwarded_for":${JSON.stringify(forwardedFor)}`;
  return `,"authz.protocol":"${call.protocol}","peer.address":${JSON.stringify(address)}${forwarded}${shown.forwardedHost ? forwardedHost(call, peer.forwardedFor) : ''}`;
}

/**
 * Headers are dear to look at: a proxy that names the host names the caller too, before whom HTTP calls name their
 * peer.
 */
function forwardedHost(call: Call, forwardedFor: string): string {
  const isForwarded = call.protocol === 'grpc' ? forwardedFor !== '' : forwardedFor.includes(',');
  const hosts = isForwarded ? call.metadata().get('x-forwarded-host') : undefined;
  return hosts === undefined ? '' : `,"http.x_forwarded_host":${JSON.stringify(hosts.join(', '))}`;
}

function endMembers(call: Call, { code, message }: CallEnd, timestamps: TimestampWriter): string {
  const id = call.id === '' ? '' : `,"authz.call_id":"${call.id}"`;
  const milliseconds = Math.round((performance.now() - call.start) * 1000) / 1000;
  const error = message === '' ? '' : `,"grpc.error":${JSON.stringify(message)}`;
  return `${id},"grpc.start_time":"${timestamps.write(call.timestamp)}","grpc.time_ms":${milliseconds},"grpc.code":"${nameCode(code)}"${error}`;
}

/**
 * Says which attributes break their schema (docs/spec/server.md#logs), which rules no plan can say, and which calls
 * cost too much.
 */
export function decisionLog(logger: Logger, hidden = NOTHING_HIDDEN): Watcher {
  const violationText = ({ source, path, message }: ValidationError): string =>
    `${source === 'SOURCE_PRINCIPAL' ? 'P' : 'R'}.attr[${path}]: ${hidden.message(message)}`;
  const sayViolations = (call: Call, violations: readonly ValidationError[]): void => {
    if (violations.length > 0)
      logger.warn('Attributes violate their schema', {
        'authz.call_id': call.id,
        errors: violations.map(violationText),
      });
  };
  return {
    checked: (call, { decisions }) => {
      for (const { validationErrors } of decisions) sayViolations(call, validationErrors);
    },
    exceeded: (call, { error, reason }) =>
      logger.warn('Conditions exceed the evaluation limit', { 'authz.call_id': call.id, reason, error }),
    planned: (call, { plan }) => {
      sayViolations(call, plan.validationErrors);
      for (const { policy, rule, reason } of plan.unplanned) {
        logger.warn('Rule could not be planned', {
          'authz.call_id': call.id,
          policy,
          rule,
          error: hidden.message(reason),
        });
      }
    },
  };
}

/** Says which conditions could not be evaluated, at the level of `engine.celErrorLogLevel`. */
export function conditionLog(logger: Logger, level: LogLevel, hidden = NOTHING_HIDDEN): TellConditionErrors {
  return (call, errors) => {
    for (const { expression, message } of errors) {
      const error = hidden.message(message, expression);
      logger[level]('Condition could not be evaluated', { 'authz.call_id': call.id, expression, error });
    }
  };
}

/**
 * Logs requests and decisions (`server.logRequestPayloads`) without tokens: a reader of the log must not be able to act
 * as a caller.
 */
export function payloadLog(logger: Logger, hidden = NOTHING_HIDDEN): Watcher {
  return {
    checked: (call, checked) => {
      if (!logger.writes('info')) return;
      const { request, response } = hidden.checked(checked);
      logger.info('Checked', { 'authz.call_id': call.id, request: redacted(request), response: redacted(response) });
    },
    planned: (call, planned) => {
      if (!logger.writes('info')) return;
      // Claims take the place of the tokens.
      const { request, response } = hidden.planned(planned);
      logger.info('Planned', { 'authz.call_id': call.id, request: redacted(request), response: redacted(response) });
    },
  };
}

/**
 * A value as JSON can be made of it, with whatever looks like a token, and whatever is named like a secret, taken out.
 */
export function redacted(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return isToken(value) ? REDACTED : value;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return REDACTED;
  if (Array.isArray(value)) return value.map((item) => redacted(item, depth + 1));
  const entries = value instanceof Map ? [...(value as ReadonlyMap<string, unknown>)] : Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, member]) => [name, isSecretName(name) ? REDACTED : redacted(member, depth + 1)]),
  );
}

const REDACTED = '[redacted]';
/** Deeper values would overflow the stack. */
const DEEPEST = 200;

/** A JWT, alone or as in an `Authorization` header. */
function isToken(text: string): boolean {
  return /^(?:bearer )?eyJ[\w-]*\.[\w-]*\.[\w-]*$/i.test(text);
}

/**
 * A verifier of tokens that also says in the log why a token is refused: the caller is never told
 * (docs/spec/server.md#refused-tokens).
 */
export function loggingRefusals<Claims>(verify: Verify<Claims>, logger: Logger): Verify<Claims> {
  return async (auxData, times, callId) => {
    try {
      return await verify(auxData, times, callId);
    } catch (error) {
      logger.info('Token refused', {
        'authz.call_id': callId,
        error: error instanceof Error ? error.message : String(error),
      });
      throw error;
    }
  };
}

type Verify<Claims> = (auxData: AuxData, times?: TokenTime[], callId?: string) => Promise<Claims>;
