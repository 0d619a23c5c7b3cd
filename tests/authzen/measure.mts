import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../server/config.js';
import { startServer } from '../../server/main.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { freePort } from '../support/free-port.js';
import { send } from '../support/server/http-client.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
const POLICIES = { 'note.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: note
  version: default
  rules:
    - actions: [read]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: { match: { expr: R.attr.owner == P.id || P.attr.level > 997 } }
`};
const c = await startCluster(await freePort()); if (typeof c === 'string') throw c;
await c.client.query(`CREATE TABLE people (id text PRIMARY KEY, level integer); INSERT INTO people SELECT 'u' || n, n % 1000 FROM generate_series(1,100000) n;
CREATE TABLE notes (id text PRIMARY KEY, owner text); INSERT INTO notes SELECT 'n' || n, 'u' || n FROM generate_series(1,100000) n; ANALYZE`);
const folder = mkdtempSync(join(tmpdir(), 'm-'));
const tables = join(folder, 't.yaml');
writeFileSync(tables, `tables:
  principal: {name: people, id: {column: id, type: text}, columns: {level: {column: level, type: integer}}}
  note: {name: notes, id: {column: id, type: text}, columns: {owner: {column: owner, type: text}}}
`);
const sql = (table: string) => ({ url: c.url, tables, table });
const file = join(folder, 'c.json');
writeFileSync(file, JSON.stringify({ server: { httpListenAddr: '127.0.0.1:0', grpcListenAddr: '127.0.0.1:0' }, sources: { deadline: '5s', search: { timeout: '10s' }, from: { p: { of: 'principal', sql: sql('principal'), search: true }, n: { of: 'note', sql: sql('note'), search: true } } } }));
const { config } = loadConfig({ file, environment: {} });
const server = await startServer(config, await loaded(compileTexts(POLICIES, { facts: true, explain: true })));
const post = async (path: string, body: object) => JSON.parse((await send(server.httpAddress, 'POST', path, JSON.stringify(body))).text);
for (const [path, body] of [
  ['/access/v1/search/subject', { subject: { type: 'user' }, action: { name: 'read' }, resource: { type: 'note', id: 'n5' } }],
  ['/access/v1/search/resource', { subject: { type: 'user', id: 'u5' }, action: { name: 'read' }, resource: { type: 'note' } }],
  ['/access/v1/search/resource', { subject: { type: 'user', id: 'u998' }, action: { name: 'read' }, resource: { type: 'note' }, page: {limit: 100} }],
] as const) {
  for (let i = 0; i < 3; i++) {
    const start = performance.now();
    let token = ''; let n = 0; let pages = 0;
    do { const r = await post(path, { ...body, page: { ...(body as any).page, token } }); if (r.code) { console.log(r); break; } n += r.results.length; token = r.page?.next_token ?? ''; pages++; if (pages >= 100) break; } while (token !== '');
    console.log(path, n, 'results', pages, 'pages', Math.round(performance.now() - start), 'ms');
  }
}
await server.close(); await c.stop();
