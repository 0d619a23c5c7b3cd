import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../proto/wire/json-shape.js';
import { problemsOf } from '../support/explorer/json-schema.js';
import { send } from '../support/server/http-client.js';
import { discard, remove, type Server, startProgram } from '../support/workers/server.js';
import { until } from '../support/timeout.js';
import { ADMIN, ADMIN_SETS, compileBundles, rollout } from './served.js';

/** The description of the REST interface shows rollouts as servers answer them. */
const test = suite('documented rollouts');

const { folder, view, edit } = compileBundles();
const servers: Server[] = [];
test.after.each(() => discard(servers));
test.after(() => remove(folder));

interface Documented {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly request: JsonObject | undefined;
  readonly response: Json;
  readonly schema: JsonObject;
}

interface Body {
  readonly content: {
    readonly 'application/json': {
      readonly schema: JsonObject;
      readonly examples: { readonly [name: string]: { readonly value: Json } };
    };
  };
}

/** A server with a canary of the other bundle. */
async function startCanary(): Promise<Server> {
  const candidate = join(folder, `candidate-${servers.length}`);
  writeFileSync(candidate, edit.text);
  const server = await startProgram(folder, view.text, [
    ...ADMIN_SETS,
    `bundle.rollout.candidate=${candidate}`,
    'bundle.rollout.stage=canary',
    'bundle.rollout.percent=5',
  ]);
  servers.push(server);
  await until(async () => (await rollout(server, 'rollout')).state.candidate !== undefined, 'a candidate');
  return server;
}

function examplesOf(document: JsonObject): readonly Documented[] {
  const paths = document['paths'] as unknown as {
    readonly [path: string]: {
      readonly [verb: string]: { readonly requestBody?: Body; readonly responses: { readonly '200': Body } };
    };
  };
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/admin/bundle/'))
    .flatMap(([path, item]) =>
      Object.entries(item).flatMap(([verb, { requestBody, responses }]) => {
        const { schema, examples } = responses['200'].content['application/json'];
        return Object.entries(examples).map(([name, { value: response }]) => ({
          path,
          method: verb === 'get' ? ('GET' as const) : ('POST' as const),
          request: requestBody?.content['application/json'].examples[name]?.value as JsonObject | undefined,
          response,
          schema,
        }));
      }),
    );
}

test('every example is what a server with a canary answers, but for hashes and times', async () => {
  const first = await startCanary();
  const document = JSON.parse((await send(first.http, 'GET', '/schema/swagger.json')).text) as JsonObject;
  const examples = examplesOf(document);
  assert.equal(examples.map(({ path, method }) => `${method} ${path}`).sort(), [
    'GET /admin/bundle/rollout',
    'POST /admin/bundle/promote',
    'POST /admin/bundle/roll_back',
    'POST /admin/bundle/rollout',
  ]);
  for (const { path, method, request, response, schema } of examples) {
    const { http } = await startCanary();
    const body = request && JSON.stringify({ ...request, ...(request['hash'] !== undefined && { hash: edit.hash }) });
    const type = method === 'GET' ? {} : { 'content-type': 'application/json' };
    const answer = await send(http, method, path, body, { authorization: ADMIN, ...type });
    assert.is(answer.status, 200, `${path}: ${answer.text}`);
    const json = JSON.parse(answer.text) as Json;
    assert.equal(problemsOf(json, schema, document), [], path);
    assert.equal(withoutValues(json), withoutValues(response), path);
  }
});

test.run();

/** With the types of strings whose values differ from server to server, and other values as they are. */
function withoutValues(value: Json): Json {
  if (typeof value === 'string') return /^STAGE_/.test(value) ? value : 'a string';
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutValues);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutValues(item)]));
}
