import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium } from 'playwright-core';
import { LAST_RESORT } from '../timeout.js';

const CHROMIUM = '/usr/bin/chromium';
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Whether a browser is installed. */
export const hasBrowser = existsSync(CHROMIUM);

/** A content security policy under which strings cannot be evaluated as code. */
const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'";

const PAGE = '<!doctype html><meta charset="utf-8"><script type="module" src="/page.js"></script>';
/** Also reports whether evaluating strings is really forbidden. */
const SCRIPT = `import { answers } from './program.js';
let forbids = false;
try { new Function('return 1')(); } catch { forbids = true; }
let body;
try { body = JSON.stringify({ forbids, text: await answers() }); } catch (error) { body = JSON.stringify({ forbids, text: String(error) }); }
await fetch('/answers', { method: 'POST', body });`;

let running: Promise<Browser> | undefined;

/** Ends the browser that `inBrowser` started, if it did. */
export async function closeBrowser(): Promise<void> {
  await (await running)?.close();
  running = undefined;
}

/**
 * Runs a program in a page whose policy forbids eval, and returns its answers. The first call starts a browser, which the
 * caller must close with `closeBrowser`.
 *
 * @param document the page, which loads `page.js`.
 */
export async function inBrowser(
  program: string,
  document = PAGE,
): Promise<{ readonly forbids: boolean; readonly text: string }> {
  const served: { readonly [path: string]: readonly [type: string, body: string] } = {
    '/': ['text/html', document],
    '/page.js': ['text/javascript', SCRIPT],
    '/program.js': ['text/javascript', program],
  };
  let answer: (text: string) => void = () => {};
  const answered = new Promise<string>((resolve) => {
    answer = resolve;
  });
  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.end();
        answer(Buffer.concat(chunks).toString());
      });
      return;
    }
    const [type, body] = served[request.url ?? ''] ?? ['text/plain', ''];
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': POLICY }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  running ??= chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS, timeout: LAST_RESORT });
  const context = await (await running).newContext();
  try {
    const page = await context.newPage();
    const failed = new Promise<string>((resolve) =>
      page.on('pageerror', (error) => resolve(JSON.stringify({ forbids: true, text: String(error) }))),
    );
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { timeout: LAST_RESORT });
    return JSON.parse(await Promise.race([answered, failed, tooLong('the browser')])) as {
      forbids: boolean;
      text: string;
    };
  } finally {
    await context.close();
    server.closeAllConnections();
    server.close();
  }
}

function tooLong(who: string): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`${who} did not answer`)), LAST_RESORT).unref();
  });
}
