import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { compile } from '../compiler/compile.js';
import { Source } from '../compiler/diagnostics/source.js';
import { createEngine, delegation, type Engine, type TenantDocument, tenants } from '../runtime/engine/index.js';
import { folderSource } from '../server/tenants/folder-source.js';
import { postgresqlSource } from '../server/tenants/postgresql-source.js';
import type { TenantSource } from '../server/tenants/tenant-source.js';
import { TenantStore } from '../server/tenants/tenant-store.js';
import { TENANT_QUERY } from '../server/config/tenants.js';
import { loaded } from '../tests/support/compiled.js';
import { type Cluster, startCluster } from '../tests/support/sql/postgresql-cluster.js';
import { figure, megabytes, percent, type Section, table } from './harness/report.js';
import { measure } from './harness/rounds.js';

export const TENANTS_TITLE = 'Roles of tenants';

const TENANTS = Number(process.env.TENANTS ?? 100_000);
const KEPT = 20_000;
const MAX_AGE = 2000;

/** What roles of tenants cost a decision, and what 100,000 tenants take from a folder and from PostgreSQL. */
export async function tenantsBench(): Promise<Section> {
  const engines = await enginesOf();
  const stores = [await storeRow('folder', inFolder, engines.tenants)];
  const cluster = await startCluster();
  if (typeof cluster === 'string') process.stderr.write(`PostgreSQL: ${cluster}\n`);
  else {
    stores.push(await storeRow('PostgreSQL', () => inPostgresql(cluster), engines.tenants));
    await cluster.stop();
  }
  return {
    title: TENANTS_TITLE,
    text: [
      'Nanoseconds per decision, in process.',
      decisions(engines),
      `${TENANTS.toLocaleString('en-US')} tenants, each with three roles, of which ${KEPT.toLocaleString('en-US')} are kept; a document is used for ${MAX_AGE / 1000} s. Memory is the heap after all tenants were asked about once.`,
      table(['source', 'first loads/s', 'known/s', 'kept', 'heap', 'a change is seen after'], stores),
    ].join('\n\n'),
    failures: [],
  };
}

async function enginesOf() {
  const { policies } = await loaded(compile(POLICIES.map(([path, text]) => new Source(path, text))));
  const options = { lenientScopeSearch: true };
  return {
    base: createEngine(policies, options),
    tenants: createEngine(policies, { ...options, use: [delegation(), tenants({ documents: () => KNOWN })] }),
  };
}

const POLICIES = [
  [
    'album.yaml',
    `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - {actions: [view, edit], effect: EFFECT_ALLOW, roles: [editor], condition: {match: {expr: R.attr.owner == P.id}}}
    - {actions: [view], effect: EFFECT_ALLOW, roles: [viewer]}
    - {actions: ["*"], effect: EFFECT_DENY, roles: ["*"], condition: {match: {expr: R.attr.frozen == true}}}
`,
  ],
  [
    'tenants.yaml',
    `apiVersion: api.authz.dev/v1
tenantRoles:
  scope: "tenants.*"
  grants:
    - {role: editor, resources: [{resource: album, actions: [view, edit]}]}
    - {role: viewer, resources: [{resource: "*", actions: ["view"]}]}
`,
  ],
] as const;

function documentOf(tenant: string): TenantDocument {
  return {
    tenant,
    roles: {
      desk: {
        description: 'Answers the phone',
        roles: ['editor'],
        resources: [{ resource: 'album', actions: ['view'] }],
      },
      staff: { roles: ['editor', 'viewer'] },
      guest: { roles: ['viewer'] },
    },
  };
}

const KNOWN = documentOf('t1');

function requestOf(tenant: string, ...roles: readonly string[]) {
  const scope = `tenants.${tenant}`;
  return {
    principal: { id: 'ann', roles, scope, attr: {} },
    resource: { kind: 'album', id: 'a', scope, attr: { owner: 'ann', frozen: false } },
    action: 'view',
  };
}

function decisions({ base, tenants }: Awaited<ReturnType<typeof enginesOf>>): string {
  const shipped = requestOf('t1', 'user', 'editor');
  const own = requestOf('t1', 'user', 'tenant:desk');
  const asCheck = ({ principal, resource, action }: typeof shipped) => ({
    principal,
    resources: [{ resource, actions: [action] }],
  });
  const [shippedCheck, ownCheck] = [asCheck(shipped), asCheck(own)];
  const rows = [
    ['isAllowed, without the feature', () => base.isAllowed(shipped)],
    ['isAllowed, no role of a tenant', () => tenants.isAllowed(shipped)],
    ['isAllowed, a role of a tenant', () => tenants.isAllowed(own)],
    ['check, without the feature', () => base.check(shippedCheck)],
    ['check, no role of a tenant', () => tenants.check(shippedCheck)],
    ['check, a role of a tenant', () => tenants.check(ownCheck)],
  ] as const;
  const measured = measure(
    rows.map(([name, run]) => ({ name, run })),
    20_000,
  );
  return table(
    ['decision', 'minimum', 'median', 'spread'],
    measured.map(({ name, minimum, median, spread }) => [name, figure(minimum), figure(median), percent(spread)]),
  );
}

