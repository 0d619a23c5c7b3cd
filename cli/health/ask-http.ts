import { request } from 'node:http';
import type { Socket } from 'node:net';

/** What a server said of its health. */
export interface HealthAnswer {
  readonly serving: boolean;
  /** As it said it. */
  readonly text: string;
}

/** More than a health answer has, in characters. */
const LONGEST = 4096;

/** Asks over HTTP. Rejects when there is no answer. */
export function askHttp(socket: Socket): Promise<HealthAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { createConnection: () => socket, path: '/_authz/health', headers: { host: 'localhost', connection: 'close' } },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
          if (text.length > LONGEST) asked.destroy(new Error('the answer is not that of a health check'));
        });
        response.on('error', reject);
        response.on('end', () =>
          resolve({ serving: response.statusCode === 200 && isServing(text), text: text.trim() }),
        );
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}

function isServing(text: string): boolean {
  try {
    return (JSON.parse(text) as { readonly status?: unknown } | null)?.status === 'SERVING';
  } catch {
    return false;
  }
}
