import type {
  GetRolloutRequest,
  PromoteBundleRequest,
  RollBackBundleRequest,
  SetRolloutRequest,
} from '../../proto/gen/messages.js';
import type { Bundle, Rollout } from '../../proto/gen/rollout-messages.js';
import { setRolloutRequestViolations } from '../../proto/gen/validate/request.js';
import { rfc3339 } from '../../proto/wire/moment.js';
import { NONE, type Violations } from '../../proto/wire/violation.js';
import type { KnownBundle, RolloutCommand, RolloutStatus } from '../service/rollout-command.js';
import type { Call } from '../service/call.js';
import { accept } from '../service/check-resources.js';
import { refused, RpcError } from '../service/rpc-error.js';
import { authenticated, type Services } from '../service/services.js';

/*
 * The RPCs about rollouts (docs/spec/server.md#rollout). Each authenticates the caller as the admin first, and returns
 * the state after it. They reject with an RpcError.
 */

/** GetRollout: which bundles the server has, and which decides. */
export function getRollout(services: Services, call: Call, _: GetRolloutRequest): Promise<RolloutResponse> {
  return run(services, call, NONE, () => ({ kind: 'get' }));
}

/** SetRollout: moves the candidate to another stage. */
export function setRollout(services: Services, call: Call, request: SetRolloutRequest): Promise<RolloutResponse> {
  return run(services, call, setRolloutRequestViolations(request), () => {
    const stage = request.stage === 2 ? 'canary' : 'shadow';
    if (stage === 'shadow' && request.percent > 0) throw refused('`percent` is for `STAGE_CANARY`');
    return { kind: 'set', stage, percent: request.percent };
  });
}

/** PromoteBundle: makes the candidate the current bundle. */
export function promoteBundle(
  services: Services,
  call: Call,
  { hash }: PromoteBundleRequest,
): Promise<RolloutResponse> {
  return run(services, call, NONE, () => ({ kind: 'promote', hash }));
}

/** RollBackBundle: drops the candidate or, without one, takes back the last promotion. */
export function rollBackBundle(
  services: Services,
  call: Call,
  { hash }: RollBackBundleRequest,
): Promise<RolloutResponse> {
  return run(services, call, NONE, () => ({ kind: 'rollBack', hash }));
}

/** All of these RPCs answer alike. */
interface RolloutResponse {
  readonly rollout: Rollout;
}

async function run(
  services: Services,
  call: Call,
  violations: Violations,
  command: () => RolloutCommand,
): Promise<RolloutResponse> {
  await authenticated(services.admin, call);
  accept(services, call, violations);
  const { rollout } = services;
  if (rollout === undefined) throw new RpcError('failed_precondition', NO_FILE);
  const outcome = await rollout(command());
  if (outcome.kind === 'refused') throw new RpcError('failed_precondition', outcome.reason);
  return { rollout: toMessage(outcome.status) };
}

const NO_FILE = 'the policies do not come from a bundle file: there are no candidates';

function toMessage(status: RolloutStatus): Rollout {
  const { current, candidate, previous, stage, percent, id, refusedHash, lastError } = status;
  return {
    current: toBundle(current),
    ...(candidate !== undefined && {
      candidate: toBundle(candidate),
      stage: stage === 'canary' ? 'STAGE_CANARY' : 'STAGE_SHADOW',
      ...(percent > 0 && { percent }),
      rolloutId: id,
    }),
    ...(previous !== undefined && { previous: toBundle(previous) }),
    ...(refusedHash !== '' && { refusedHash }),
    ...(lastError !== '' && { lastError }),
  };
}

function toBundle({ hash, digest, manifest, loadedAt }: KnownBundle): Bundle {
  const sequence = manifest?.sequence;
  return {
    hash,
    digest,
    ...(sequence !== undefined && { sequence: String(sequence) }),
    loadedAt: rfc3339(loadedAt),
  };
}
