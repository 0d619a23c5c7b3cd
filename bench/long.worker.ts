import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { connectClient } from '../packages/client/connect-client.js';
import { grpcClient } from '../packages/client/grpc.js';
import { restClient } from '../packages/client/rest-client.js';
import { createEngine } from '../runtime/engine/index.js';
import { selects } from '../runtime/residual/index.js';
import { hashPassword } from '../server/admin/password-hash.js';
import { loadConfig } from '../server/config.js';
import { startServer } from '../server/main.js';
import { evaluateBundle } from '../server/swap/evaluate-bundle.js';
import { report } from './harness/child.js';
import { quietLog } from './harness/quiet-log.js';
import { LIBRARIES } from './peers/libraries/libraries.js';
import type { Decide, Question } from './peers/libraries/workload.js';
import { documents } from './peers/libraries/workloads/documents.js';

/*
 * One process for a long time: a server, its clients over three protocols, an engine in process, and other libraries for
 * access control, so that V8 optimises all of them together. Bundles are swapped all the while. Reports a sample at equal
 * intervals, and ends with code 1 when two answers to one question differ.
 */

/** What the process uses after a garbage collection, and what it has done until then. */
export interface LongSample {
  readonly minutes: number;
  /** Bytes. */
  readonly heap: number;
  readonly resident: number;
  /** Files and sockets that are open. */
  readonly descriptors: number;
  readonly calls: number;
  /** How many other libraries decide. */
  readonly libraries: number;
  readonly swaps: number;
}

/** How many swaps an hour has. */
const SWAPS_AN_HOUR = 3_000;
/** How many samples a run has, whatever it takes. */
const SAMPLES = 30;
const QUESTIONS = 1_024;
/** Calls of each kind between two pauses, of this many milliseconds: the process shall live long, not work hard. */
const CALLS = 4;
const PAUSE = 40;

const [path, minutes] = [process.argv[2] as string, Number(process.argv[3])];
const text = readFileSync(path, 'utf8');
const password = 'long-run';
const { config } = loadConfig({
  sets: [
    'server.httpListenAddr=127.0.0.1:0',
    'server.grpcListenAddr=127.0.0.1:0',
    'server.adminAPI.enabled=true',
    'server.adminAPI.adminCredentials.username=admin',
    `server.adminAPI.adminCredentials.passwordHash=${await hashPassword(password)}`,
    'server.explain.enabled=true',
  ],
  environment: {},
});
const server = await startServer(config, await evaluateBundle(text, path), { log: quietLog() });
const url = `http://${server.httpAddress}`;
// The machine may be busy with something else.
const timeout = 10 * 60_000;
const clients = [
  restClient({ url, timeout }),
  connectClient({ url, timeout }),
  grpcClient({ address: server.grpcAddress, timeout }),
];

const questions = documents.questions(QUESTIONS);
const engine = createEngine((await evaluateBundle(text, path)).policies);
const others: readonly (Decide | undefined)[] = await Promise.all(
  // A library that is not installed, or does not run on this version of Node, is left out.
  LIBRARIES.map((library) => library.prepare(documents, questions).catch(() => undefined)),
);
const libraries = others.filter((decide) => decide !== undefined);

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const began = Date.now();
const ends = began + minutes * 60_000;
const [calls, swaps] = [{ count: 0 }, { count: 0 }];
await Promise.all([decide(), swap(), sample()]);
for (const client of clients) await client.close();
await server.close();
// A library has timers that never end.
process.exit(0);

async function decide(): Promise<void> {
  for (let index = 0; Date.now() < ends; index = (index + 1) % QUESTIONS) {
    await ask(index);
    await administer(index);
    if (index % CALLS === 0) await sleep(PAUSE);
  }
}

/** Asks everybody the same question. */
async function ask(index: number): Promise<void> {
  const question = questions[index] as Question;
  const { principal, resource, action } = question;
  const expected = engine.isAllowed(question);
  for (const client of clients)
    requireEqual(await client.isAllowed({ principal, resource, action }), expected, question);
  for (const decide of libraries) requireEqual(await decide(index), expected, question);
  const planned = await (clients[index % clients.length] as (typeof clients)[number]).plan({
    principal,
    resource: { kind: resource.kind },
    actions: [action],
  });
  requireEqual(selects(planned.filter, resource), expected, question);
  calls.count += clients.length + 1;
}

function requireEqual(found: boolean, expected: boolean, question: Question): void {
  if (found !== expected) throw new Error(`${JSON.stringify(question)}: ${found} in place of ${expected}`);
}

/** What an administrator asks for: an explanation, the policies in use, metrics. */
async function administer(index: number): Promise<void> {
  const { principal, resource, action } = questions[index] as Question;
  const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
  // Each request has a password, whose hash takes far more than a decision.
  const answers =
    index % 64 === 0
      ? [
          fetch(`${url}/admin/explain/decision`, {
            method: 'POST',
            headers: { authorization, 'content-type': 'application/json' },
            body: JSON.stringify({ principal, resource, action, near: 1 }),
          }),
          fetch(`${url}/admin/policies`, { headers: { authorization } }),
          fetch(`${url}/_authz/metrics`),
        ]
      : [];
  for (const answer of await Promise.all(answers)) {
    const body = await answer.text();
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${body}`);
    calls.count += 1;
  }
}

/** Swaps bundles whose texts all differ, so that nothing is reused. A swap that was late does not delay the next ones. */
async function swap(): Promise<void> {
  const every = (60 * 60_000) / SWAPS_AN_HOUR;
  for (let count = 1; Date.now() < ends; count++) {
    await server.swap(await evaluateBundle(`// ${count}\n${text}`, path));
    swaps.count = count;
    await sleep(Math.max(0, began + count * every - Date.now()));
  }
}

async function sample(): Promise<void> {
  while (Date.now() < ends) {
    await sleep(((ends - began) / SAMPLES) | 0);
    collect();
    const { heapUsed: heap, rss: resident } = process.memoryUsage();
    await report({
      minutes: (Date.now() - began) / 60_000,
      heap,
      resident,
      descriptors: readdirSync('/proc/self/fd').length,
      calls: calls.count,
      libraries: libraries.length,
      swaps: swaps.count,
    } satisfies LongSample);
  }
}