interface OpenSource {
  readonly source: TenantSource;
  readonly change: (tenant: string) => Promise<void>;
  readonly remove: () => Promise<void>;
}

async function storeRow(name: string, open: () => Promise<OpenSource>, engine: Engine): Promise<readonly string[]> {
  const { source, change, remove } = await open();
  const store = new TenantStore(source, {
    maxAge: MAX_AGE,
    maxStale: 60_000,
    timeout: 10_000,
    maxTenants: KEPT,
    maxBytes: 2 ** 32,
    tell: (event) => process.stderr.write(`${JSON.stringify(event)}\n`),
  });
  const decide = async (tenant: string, role = 'tenant:desk'): Promise<boolean> => {
    const { document } = await store.load(tenant);
    return engine.isAllowed({ ...requestOf(tenant, role), tenants: () => document });
  };
  const fill = async (): Promise<number> => {
    let next = 0;
    const begun = performance.now();
    const worker = async (): Promise<void> => {
      for (let index = next++; index < TENANTS; index = next++)
        if (!(await decide(`t${index}`))) throw new Error(`t${index} is denied`);
    };
    await Promise.all(Array.from({ length: 32 }, worker));
    return (TENANTS / (performance.now() - begun)) * 1000;
  };
  const before = heap();
  const loads = await fill();
  const kept = heap() - before;
  const last = Array.from({ length: 1000 }, (_, index) => `t${TENANTS - 1 - index}`);
  for (const tenant of last) await decide(tenant);
  const begun = performance.now();
  for (let round = 0; round < 50; round++) for (const tenant of last) await decide(tenant);
  const known = 50_000 / ((performance.now() - begun) / 1000);
  const tenant = `t${TENANTS - 1}`;
  await decide(tenant);
  await change(tenant);
  const changed = performance.now();
  while (await decide(tenant)) await wait(10);
  const seen = performance.now() - changed;
  const row = [
    name,
    figure(loads),
    figure(known),
    store.counts().tenants.toLocaleString('en-US'),
    megabytes(kept),
    `${figure(seen)} ms`,
  ];
  process.stderr.write(`${row.join(' | ')}\n`);
  await source.close();
  await remove();
  return row;
}

function heap(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

async function inFolder(): Promise<OpenSource> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-tenants-'));
  mkdirSync(join(folder, 'documents'));
  const put = (tenant: string, document: object): void => {
    writeFileSync(join(folder, 'new'), JSON.stringify(document));
    renameSync(join(folder, 'new'), join(folder, 'documents', `${tenant}.json`));
  };
  for (let index = 0; index < TENANTS; index++) put(`t${index}`, documentOf(`t${index}`));
  return {
    source: await folderSource(join(folder, 'documents')),
    change: async (tenant) => put(tenant, { tenant, roles: {} }),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function inPostgresql({ client, connection }: Cluster): Promise<OpenSource> {
  await client.query(
    'CREATE TABLE authz_tenants (tenant text PRIMARY KEY, version bigint NOT NULL, document jsonb NOT NULL)',
  );
  for (let start = 0; start < TENANTS; start += 10_000) {
    const names = Array.from({ length: Math.min(10_000, TENANTS - start) }, (_, index) => `t${start + index}`);
    await client.query(
      'INSERT INTO authz_tenants SELECT t, 1, d::jsonb FROM unnest($1::text[], $2::text[]) AS u(t, d)',
      [names, names.map((name) => JSON.stringify(documentOf(name)))],
    );
  }
  return {
    source: await postgresqlSource({
      url: `postgresql://${connection.user}@/${connection.database}?host=${connection.host}`,
      query: TENANT_QUERY,
      maxConnections: 4,
      timeout: 10_000,
      onProblem: (error) => process.stderr.write(`${error.message}\n`),
    }),
    change: async (tenant) => {
      await client.query('UPDATE authz_tenants SET version = version + 1, document = $2 WHERE tenant = $1', [
        tenant,
        JSON.stringify({ tenant, roles: {} }),
      ]);
    },
    remove: async () => {},
  };
}
