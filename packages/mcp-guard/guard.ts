import type { Attributes } from '../../runtime/policy/index.js';
import type { JsonObject } from '../cel/runtime/index.js';
import { type CallSchema, readCallSchema } from './call-schema.js';
import type { Claims, DecisionPoint } from './decision-point.js';
import { isObject, own } from './evaluation.js';
import { compileMapping, type Mapping, type MappingProblem } from './mapping.js';
import { METHODS, type MethodRule } from './methods.js';

/** A tool of a server, as `tools/list` describes it. */
export interface GuardedTool {
  readonly name: string;
  /** A JSON schema. Its `x-authzen-mapping` says what a call asks; without it, the name of the tool is the resource. */
  readonly inputSchema: object;
}

/** Options of `mcpGuard`. */
export interface McpGuardOptions {
  /** Every tool: calls of others are refused. */
  readonly tools: readonly GuardedTool[];
  /** The identifier of the server, which must be an audience of a token that asks about the server as a whole. */
  readonly server: string;
  readonly decisionPoint: DecisionPoint;
  /** The claim that is the id of the subject: `sub` by default. */
  readonly subjectClaim?: string;
  /** Told of each refusal, for a log: clients get no details. */
  readonly onRefusal?: (refusal: McpRefusal, request: McpRequest) => void;
}

/** A JSON-RPC request of the protocol. */
export interface McpRequest {
  readonly method: string;
  readonly params?: object | undefined;
}

/** Why a request is refused. */
export interface McpRefusal {
  /**
   * `unverified`: there is no verified subject. `mapping`: the request cannot be mapped. `denied`: by the decision, or
   * because the method is unknown. `no-answer`: the decision point has failed.
   */
  readonly reason: 'unverified' | 'mapping' | 'denied' | 'no-answer';
  /** Detail for the log of the server. */
  readonly detail: string;
}

/** Decides the requests of clients. */
export interface McpGuard {
  /**
   * Undefined if a request is allowed. Never rejects.
   *
   * @param token the claims of the verified token; undefined if there is none.
   */
  refusalOf(request: McpRequest, token: Claims | undefined): Promise<McpRefusal | undefined>;
}

/** Mappings that cannot be used. */
export class MappingError extends Error {
  override readonly name = 'MappingError';

  /** @param problems by tool. */
  constructor(readonly problems: readonly (MappingProblem & { readonly tool: string })[]) {
    super(problems.map(({ tool, path, message }) => `${tool}: ${path && `${path}: `}${message}`).join('\n'));
  }
}

/**
 * Makes the guard of a server. Throws a MappingError if a mapping does not compile or does not suit its tool.
 *
 * @example
 * import { inProcessClient } from 'authz/client';
 * import { decideWith, mcpGuard } from 'authz/mcp';
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
 * const call = { method: 'tools/call', params: { name: 'read', arguments: { id: 'c1' } } };
 * const token = { sub: 'ann', roles: ['user'], client_id: 'assistant' };
 * console.log(await guard.refusalOf(call, token)); // => undefined
 * console.log((await guard.refusalOf(call, undefined))?.reason); // => unverified
 */
export function mcpGuard({
  tools,
  server,
  decisionPoint,
  subjectClaim = 'sub',
  onRefusal = () => {},
}: McpGuardOptions): McpGuard {
  const calls = makeCalls(tools);
  const methods = new Map([...METHODS].map(([method, rule]) => [method, findMapping(method, rule, server)]));

  async function refusalOf(request: McpRequest, token: Claims | undefined): Promise<McpRefusal | undefined> {
    const { method } = request;
    if (METHODS.get(method) === 'passes' || method.startsWith('notifications/')) return undefined;
    const byMethod = methods.get(method);
    if (byMethod === undefined) return { reason: 'denied', detail: `the method ${JSON.stringify(method)} is unknown` };
    const id = token && own(token, subjectClaim);
    if (token === undefined || typeof id !== 'string' || id === '')
      return { reason: 'unverified', detail: `there is no token with the claim ${JSON.stringify(subjectClaim)}` };
    const params: JsonObject = isObject(request.params) ? request.params : {};
    if (METHODS.get(method) === 'server' && !isAudience(token, server))
      return { reason: 'mapping', detail: 'the server is not an audience of the token' };
    const call = method === 'tools/call' ? makeCall(params, calls) : undefined;
    if (typeof call === 'string') return { reason: 'mapping', detail: call };
    const mapping = call?.mapping ?? byMethod;
    const evaluations = mapping({ params: call?.params ?? params, token }, { id });
    if (typeof evaluations === 'string') return { reason: 'mapping', detail: evaluations };
    try {
      const decisions = await Promise.all(evaluations.map((evaluation) => decisionPoint(evaluation, token)));
      return decisions.every((isAllowed) => isAllowed === true)
        ? undefined
        : { reason: 'denied', detail: 'the decision point denies it' };
    } catch (error) {
      return { reason: 'no-answer', detail: error instanceof Error ? error.message : 'the decision point failed' };
    }
  }

  return {
    async refusalOf(request, token) {
      const refusal = await refusalOf(request, token);
      if (refusal !== undefined) onRefusal(refusal, request);
      return refusal;
    },
  };
}

/** A tool whose mapping is compiled. */
interface GuardedCall {
  readonly schema: CallSchema;
  /** Undefined if the tool has none. */
  readonly mapping: Mapping | undefined;
}

function makeCalls(tools: readonly GuardedTool[]): ReadonlyMap<string, GuardedCall> {
  const problems: (MappingProblem & { readonly tool: string })[] = [];
  const calls = new Map<string, GuardedCall>();
  for (const { name: tool, inputSchema } of tools) {
    const { [MAPPING]: mapping, ...input } = inputSchema as { readonly [key: string]: unknown };
    const schema = readCallSchema(tool, input);
    if (typeof schema === 'string') problems.push({ tool, path: 'inputSchema', message: schema });
    else if (mapping === undefined) calls.set(tool, { schema, mapping: undefined });
    else {
      const compiled = compileMapping(mapping, schema);
      if (typeof compiled === 'function') calls.set(tool, { schema, mapping: compiled });
      else problems.push(...compiled.map((problem) => ({ tool, ...problem })));
    }
  }
  if (problems.length > 0) throw new MappingError(problems);
  return calls;
}

/** The keyword of a tool's schema. */
const MAPPING = 'x-authzen-mapping';

/** The mapping of a call and its parameters, or why there is none. */
function makeCall(
  params: JsonObject,
  calls: ReadonlyMap<string, GuardedCall>,
): { readonly mapping: Mapping | undefined; readonly params: Attributes } | string {
  const name = own(params, 'name');
  const call = typeof name === 'string' ? calls.get(name) : undefined;
  if (call === undefined) return 'the tool is unknown';
  const whole = { ...params, arguments: own(params, 'arguments') ?? {} };
  const [violation] = call.schema.violations(whole);
  if (violation !== undefined) return `${violation.path}: ${violation.message}`;
  return { mapping: call.mapping, params: whole };
}

/** The mapping of a method whose requests have none of their own. */
function findMapping(method: string, rule: MethodRule, server: string): Mapping | undefined {
  if (rule === 'passes') return undefined;
  const resource = rule === 'server' ? { type: 'mcp_server', id: server.replace(/^\$/, '$$$$') } : rule;
  return compileMapping({ evaluation: { action: { name: method }, resource } }) as Mapping;
}

function isAudience(token: Claims, server: string): boolean {
  const audience = own(token, 'aud');
  return Array.isArray(audience) ? audience.includes(server) : audience === server;
}
