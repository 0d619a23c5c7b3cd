import { Agent, request } from 'node:http';
import { Client, credentials } from '@grpc/grpc-js';
import { fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import { CHECK } from '../cli/policies.js';
import { findMessage } from '../protobuf.js';
import { LAST_RESORT } from '../timeout.js';

/** The results of the load. */
export interface Load {
  /** The number of responses by the policies that decided. */
  readonly answers: { view: number; edit: number };
  /** Responses that match neither: wrong decisions. */
  readonly wrong: string[];
  /** Calls without a response on an accepted connection. */
  readonly failed: string[];
  /** Refused connections: nothing listened. */
  refused: number;
  /** Stops the load, and resolves when the last responses are in. */
  readonly stop: () => Promise<void>;
}

/**
 * Sends requests over REST and gRPC with `clients` clients each, and compares every response. REST clients keep their
 * connection, or use a new one for each request.
 */
export function startLoad(http: string, grpc: string, clients = 4, keepAlive = true): Load {
  let isStopping = false;
  const load: Load = { answers: { view: 0, edit: 0 }, wrong: [], failed: [], refused: 0, stop };
  const agent = new Agent({ keepAlive, maxSockets: clients });
  const client = new Client(grpc, credentials.createInsecure());
  const loops = Array.from({ length: clients }, () => [
    loop(() => askRest(http, agent)),
    loop(() => askGrpc(client)),
  ]).flat();

  async function loop(ask: () => Promise<string>): Promise<void> {
    while (!isStopping) {
      try {
        count(await ask());
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        const isRefused = code === 'ECONNREFUSED' || /ECONNREFUSED|No connection established/.test(message);
        if (!isRefused) load.failed.push(`${code ?? ''} ${message}`);
        else {
          load.refused++;
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      }
    }
  }

  function count(answer: string): void {
    if (answer === VIEW) load.answers.view++;
    else if (answer === EDIT) load.answers.edit++;
    else load.wrong.push(answer);
  }

  async function stop(): Promise<void> {
    isStopping = true;
    await Promise.all(loops);
    agent.destroy();
    client.close();
  }

  return load;
}

/** The longest time that a call may take, in milliseconds. */
const CALL_TIMEOUT = LAST_RESORT / 5;
const VIEW = 'EFFECT_ALLOW EFFECT_DENY';
const EDIT = 'EFFECT_DENY EFFECT_ALLOW';

const REQUEST = findMessage('authz.request.v1.CheckResourcesRequest');
const RESPONSE = findMessage('authz.response.v1.CheckResourcesResponse');
const BYTES = Buffer.from(toBinary(REQUEST, fromJson(REQUEST, CHECK)));
const JSON_BODY = JSON.stringify(CHECK);

/** The decisions about viewing and editing. Rejects when there is no response. */
export function askRest(http: string, agent: Agent | false, patience = CALL_TIMEOUT): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request(
      `http://${http}/api/check/resources`,
      { method: 'POST', agent, signal: AbortSignal.timeout(patience) },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve(response.statusCode === 200 ? decisions(JSON.parse(text)) : `${response.statusCode} ${text}`),
        );
        response.on('error', reject);
      },
    );
    call.on('error', reject);
    call.end(JSON_BODY);
  });
}

/** The same over gRPC. */
export function askGrpc(client: Client): Promise<string> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      '/authz.svc.v1.AuthzService/CheckResources',
      same,
      same,
      BYTES,
      { deadline: Date.now() + CALL_TIMEOUT },
      (error, answer) => {
        if (error !== null) reject(error);
        else resolve(decisions(toJson(RESPONSE, fromBinary(RESPONSE, answer as Buffer))));
      },
    );
  });
}

function decisions(answer: unknown): string {
  const { actions } =
    (answer as { readonly results: readonly { readonly actions: { readonly view: string; readonly edit: string } }[] })
      .results[0] ?? {};
  return `${actions?.view} ${actions?.edit}`;
}

function same(bytes: Buffer): Buffer {
  return bytes;
}
