import type { Json, JsonObject } from '../cel/runtime/index.js';
import type { FactsEngine } from '../../runtime/facts/index.js';
import type { AuthzClient } from '../client/index.js';
import type { Evaluation } from './evaluation.js';

/**
 * Answers whether an evaluation is allowed. Rejects if there is no answer.
 *
 * @param token the claims of the verified token of the request.
 */
export type DecisionPoint = (evaluation: Evaluation, token: Claims) => Promise<boolean>;

/** The claims of a verified token. */
export type Claims = JsonObject;

/** What is known of a caller from its verified token. */
export interface VerifiedPrincipal {
  readonly roles: readonly string[];
  readonly attr?: JsonObject;
  readonly policyVersion?: string;
  readonly scope?: string;
  /** Who acts for the caller, as the claim `act` says (RFC 8693, section 4.1); all of them must be allowed. */
  readonly actors?: readonly VerifiedActor[];
}

/** What is known of an actor from the verified token of its principal. */
export type VerifiedActor = Omit<VerifiedPrincipal, 'actors'> & { readonly id: string };

/**
 * Decides with a client of a decision point: in this process or over the network. The kind is the type of the resource,
 * whose properties are attributes; the context is the attribute `authz.context`. Roles and attributes of the principal
 * come from the token alone: what a mapping says of its subject is not verified, and is not used.
 *
 * @example
 * import { inProcessClient } from 'authz/client';
 * import { decideWith } from 'authz/mcp';
 * import { policies } from './dist/policies.js';
 *
 * // Pass it to mcpGuard as `decisionPoint`.
 * const decisionPoint = decideWith(inProcessClient(policies), ({ roles }) => ({ roles: roles as string[] }));
 * console.log(typeof decisionPoint); // => function
 */
export function decideWith(
  client: Pick<AuthzClient, 'isAllowed'> | Pick<FactsEngine, 'isAllowed'>,
  principalOf: (token: Claims) => VerifiedPrincipal,
): DecisionPoint {
  return async ({ subject, action, resource, context }, token) => {
    // A property must not pass for those of the action, or for a context.
    const { 'authz.context': _, 'authz.actionProperties': __, ...properties } = resource.properties ?? {};
    const attr: { [name: string]: Json } = { ...properties };
    if (action.properties !== undefined) attr['authz.actionProperties'] = action.properties;
    if (context !== undefined) attr['authz.context'] = context;
    const { attr: known = {}, ...principal } = principalOf(token);
    const request = {
      principal: { ...principal, attr: known, id: subject.id },
      resource: { kind: resource.type, id: resource.id, attr },
      action: action.name,
    };
    // Both take this request; what one takes of tokens differs.
    return (client as Pick<AuthzClient, 'isAllowed'>).isAllowed(request as Parameters<AuthzClient['isAllowed']>[0]);
  };
}

/** A decision point that speaks AuthZEN 1.0. */
export interface AuthZenOptions {
  /** The address of its access evaluation: `https://pdp.example/access/v1/evaluation`. */
  readonly endpoint: string;
  /** Headers of each request, such as its own authorization. */
  readonly headers?: { readonly [name: string]: string };
  /** Milliseconds until there is no answer: 5000 by default. */
  readonly timeout?: number;
}

/**
 * Decides by AuthZEN 1.0. Redirections are not followed: an answer comes from the address that is configured.
 *
 * @example
 * import { decideOverAuthZen } from 'authz/mcp';
 *
 * // Pass it to mcpGuard as `decisionPoint`.
 * const decisionPoint = decideOverAuthZen({ endpoint: 'http://localhost:3592/access/v1/evaluation', timeout: 1000 });
 * console.log(typeof decisionPoint); // => function
 */
export function decideOverAuthZen({ endpoint, headers = {}, timeout = 5000 }: AuthZenOptions): DecisionPoint {
  return async (evaluation) => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(evaluation),
      redirect: 'error',
      signal: AbortSignal.timeout(timeout),
    });
    const answer: unknown = await response.json();
    const decision =
      typeof answer === 'object' && answer !== null && Object.hasOwn(answer, 'decision')
        ? (answer as { readonly decision: unknown }).decision
        : undefined;
    if (response.status !== 200 || typeof decision !== 'boolean')
      throw new Error(`the decision point answered with status ${response.status} and no decision`);
    return decision;
  };
}
