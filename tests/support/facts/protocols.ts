import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, credentials, loadPackageDefinition, type ServiceError } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { grpcClient } from '../../../packages/client/grpc.js';
import { connectClient, restClient } from '../../../packages/client/index.js';
import { decideWith, mcpGuard } from '../../../packages/mcp-guard/index.js';
import type { ListeningServer } from '../../../server/main.js';
import { send } from '../server/http-client.js';
import { ADMIN, gatewayPath } from './served.js';

/** One question: may this principal do this? */
export interface Question {
  readonly principal: {
    readonly id: string;
    readonly roles: readonly string[];
    readonly attr?: { readonly [name: string]: unknown };
  };
  readonly kind: string;
  readonly id: string;
  readonly action: string;
  readonly attr?: { readonly [name: string]: unknown };
  /** The header `authorization` of whoever asks, or whose request a proxy asks about. */
  readonly authorization?: string;
}

/** What a protocol says. Anything but the first three is a mistake. */
export type Outcome = 'allow' | 'deny' | 'unavailable' | `error: ${string}`;

/** A way in which a server is asked. */
export interface Protocol {
  readonly name: string;
  /** Whether the caller can send attributes. */
  readonly sends: boolean;
  ask(server: ListeningServer, question: Question): Promise<Outcome>;
}

async function post(server: ListeningServer, path: string, body: object, headers = {}): ReturnType<typeof send> {
  return send(server.httpAddress, 'POST', path, JSON.stringify(body), {
    'content-type': 'application/json',
    ...headers,
  });
}

type Answer = Awaited<ReturnType<typeof send>>;

function outcomeOf({ status, text }: Answer, isAllowed: (body: never) => boolean): Outcome {
  if (status === 503) return 'unavailable';
  if (status !== 200) return `error: ${status} ${text}`;
  return isAllowed(JSON.parse(text) as never) ? 'allow' : 'deny';
}

function toSubject({ principal }: Question): object {
  return { type: 'user', id: principal.id, properties: { ...principal.attr, 'authz.roles': principal.roles } };
}

function resourceOf({ kind, id, attr }: Question): object {
  return { kind, id, attr };
}

/** Clients are asked through their interface. */
async function asked(work: () => Promise<boolean>): Promise<Outcome> {
  try {
    return (await work()) ? 'allow' : 'deny';
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    return code === 'unavailable' ? 'unavailable' : `error: ${String(error)}`;
  }
}

function credentialsOf({ authorization }: Question): { readonly [name: string]: string } {
  return authorization === undefined ? {} : { authorization };
}

interface Closing {
  close?(): void;
}

function byClient(
  name: string,
  create: (
    server: ListeningServer,
    headers: { readonly [name: string]: string },
  ) => Parameters<typeof decideWith>[0] & Closing,
): Protocol {
  return {
    name,
    sends: true,
    ask: async (server, question) => {
      const { principal, kind, id, action, attr = {} } = question;
      const client = create(server, credentialsOf(question));
      try {
        return await asked(() => client.isAllowed({ principal, resource: { kind, id, attr }, action } as never));
      } finally {
        client.close?.();
      }
    },
  };
}

const ENVOY = `syntax = "proto3";
package envoy.service.auth.v3;
message HttpRequest { string method = 2; map<string, string> headers = 3; string path = 4; }
message Request { HttpRequest http = 2; }
message AttributeContext { Request request = 4; }
message CheckRequest { AttributeContext attributes = 1; }
message Status { int32 code = 1; }
message HttpStatus { int32 code = 1; }
message DeniedHttpResponse { HttpStatus status = 1; }
message OkHttpResponse {}
message CheckResponse {
  Status status = 1;
  oneof http_response { DeniedHttpResponse denied_response = 2; OkHttpResponse ok_response = 3; }
}
service Authorization { rpc Check(CheckRequest) returns (CheckResponse); }
`;

function envoyClient(address: string): Client {
  const folder = mkdtempSync(join(tmpdir(), 'authz-envoy-'));
  const file = join(folder, 'envoy.proto');
  writeFileSync(file, ENVOY);
  const definition = loadSync(file, { keepCase: true, oneofs: true });
  rmSync(folder, { recursive: true });
  const { envoy } = loadPackageDefinition(definition) as never as {
    envoy: { service: { auth: { v3: { Authorization: new (address: string, options: object) => Client } } } };
  };
  return new envoy.service.auth.v3.Authorization(address, credentials.createInsecure());
}

function ofGateway(status: number): Outcome {
  if (status === 200) return 'allow';
  if (status === 403) return 'deny';
  return status === 503 ? 'unavailable' : `error: ${status}`;
}

const pathOf = ({ kind, id, action }: Question): string => gatewayPath(kind, encodeURIComponent(id), action);
const identityOf = (question: Question) => ({
  'x-user-id': question.principal.id,
  'x-user-roles': question.principal.roles.join(','),
  ...credentialsOf(question),
});

type Effects = { readonly [action: string]: string };

