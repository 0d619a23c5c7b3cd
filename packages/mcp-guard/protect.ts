import type { Claims } from './decision-point.js';
import type { McpGuard, McpRefusal, McpRequest } from './guard.js';

/** A server of the protocol's SDK, or what behaves alike. */
export interface ProtectedServer<T> {
  connect(transport: T): Promise<void>;
}

/** A transport of the protocol's SDK: the part that passes messages. */
export interface MessageTransport {
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  send(message: never, options?: never): Promise<void>;
}

/** What a transport knows of the sender of a message. */
export interface MessageOrigin {
  /** What the verifier of the token has found, where the transport has one. */
  readonly authInfo?: { readonly token: string; readonly clientId: string; readonly extra?: object | undefined };
}

/**
 * Puts a guard in front of a server: every request that arrives after this is decided before the server sees it. Call it
 * before `connect`.
 *
 * @example
 * import { inProcessClient } from 'authz/client';
 * import { decideWith, mcpGuard, protect } from 'authz/mcp';
 * import { policies } from './dist/policies.js';
 *
 * const inputSchema = {
 *   type: 'object',
 *   properties: { id: { type: 'string' } },
 *   required: ['id'],
 *   'x-authzen-mapping': {
 *     evaluation: { action: { name: 'read' }, resource: { type: 'contact', id: '$params.arguments.id' } },
 *   },
 * };
 * const guard = mcpGuard({
 *   server: 'https://contacts.example/mcp',
 *   tools: [{ name: 'read', inputSchema }],
 *   decisionPoint: decideWith(inProcessClient(policies), ({ roles }) => ({ roles: roles as string[] })),
 * });
 *
 * // In your project, `McpServer` of the SDK.
 * class Server {
 *   connect = async (_transport: object): Promise<void> => undefined;
 * }
 * console.log(protect(new Server(), guard, () => undefined) instanceof Server); // => true
 *
 * @param claimsOf the claims of the token that has been verified for a message; undefined refuses it.
 */
export function protect<T extends MessageTransport, S extends ProtectedServer<T>>(
  server: S,
  guard: McpGuard,
  claimsOf: (origin: MessageOrigin) => Claims | undefined,
): S {
  const connect = server.connect.bind(server);
  server.connect = (transport: T) => connect(guardedTransport(transport, guard, claimsOf));
  return server;
}

type Receive = (message: Message, extra?: MessageOrigin) => void;

/** A JSON-RPC message. */
interface Message extends McpRequest {
  readonly id?: string | number;
}

/** The transport as the server sees it: what it sets to receive messages gets those that the guard lets pass. */
function guardedTransport<T extends MessageTransport>(
  transport: T,
  guard: McpGuard,
  claimsOf: (origin: MessageOrigin) => Claims | undefined,
): T {
  let receive = transport.onmessage as Receive | undefined;
  const pending = new Pending();
  const arrive = async (message: Message, extra: MessageOrigin = {}): Promise<void> => {
    if (message.method === 'notifications/cancelled') pending.cancel(message);
    // Responses and notifications ask nothing.
    if (message.method === undefined || message.id === undefined) return receive?.(message, extra);
    const entry = pending.begin(message.id);
    const refusal = await guard.refusalOf(message, claimsIn(extra, claimsOf));
    if (!pending.end(message.id, entry)) return;
    if (refusal === undefined) return receive?.(message, extra);
    const response = { jsonrpc: '2.0', id: message.id, ...answerTo(message, refusal) };
    await transport.send(response as never, { relatedRequestId: message.id } as never);
  };
  return new Proxy(transport, {
    get(target, name) {
      if (name === 'onmessage') return receive;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set(target, name, value) {
      if (name !== 'onmessage') return Reflect.set(target, name, value);
      receive = value as Receive | undefined;
      const receiveGuarded: Receive = (message, extra) => {
        arrive(message, extra).catch((error: unknown) => target.onerror?.(error as Error));
      };
      target.onmessage = receiveGuarded as typeof target.onmessage;
      return true;
    },
  });
}

/** A function that cannot tell whose message it is leaves it without claims. */
function claimsIn(origin: MessageOrigin, claimsOf: (origin: MessageOrigin) => Claims | undefined): Claims | undefined {
  try {
    return claimsOf(origin);
  } catch {
    return undefined;
  }
}

/** Requests that are being decided: one that its client cancels meanwhile has no response. */
class Pending {
  private readonly entries = new Map<string | number, object>();

  begin(id: string | number): object {
    const entry = {};
    this.entries.set(id, entry);
    return entry;
  }

  /** Whether the request was not cancelled. */
  end(id: string | number, entry: object): boolean {
    if (this.entries.get(id) !== entry) return false;
    return this.entries.delete(id);
  }

  cancel({ params }: Message): void {
    const { requestId } = (params ?? {}) as { readonly requestId?: string | number };
    if (requestId !== undefined) this.entries.delete(requestId);
  }
}

/** Codes of JSON-RPC. The protocol allows new ones outside of -32768 to -32000 alone. */
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
export const UNVERIFIED = 401;
export const DENIED = 403;

/** The result of a denied call of a tool, which a model sees, or the error of the request. */
function answerTo({ method, params }: Message, { reason }: McpRefusal): object {
  switch (reason) {
    case 'unverified':
      return { error: { code: UNVERIFIED, message: 'a verified subject is required' } };
    case 'mapping':
      return { error: { code: INVALID_PARAMS, message: 'the request cannot be mapped to a decision' } };
    case 'no-answer':
      return { error: { code: INTERNAL_ERROR, message: 'there is no decision' } };
    case 'denied': {
      const message = 'the request is not allowed';
      if (method !== 'tools/call') return { error: { code: DENIED, message } };
      const result = { isError: true, content: [{ type: 'text', text: message }] };
      return { result: isOfNewProtocol(params) ? { resultType: 'complete', ...result } : result };
    }
  }
}

/** Whether a request names its version, as those of 2026-07-28 do. */
function isOfNewProtocol(params: object | undefined): boolean {
  const { _meta } = (params ?? {}) as { readonly _meta?: object };
  return typeof _meta === 'object' && _meta !== null && Object.hasOwn(_meta, 'io.modelcontextprotocol/protocolVersion');
}
