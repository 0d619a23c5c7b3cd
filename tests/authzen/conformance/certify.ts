import { request } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import * as assert from 'uvu/assert';
import type { TestCertificate } from '../../support/certificate.js';
import type { Exchange, Expected, Requirement } from './requirement.js';

/** A server under test. */
export interface Certified {
  readonly address: string;
  readonly certificate: TestCertificate;
}

interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends the requests of a requirement, and fails at the first response that is not the expected one. */
export async function certify({ address, certificate }: Certified, { exchanges }: Requirement): Promise<void> {
  let token = '';
  for (const exchange of exchanges) {
    const sent = bodyOf(exchange, token);
    const { path, expected } = exchange;
    const response = await sendTls(address, certificate.cert, {
      path,
      body: sent,
      headers: exchange.headers ?? { 'Content-Type': 'application/json' },
    });
    const said = `${path} ${sent ?? ''}\n${response.status} ${response.text}`;
    assert.is(response.status, expected.status, said);
    assert.match(response.headers['content-type'] ?? '', /^application\/json\b/, said);
    for (const [name, value] of Object.entries(expected.headers ?? {})) assert.is(response.headers[name], value, said);
    const json = JSON.parse(response.text) as { readonly page?: { readonly next_token?: unknown } };
    token = typeof json.page?.next_token === 'string' ? json.page.next_token : '';
    assertExpected(json, expected, `https://${address}`, said);
  }
}

function bodyOf({ body, isNextPage }: Exchange, token: string): string | undefined {
  if (body === undefined || typeof body === 'string') return body;
  return JSON.stringify(isNextPage === true ? { ...body, page: { token } } : body);
}

function assertExpected(json: object, expected: Expected, base: string, said: string): void {
  if (expected.status === 200) {
    const { page } = json as { readonly page?: { readonly next_token?: unknown } };
    // Tokens are opaque: what counts is whether there is one.
    const known = page?.next_token ? { ...json, page: { ...page, next_token: '<token>' } } : json;
    assert.equal(known, JSON.parse(JSON.stringify(expected.json).replaceAll('<base>', base)), said);
    return;
  }
  const { code, message } = json as { readonly code?: unknown; readonly message?: unknown };
  assert.equal({ code, message }, { code: 3, message: expected.message }, said);
}

function sendTls(
  address: string,
  ca: string,
  { path, body, headers }: { readonly path: string; readonly body: string | undefined; readonly headers: object },
): Promise<Response> {
  const [host, port] = address.split(':');
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const call = request({ host, port, path, method, headers: { ...headers }, ca, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    call.on('error', reject);
    call.end(body);
  });
}