/** Every way in which a server decides. */
export const PROTOCOLS: readonly Protocol[] = [
  byClient('REST', ({ httpAddress }, headers) => restClient({ url: `http://${httpAddress}`, headers })),
  byClient('Connect', ({ httpAddress }, headers) => connectClient({ url: `http://${httpAddress}`, headers })),
  byClient('gRPC', ({ grpcAddress }, metadata) => grpcClient({ address: grpcAddress, metadata })),
  {
    name: 'CheckResourceSet',
    sends: true,
    ask: async (server, question) => {
      const { principal, kind, id, action, attr = {} } = question;
      const answer = await post(
        server,
        '/api/check',
        {
          requestId: 'r',
          actions: [action],
          principal,
          resource: { kind, instances: { [id]: { attr } } },
        },
        credentialsOf(question),
      );
      return outcomeOf(
        answer,
        (body: { readonly resourceInstances: { readonly [id: string]: { readonly actions: Effects } } }) =>
          body.resourceInstances[id]?.actions[action] === 'EFFECT_ALLOW',
      );
    },
  },
  {
    name: 'CheckResourceBatch',
    sends: true,
    ask: async (server, question) => {
      const { principal, action } = question;
      const answer = await post(
        server,
        '/api/check_resource_batch',
        {
          requestId: 'r',
          principal,
          resources: [{ actions: [action], resource: resourceOf(question) }],
        },
        credentialsOf(question),
      );
      return outcomeOf(
        answer,
        (body: { readonly results: readonly { readonly actions: Effects }[] }) =>
          body.results[0]?.actions[action] === 'EFFECT_ALLOW',
      );
    },
  },
  {
    name: 'AuthZEN evaluation',
    sends: true,
    ask: async (server, question) => {
      const { kind, id, action, attr = {} } = question;
      const answer = await post(
        server,
        '/access/v1/evaluation',
        {
          subject: toSubject(question),
          resource: { type: kind, id, properties: attr },
          action: { name: action },
        },
        credentialsOf(question),
      );
      return outcomeOf(answer, (body: { readonly decision: boolean }) => body.decision);
    },
  },
  {
    name: 'AuthZEN evaluations',
    sends: true,
    ask: async (server, question) => {
      const { kind, id, action, attr = {} } = question;
      const answer = await post(
        server,
        '/access/v1/evaluations',
        {
          evaluations: [
            {
              subject: toSubject(question),
              resource: { type: kind, id, properties: attr },
              action: { name: action },
            },
          ],
        },
        credentialsOf(question),
      );
      return outcomeOf(
        answer,
        (body: { readonly evaluations: readonly { readonly decision: boolean }[] }) =>
          body.evaluations[0]?.decision === true,
      );
    },
  },
  {
    name: 'AuthZEN action search',
    sends: true,
    ask: async (server, question) => {
      const { kind, id, action, attr = {} } = question;
      const answer = await post(
        server,
        '/access/v1/search/action',
        {
          subject: toSubject(question),
          resource: { type: kind, id, properties: attr },
        },
        credentialsOf(question),
      );
      return outcomeOf(answer, (body: { readonly results: readonly { readonly name: string }[] }) =>
        body.results.some(({ name }) => name === action),
      );
    },
  },
  {
    name: 'ExplainDecision',
    sends: true,
    ask: async (server, question) => {
      const { principal, action } = question;
      const answer = await post(
        server,
        '/admin/explain/decision',
        { principal, resource: resourceOf(question), action },
        { authorization: ADMIN },
      );
      return outcomeOf(answer, (body: { readonly effect: string }) => body.effect === 'EFFECT_ALLOW');
    },
  },
  {
    name: 'forward auth',
    sends: false,
    ask: async (server, question) => {
      const headers = {
        ...identityOf(question),
        'x-forwarded-method': 'GET',
        'x-forwarded-uri': pathOf(question),
      };
      return ofGateway((await send(server.httpAddress, 'GET', '/_authz/forward-auth', undefined, headers)).status);
    },
  },
  {
    name: 'ext_authz over HTTP',
    sends: false,
    ask: async (server, question) => {
      const path = `/_authz/ext-authz${pathOf(question)}`;
      return ofGateway((await send(server.httpAddress, 'GET', path, undefined, identityOf(question))).status);
    },
  },
  {
    name: 'ext_authz over gRPC',
    sends: false,
    ask: async (server, question) => {
      const client = envoyClient(server.grpcAddress);
      const http = { method: 'GET', path: pathOf(question), headers: identityOf(question) };
      try {
        return await new Promise<Outcome>((resolve) => {
          (client as never as { Check: (request: object, done: (...result: never[]) => void) => void }).Check(
            { attributes: { request: { http } } },
            ((error: ServiceError | null, answer: { denied_response?: { status: { code: number } } }) =>
              resolve(
                error === null ? ofGateway(answer.denied_response?.status.code ?? 200) : `error: ${error.message}`,
              )) as never,
          );
        });
      } finally {
        client.close();
      }
    },
  },
  {
    name: 'MCP guard',
    sends: false,
    ask: async (server, question) => {
      const { principal, kind, id, action } = question;
      const client = restClient({ url: `http://${server.httpAddress}`, headers: credentialsOf(question) });
      const guard = mcpGuard({
        server: 'docs',
        tools: [
          {
            name: 'tool',
            inputSchema: {
              type: 'object',
              properties: { id: { type: 'string' } },
              required: ['id'],
              'x-authzen-mapping': {
                evaluation: { action: { name: action }, resource: { type: kind, id: '$params.arguments.id' } },
              },
            },
          },
        ],
        decisionPoint: decideWith(client as never, () => principal as never),
      });
      const refusal = await guard.refusalOf(
        { method: 'tools/call', params: { name: 'tool', arguments: { id } } },
        { sub: principal.id, aud: ['docs'] },
      );
      if (refusal === undefined) return 'allow';
      if (refusal.reason === 'denied') return 'deny';
      const isUnavailable = refusal.reason === 'no-answer' && refusal.detail.includes('facts are not available');
      return isUnavailable ? 'unavailable' : `error: ${JSON.stringify(refusal)}`;
    },
  },
];
