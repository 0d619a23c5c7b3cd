import {
  type AuxDataInput,
  type CompiledBundle,
  createEngine,
  delegation,
  type Engine,
  type EngineOptions,
  EvaluationLimitError,
} from '../../runtime/engine/index.js';
import type { AnyPermissions, Permissions } from '../../runtime/policy/index.js';
import { checkResourcesRequestViolations, planResourcesRequestViolations } from '../../proto/gen/validate/request.js';
import type {
  AuxData as Tokens,
  CheckResourcesRequest,
  PlanResourcesRequest,
  Principal,
  Resource,
  PlanMeta,
} from '../../proto/gen/messages.js';
import { type Violations, violationsMessage } from '../../proto/wire/violation.js';
import type { AuthzClient, ClientOptions } from './authz-client.js';
import { AuthzError } from './authz-error.js';
import { clientOver } from './client-over.js';
import type { Sending, Transport } from './transport.js';

/** Options of decisions in this process. */
export interface InProcessOptions extends ClientOptions {
  /** Options of the engine that is created from a bundle. */
  readonly engine?: EngineOptions | undefined;
  /**
   * Verifies the tokens of a request and returns their claims; rejects if one is invalid. Without it, a request with
   * tokens is refused.
   */
  readonly verify?: ((auxData: TokensByName) => Promise<AuxDataInput>) | undefined;
}

/** Compiled policies: `policies` of generated code, or of a bundle. */
export type Bundle = CompiledBundle;

/** The tokens of a request. */
export interface TokensByName {
  readonly jwt: { readonly token: string; readonly keySetId: string } | undefined;
  readonly jwts: ReadonlyMap<string, { readonly token: string; readonly keySetId: string }>;
}

/**
 * A client that evaluates policies in this process, by the rules of a server: the same requests are refused, with the
 * same messages; only a server's limits on the size of requests do not apply. In hot loops, call the engine directly.
 *
 * @example
 * import { inProcessClient } from 'authz/client';
 * import { policies } from './dist/policies.js';
 *
 * const client = inProcessClient(policies);
 * const principal = { id: 'ann', roles: ['user'] };
 * const resource = { kind: 'contact', id: 'c1' };
 * console.log(await client.isAllowed({ principal, resource, action: 'read' })); // => true
 * await client.close();
 */
export function inProcessClient<P extends Permissions = AnyPermissions>(
  policies: Bundle | Engine<P>,
  options: InProcessOptions = {},
): AuthzClient<P> {
  const engine =
    'check' in policies
      ? (policies as unknown as Engine)
      : createEngine(policies, { ...options.engine, use: [delegation(), ...(options.engine?.use ?? [])] });
  return clientOver(engineTransport(engine, options.verify), options);
}

/** There is one bundle, and nothing to wait for. */
function refuseDemand({ minBundle }: Sending): void {
  if (minBundle !== undefined) throw new AuthzError('unimplemented', 'in process, a call cannot demand a bundle');
}

function engineTransport(engine: Engine, verify: InProcessOptions['verify']): Transport {
  return {
    check: async (request, sending) => {
      refuseDemand(sending);
      refuse(checkResourcesRequestViolations(request));
      const { requestId, includeMeta, principal, resources } = request as Valid<CheckResourcesRequest>;
      const auxData = await verifyTokens(request.auxData, verify);
      const decisions = withinLimits(() => engine.check({ principal, resources, auxData, includeMeta }));
      const results = resources.flatMap(({ resource }, index) => {
        const decision = decisions[index];
        if (decision === undefined) return [];
        const { actions, effectiveDerivedRoles, outputs, validationErrors } = decision;
        const meta = includeMeta ? { actions, effectiveDerivedRoles, unknown: [] } : undefined;
        return [{ resource, actions, validationErrors, meta, outputs }];
      });
      return { message: { requestId, results, authzCallId: '' }, bundleHash: '' };
    },
    plan: async (request, sending) => {
      refuseDemand(sending);
      refuse(planResourcesRequestViolations(request));
      const { requestId, action, actions, principal, resource, includeMeta } = request as PlanResourcesRequest & {
        readonly principal: Principal;
        readonly resource: Resource;
      };
      const auxData = await verifyTokens(request.auxData, verify);
      const plan = withinLimits(() => engine.plan({ principal, resource, actions, auxData }));
      const message = {
        requestId,
        action,
        actions,
        resourceKind: resource.kind,
        policyVersion: resource.policyVersion,
        filter: plan.filter,
        meta: includeMeta ? toMeta(plan) : undefined,
        validationErrors: plan.validationErrors,
        authzCallId: '',
      };
      return { message, bundleHash: '' };
    },
    serverInfo: async () => {
      throw new AuthzError('unimplemented', 'there is no server: the policies run in this process');
    },
    close: () => {},
  };
}

function toMeta({ filterDebug, matchedScopes, unplanned }: ReturnType<Engine['plan']>): PlanMeta {
  return { filterDebug, matchedScope: '', matchedScopes: matchedScopes ?? new Map(), unplanned };
}

/** The properties that validation guarantees. */
type Valid<Request> = Omit<Request, 'principal' | 'resources'> & {
  readonly principal: Principal;
  readonly resources: readonly { readonly actions: readonly string[]; readonly resource: Resource }[];
};

function refuse(violations: Violations): void {
  if (violations.count > 0) throw new AuthzError('invalid_argument', violationsMessage(violations));
}

/** Calls that cost too much fail as they do on a server. */
function withinLimits<Answer>(ask: () => Answer): Answer {
  try {
    return ask();
  } catch (cause) {
    throw cause instanceof EvaluationLimitError
      ? new AuthzError('resource_exhausted', cause.message, { cause })
      : cause;
  }
}

/** A server does not reveal why a token is invalid. */
async function verifyTokens(auxData: Tokens | undefined, verify: InProcessOptions['verify']): Promise<AuxDataInput> {
  if (auxData === undefined || (auxData.jwt === undefined && auxData.jwts.size === 0)) return {};
  if (verify === undefined)
    throw new AuthzError('invalid_argument', 'invalid auxData', {
      cause: new Error('the client was created without `verify`'),
    });
  try {
    return await verify(auxData);
  } catch (cause) {
    throw new AuthzError('invalid_argument', 'invalid auxData', { cause });
  }
}
