import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ListeningServer, serve } from '../../server/main.js';
import { fakeDecider } from './fake-decider.js';
import { send } from './http-client.js';
import { profileConfig } from './profile.js';
import { RELEASE } from './start.js';

/** The recorded HTTP cases that no decision of a policy takes part in: how requests are read, validated, limited and refused. */
const folder = fileURLToPath(new URL('../../../shared/cases/', import.meta.url));
const recorded = suite('recorded http cases');

interface Case {
  readonly id: string;
  readonly group: string;
  readonly title: string;
  readonly profile: 'main' | 'limits' | 'bare';
  readonly method: string;
  readonly path: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: unknown;
  readonly bodyRaw?: string;
  readonly bodyBase64?: string;
  readonly want: Want;
}

interface Want {
  readonly status: number;
  readonly compare: string;
  readonly body?: unknown;
  readonly oracleBody?: { readonly message?: string; readonly details?: unknown };
  readonly headers?: { readonly [name: string]: string | null };
}

const GROUPS = new Set(['json', 'valid', 'limits', 'info', 'http', 'cors', 'values', 'aux']);
/** Not of this server yet: plans, metrics, the explorer, the admin API. */
const LATER = /^(\/api\/plan\/|\/_authz\/metrics|\/$|\/admin\/|\/schema\/|\/api\/check(_resource_batch)?$)/;

if (existsSync(`${folder}http-cases.json`)) addCases();
else console.log('skipped: the recorded http cases are not here');
recorded.run();

function addCases(): void {
  const { cases } = JSON.parse(readFileSync(`${folder}http-cases.json`, 'utf8')) as { readonly cases: readonly Case[] };
  const servers = new Map<string, ListeningServer>();
  recorded.before(async () => {
    for (const profile of ['main', 'limits', 'bare']) servers.set(profile, await serve(profileConfig(folder, profile), fakeDecider, RELEASE));
  });
  recorded.after(async () => {
    await Promise.all([...servers.values()].map((server) => server.close()));
  });
  for (const item of cases) {
    if (!GROUPS.has(item.group) || (LATER.test(item.path) && item.id !== 'http-15')) continue;
    recorded(`${item.id}: ${item.title}`, async () => {
      const server = servers.get(item.profile) as ListeningServer;
      compare(item, await send(server.httpAddress, item.method, item.path, bodyOf(item), item.headers));
    });
  }
}

function bodyOf(item: Case): string | Buffer | undefined {
  if (item.bodyRaw !== undefined) return item.bodyRaw;
  if (item.bodyBase64 !== undefined) return Buffer.from(item.bodyBase64, 'base64');
  return item.body === undefined ? undefined : JSON.stringify(item.body, repeat);
}

/** `{"$repeat": ["y", 3]}` stands for `yyy`. */
function repeat(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, '$repeat')) return value;
  const [text, times] = (value as { readonly $repeat: readonly [string, number] }).$repeat;
  return text.repeat(times);
}

function compare(item: Case, answer: Awaited<ReturnType<typeof send>>): void {
  const { want } = item;
  assert.is(answer.status, want.status, answer.text);
  for (const [name, pattern] of Object.entries(want.headers ?? {})) {
    const value = answer.headers[name.toLowerCase()];
    if (pattern === null) assert.is(value, undefined, name);
    else assert.match(String(value), new RegExp(pattern), name);
  }
  if (want.compare === 'text') assert.is(answer.text.trim(), String(want.body).trim());
  if (want.status === 200 || typeof want.body !== 'object') return;
  const { code, message, details } = JSON.parse(answer.text) as { code: number; message: string; details?: unknown };
  const wanted = want.body as { readonly code: number; readonly message?: string };
  assert.is(code, wanted.code);
  if (wanted.message !== undefined) assert.is(message, wanted.message);
  if (item.group === 'valid') assert.equal(details, want.oracleBody?.details ?? (wanted as { details?: unknown }).details);
}
