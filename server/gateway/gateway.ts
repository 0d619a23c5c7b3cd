import type { Principal } from '../../proto/gen/messages.js';
import { KeysUnavailable } from '../aux-data/claims.js';
import type { GatewayConfig } from '../config.js';
import type { Call } from '../service/call.js';
import { type CheckService, decide } from '../service/check-resources.js';
import type { VerifiedAuxData } from '../service/decider.js';
import { RpcError } from '../service/rpc-error.js';
import { prepare, type Step } from '../service/prepare-call.js';
import { principalOfClaims } from '../service/token-subject.js';
import { denied, type Fields, HeaderFields } from './header-fields.js';
import { Peers } from './peers.js';
import { splitPath } from './path.js';
import { RouteTree } from './routes.js';

/** A request that a proxy asks about. */
export interface ProxiedRequest {
  readonly headers: Fields;
  /** The method and the target (path and query, as sent); undefined: they are in the configured headers. */
  readonly line: { readonly method: string; readonly target: string } | undefined;
}

/** Headers for the upstream: every identity header, empty if its value is unknown. */
export type Identity = readonly (readonly [name: string, value: string])[];

/**
 * Decides requests of proxies: finds the route, then the principal, then asks the engine (docs/gateways.md). Whatever
 * is not clearly allowed is denied.
 */
export class Gateway {
  /** The headers of every answer but an allowing one. */
  readonly nobody: Identity;
  readonly #peers: Peers;
  readonly #routes: RouteTree;
  readonly #reserved: ReadonlySet<string>;

  constructor(
    private readonly config: GatewayConfig,
    private readonly service: CheckService,
    /** The headers are those of the proxied request: its client may not demand a bundle. */
    private readonly steps: readonly Step[],
  ) {
    const { identity, headers, methodHeader, pathHeader } = config;
    const names = [identity.id, identity.roles, ...Object.values(identity.attributes)];
    this.nobody = names.map((name) => [name, ''] as const);
    this.#peers = new Peers(config.peers);
    this.#routes = new RouteTree(config.routes);
    this.#reserved = new Set([
      'authorization',
      methodHeader,
      pathHeader,
      ...names,
      ...(headers === undefined ? [] : [headers.id, headers.roles]),
    ]);
  }

  /**
   * Returns the identity of the principal if the request is allowed. Rejects with an RpcError otherwise:
   * `unauthenticated`, `permission_denied`, or any other code if there is no decision.
   */
  async decide(call: Call, request: ProxiedRequest): Promise<Identity> {
    call.id = this.service.callIds.next(call.timestamp);
    if (!this.#peers.includes(call.peer().address)) throw denied('the peer is not in `server.gateway.peers`');
    const fields = new HeaderFields(request.headers, this.#reserved);
    call.clientAuthorization = () => fields.only('authorization');
    const { method, target } = request.line ?? this.#lineOf(fields);
    const segments = splitPath(target);
    if ('problem' in segments) throw denied(segments.problem);
    const routed = this.#routes.find(method, segments);
    if (routed === undefined) throw denied('no route matches');
    const { principal, auxData } = await this.#principalOf(call, fields);
    const { kind, id, action, attr } = routed;
    const question = {
      principal,
      resources: [{ resource: { kind, policyVersion: '', id, attr, scope: '' }, actions: [action] }],
      auxData,
      includeMeta: false,
    };
    await prepare(this.steps, call, [principal], () => ({ checks: [question] }));
    const [decision] = decide(this.service, call, { requestId: '', ...question, requestContext: undefined });
    if (decision?.actions[0]?.effect !== 1) throw denied('the policies deny the request');
    return this.#identityOf(principal);
  }

  #lineOf(fields: HeaderFields): { readonly method: string; readonly target: string } {
    const { methodHeader, pathHeader } = this.config;
    const method = fields.only(methodHeader);
    const target = fields.only(pathHeader);
    if (method === undefined) throw denied(`header \`${methodHeader}\` is missing`);
    if (target === undefined) throw denied(`header \`${pathHeader}\` is missing`);
    return { method, target };
  }

  async #principalOf(
    call: Call,
    fields: HeaderFields,
  ): Promise<{ readonly principal: Principal; readonly auxData: VerifiedAuxData }> {
    const { headers } = this.config;
    if (headers !== undefined) return { principal: principalOfHeaders(fields, headers), auxData: NO_CLAIMS };
    const token = readBearer(fields.only('authorization'));
    const auxData = await this.#verified(call, token);
    return { principal: provenBy(() => principalOfClaims(this.config.token, auxData.jwt)), auxData };
  }

  async #verified(call: Call, token: string): Promise<VerifiedAuxData> {
    const auxData = { jwt: { token, keySetId: this.config.keySet }, jwts: new Map() };
    try {
      return await this.service.verify(auxData, undefined, call.id);
    } catch (error) {
      if (error instanceof KeysUnavailable) throw new RpcError('unavailable', error.message);
      throw unauthenticated('the token is not valid');
    }
  }

  #identityOf({ id, roles, attr }: Principal): Identity {
    const { identity } = this.config;
    return [
      [identity.id, headerValue(id)],
      // A role with a comma would be two.
      [identity.roles, headerValue(roles.some((role) => role.includes(',')) ? undefined : roles.join(','))],
      ...Object.entries(identity.attributes).map(
        ([name, header]) => [header, headerValue(Object.hasOwn(attr, name) ? attr[name] : '')] as const,
      ),
    ];
  }
}

const NO_CLAIMS: VerifiedAuxData = { jwt: {}, jwts: {} };

function readBearer(authorization: string | undefined): string {
  const [scheme, token, ...more] = (authorization ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'bearer' || token === undefined || token === '' || more.length > 0)
    throw unauthenticated('the request has no token');
  return token;
}

function principalOfHeaders(fields: HeaderFields, names: { readonly id: string; readonly roles: string }): Principal {
  const id = fields.only(names.id) ?? '';
  const roles = (fields.only(names.roles) ?? '').split(',').flatMap((role) => role.trim() || []);
  if (id === '') throw unauthenticated(`header \`${names.id}\` is missing`);
  if (roles.length === 0) throw unauthenticated(`header \`${names.roles}\` is missing`);
  return { id, policyVersion: '', roles: [...new Set(roles)], attr: {}, scope: '', actors: [] };
}

/** A token that is valid but not for this gateway proves no principal. */
function provenBy(principal: () => Principal): Principal {
  try {
    return principal();
  } catch (error) {
    throw error instanceof RpcError ? unauthenticated(error.message) : error;
  }
}

/** Throws an RpcError for a value that the upstream might read as another one. */
function headerValue(value: unknown): string {
  const text =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
  if (text === undefined || !/^(?:[!-~](?:[ -~]*[!-~])?)?$/.test(text))
    throw denied('the identity of the principal cannot be written in headers');
  return text;
}

function unauthenticated(reason: string): RpcError {
  return new RpcError('unauthenticated', reason);
}
