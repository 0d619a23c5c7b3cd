import { request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly text: string;
}

/** Sends one request on its own connection; the body is sent unchanged. */
export function send(
  address: string,
  method: string,
  path: string,
  body?: string | Buffer,
  headers: { readonly [name: string]: string } = {},
): Promise<Answer> {
  const [host, port] = address.split(':');
  return new Promise((resolve, reject) => {
    const call = request({ host, port, method, path, headers: { ...headers }, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        });
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}
