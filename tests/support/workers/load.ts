import { Agent, request } from 'node:http';
import { Client, credentials } from '@grpc/grpc-js';
import { createFileRegistry, type DescMessage, fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { descriptorSet } from '../../../proto/gen/descriptors.js';
import { CHECK } from '../cli/policies.js';

/** What came of asking again and again. */
export interface Load {
  /** By the policies that the answer is of. */
  readonly answers: { view: number; edit: number };
  /** Answers that are of neither: wrong decisions. */
  readonly wrong: string[];
  /** Calls that got no answer on a connection that had been accepted. */
  readonly failed: string[];
  /** Connections that were refused: nobody listened. */
  refused: number;
  /** Asks no more; resolves when the last answers are in. */
  readonly stop: () => Promise<void>;
}

/**
 * Asks over REST and over gRPC, `clients` at a time each, and compares every answer. Over REST a connection is kept, or
 * each request makes its own.
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

/** A call that takes longer got no answer. */
const PATIENCE = 30_000;
const VIEW = 'EFFECT_ALLOW EFFECT_DENY';
const EDIT = 'EFFECT_DENY EFFECT_ALLOW';

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, Buffer.from(descriptorSet, 'base64')));
const REQUEST = registry.getMessage('authz.request.v1.CheckResourcesRequest') as DescMessage;
const RESPONSE = registry.getMessage('authz.response.v1.CheckResourcesResponse') as DescMessage;
const BYTES = Buffer.from(toBinary(REQUEST, fromJson(REQUEST, CHECK)));
const JSON_BODY = JSON.stringify(CHECK);

/** The decisions about viewing and editing. Rejects when there is no answer. */
export function askRest(http: string, agent: Agent | false, patience = PATIENCE): Promise<string> {
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
      { deadline: Date.now() + PATIENCE },
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
