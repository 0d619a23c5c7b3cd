import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileFolder } from '../../packages/cli/policies/compile.js';
import type { Json, JsonObject } from '../../proto/wire/json-shape.js';
import { loadConfig } from '../../server/config.js';
import { startServer } from '../../server/main.js';
import { loaded, ROOT } from '../support/compiled.js';
import { freePort } from '../support/free-port.js';
import { problemsOf } from '../support/explorer/json-schema.js';
import { send } from '../support/server/http-client.js';
import { skip } from '../support/skip.js';
import { type Cluster, startCluster } from '../support/sql/postgresql-cluster.js';
import { tableFile } from '../support/sql/table-file.js';

/** The description of the REST interface shows searches, and sources, as a server with tables answers. */
const test = suite('documented searches');

const TABLES = tableFile({
  principal: ['people', { level: 'integer' }],
  album: ['albums', { owner: 'text', status: 'text' }],
});
const ROWS = `
CREATE TABLE people (id text PRIMARY KEY, level integer);
INSERT INTO people VALUES ('alice', 1), ('bob', 1);
CREATE TABLE albums (id text PRIMARY KEY, owner text, status text);
INSERT INTO albums VALUES ('autumn-2023', 'alice', 'OPEN'), ('locked', 'alice', 'LOCKED'), ('other', 'bob', 'OPEN'),
  ('summer-2024', 'alice', 'OPEN'), ('winter-2024', 'alice', 'OPEN');
`;

interface Content {
  readonly content: {
    readonly 'application/json': {
      readonly schema: JsonObject;
      readonly examples: { readonly [name: string]: { readonly value: JsonObject } };
    };
  };
}

const cluster = await startCluster(await freePort());
if (typeof cluster === 'string') skip(import.meta.url, cluster);
else addTests(cluster);
test.run();

function addTests({ client, url = '', stop }: Cluster): void {
  test.after(stop);
  test('every example is what a server answers, but for tokens, counts and times', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'authz-documented-'));
    const tables = join(folder, 'tables.yaml');
    writeFileSync(tables, TABLES);
    await client.query(ROWS);
    const file = join(folder, 'config.json');
    const source = (of: string) => ({ of, search: true, sql: { url, tables, table: of, maxConnections: 1 } });
    const passwordHash = Buffer.from(hashSync('secret', 4)).toString('base64');
    writeFileSync(
      file,
      JSON.stringify({
        server: {
          httpListenAddr: '127.0.0.1:0',
          grpcListenAddr: '127.0.0.1:0',
          adminAPI: { enabled: true, adminCredentials: { username: 'admin', passwordHash } },
        },
        sources: { deadline: '60s', from: { people: source('principal'), albums: source('album') } },
      }),
    );
    const { config } = loadConfig({ file, environment: {} });
    const policies = compileFolder(join(ROOT, 'policies'), { explain: true, facts: true });
    const server = await startServer(config, await loaded(policies));
    const authorization = `Basic ${Buffer.from('admin:secret').toString('base64')}`;
    const ask = async (method: 'GET' | 'POST', path: string, body?: Json): Promise<JsonObject> => {
      const headers = { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) };
      const { status, text } = await send(
        server.httpAddress,
        method,
        path,
        body === undefined ? undefined : JSON.stringify(body),
        headers,
      );
      assert.is(status, 200, `${path}: ${text}`);
      return JSON.parse(text) as JsonObject;
    };
    try {
      const document = await ask('GET', '/schema/swagger.json');
      const paths = document['paths'] as unknown as {
        readonly [path: string]: {
          readonly [verb: string]: { readonly requestBody: Content; readonly responses: { readonly '200': Content } };
        };
      };
      for (const path of ['/access/v1/search/subject', '/access/v1/search/resource']) {
        const operation = paths[path]?.['post'];
        if (operation === undefined) throw new Error(path);
        const { requestBody, responses } = operation;
        const asked = requestBody.content['application/json'];
        const answered = responses['200'].content['application/json'];
        assert.ok(Object.keys(asked.examples).length > 0, path);
        for (const [name, { value }] of Object.entries(asked.examples)) {
          assert.equal(problemsOf(value, asked.schema, document), [], path);
          const answer = await ask('POST', path, value);
          assert.equal(problemsOf(answer, answered.schema, document), [], path);
          assert.equal(withoutToken(answer), withoutToken(answered.examples[name]?.value as JsonObject), path);
        }
      }
      const shown = paths['/admin/sources']?.['get']?.responses['200'].content['application/json'];
      const sources = await ask('GET', '/admin/sources');
      assert.equal(problemsOf(sources, shown?.schema as JsonObject, document), []);
      const known = new Set(Object.values(shown?.examples ?? {}).flatMap(({ value }) => memberNames(value)));
      assert.equal(
        memberNames(sources).filter((name) => !known.has(name)),
        [],
      );
      assert.match(JSON.stringify(sources), /"name":"people"/);
    } finally {
      await server.close();
      rmSync(folder, { recursive: true });
    }
  });
}

/** An answer whose token, which is another one on each server, only says whether there is a next page. */
function withoutToken({ page, ...answer }: JsonObject): Json {
  return { ...answer, hasNext: ((page as JsonObject | undefined)?.['next_token'] ?? '') !== '' };
}

function memberNames(value: Json): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(memberNames);
  return Object.entries(value).flatMap(([name, item]) => [name, ...memberNames(item)]);
}
