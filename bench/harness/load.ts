import { Agent, request } from 'node:http';
import { Client, credentials } from '@grpc/grpc-js';

/** Sends one request and resolves with the bytes of the response. */
export type Send = (body: Buffer) => Promise<Buffer>;

/** Sends requests over keep-alive connections. */
export function httpSender(address: string): { readonly send: Send; readonly close: () => void } {
  const agent = new Agent({ keepAlive: true });
  const [host, port] = address.split(':');
  const send: Send = (body) =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': body.length };
      const sent = request({ agent, host, port, path: '/api/check/resources', method: 'POST', headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          if (response.statusCode === 200) resolve(Buffer.concat(chunks));
          else reject(new Error(`${response.statusCode}: ${Buffer.concat(chunks).toString('utf8')}`));
        });
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // A server closes connections that are idle, as they are while other servers have their turns.
        if (sent.reusedSocket && error.code === 'ECONNRESET') send(body).then(resolve, reject);
        else reject(error);
      });
      sent.end(body);
    });
  return { send, close: () => agent.destroy() };
}

/**
 * Sends requests over one HTTP/2 connection, already encoded: the client's own encoding must not count as server time.
 */
export function grpcSender(
  address: string,
  method = '/authz.svc.v1.AuthzService/CheckResources',
): { readonly send: Send; readonly close: () => void } {
  // Clients of one address share a connection otherwise.
  const client = new Client(address, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  const same = (bytes: Buffer): Buffer => bytes;
  const send: Send = (body) =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(method, same, same, body, (error, reply) => {
        if (error === null) resolve(reply as Buffer);
        else reject(error);
      });
    });
  return { send, close: () => client.close() };
}

/** Sends a number of requests, never more than `concurrency` at once. */
export async function sendMany(send: Send, body: Buffer, requests: number, concurrency: number): Promise<void> {
  let left = requests;
  const sendNext = async (): Promise<void> => {
    while (left > 0) {
      left--;
      await send(body);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, sendNext));
}

/** Milliseconds that requests take, sorted. Each sender sends its share, never more than `concurrency` at once. */
export async function latenciesOf(
  senders: readonly Send[],
  body: Buffer,
  requests: number,
  concurrency: number,
): Promise<readonly number[]> {
  const latencies: number[] = [];
  const timed = (send: Send): Send => {
    return async (bytes) => {
      const start = performance.now();
      const answer = await send(bytes);
      latencies.push(performance.now() - start);
      return answer;
    };
  };
  await Promise.all(senders.map((send) => sendMany(timed(send), body, requests / senders.length, concurrency)));
  return latencies.sort((a, b) => a - b);
}
