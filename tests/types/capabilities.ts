/** Uses of capabilities: those in COMPILES must compile, and each of the others must not. `tsc` on this file is the test. */
import { type Kysely, sql } from 'kysely';
import { pgTable, text } from 'drizzle-orm/pg-core';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Knex } from 'knex';
import { drizzleCan, drizzleMask } from '../../packages/adapters/drizzle.js';
import { knexCan, knexMask } from '../../packages/adapters/knex.js';
import { kyselyCan, kyselyMask } from '../../packages/adapters/kysely.js';
import type { MaskedRow } from '../../packages/adapters/typeorm.js';
import type { Capability, Engine } from '../../runtime/engine/index.js';
import type { Policies } from './generated/types.js';

interface Tables {
  contacts: { id: string; owner: string; salary: number };
}

declare const engine: Engine<Policies>;
declare const db: Kysely<Tables>;
declare const drizzle: NodePgDatabase;
declare const knex: Knex;
const principal = { id: 'a', roles: ['user'], attr: { department: 'x' } };
const resource = { kind: 'contact' } as const;
const rows = [{ id: '1', attr: { owner: 'a', status: 'draft' } }] as const;
const attributes = { owner: { column: 'owner', type: 'text' } } as const;
const contacts = pgTable('contacts', { id: text().primaryKey(), owner: text() });

const can = kyselyCan<Tables, 'contacts'>('contacts', { dialect: 'postgresql', attributes });
const bits = kyselyCan<Tables, 'contacts'>('contacts', { dialect: 'sqlite', attributes });
const mask = kyselyMask<Tables, 'contacts'>('contacts', { dialect: 'postgresql', attributes });
const fields = drizzleCan(contacts, { dialect: 'postgresql', attributes });
const raws = knexCan<Tables['contacts']>(knex, 'contacts', { dialect: 'mysql', attributes });
const maskFields = drizzleMask(contacts, { dialect: 'postgresql', attributes });
const maskRaws = knexMask<Tables['contacts']>(knex, 'contacts', { dialect: 'mysql', attributes });
const plans = () => engine.planCapabilities({ principal, resource, actions: ['read', 'update', 'export:csv'] });

/** Only compiles for equal types. */
function is<Type>(): <Value>(value: Value & (Equal<Value, Type> extends true ? unknown : never)) => void {
  return () => {};
}
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

export const COMPILES = [
  () => {
    const [first] = engine.capabilities({ principal, resource, rows, actions: ['read', 'update'] });
    if (first !== undefined) is<boolean>()(first.read);
  },
  () => {
    const [first] = engine.capabilities({
      principal,
      resource,
      rows: [{ attr: {} }, {}],
      actions: ['read'],
      partial: true,
    });
    if (first !== undefined) is<Capability>()(first.read);
  },
  async () => {
    const [row] = await db.selectFrom('contacts').select('id').select(can(plans())).execute();
    if (row === undefined) return;
    is<boolean>()(row.canRead);
    is<boolean>()(row.canExportCsv);
    is<string>()(row.id);
  },
  async () => {
    const [row] = await db.selectFrom('contacts').select(bits(plans())).execute();
    if (row !== undefined) is<0 | 1>()(row.canUpdate);
  },
  async () => {
    const [row] = await db
      .selectFrom('contacts')
      .select(can(plans(), { onRefused: 'null' }))
      .execute();
    if (row !== undefined) is<boolean | null>()(row.canRead);
  },
  async () => {
    const [row] = await drizzle.select({ id: contacts.id, ...fields(plans()) }).from(contacts);
    if (row !== undefined) is<boolean>()(row.canExportCsv);
  },
  async () => {
    const [first] = raws(plans());
    const answer = (await first) as { canRead: 0 | 1 } | undefined;
    if (answer !== undefined) is<0 | 1>()(answer.canRead);
  },
  async () => {
    const [row] = await db
      .selectFrom('contacts')
      .select('id')
      .select(mask.columns(plans(), { salary: 'read' }))
      .execute();
    if (row !== undefined) is<number | null>()(row.salary);
  },
  async () => {
    const source = mask.source(plans(), { salary: 'read' }, { alias: 'c', others: ['id'] });
    const [row] = await db.selectFrom(source).selectAll().where(sql.ref('c.salary'), '>', 1).execute();
    if (row === undefined) return;
    is<number | null>()(row.salary);
    is<string>()(row.id);
  },
];

export const MASKS_COMPILE = [
  async () => {
    const [row] = await drizzle
      .select({ id: contacts.id, ...maskFields(plans(), { owner: 'read' }, { tell: true }) })
      .from(contacts);
    if (row === undefined) return;
    is<string | null>()(row.owner);
    is<boolean>()(row.canRead);
  },
  async () => {
    const [row] = await db
      .selectFrom('contacts')
      .select(mask.columns(plans(), { salary: 'read', '*': 'update' }, { others: ['owner'], tell: true }))
      .execute();
    if (row === undefined) return;
    is<string | null>()(row.owner);
    is<number | null>()(row.salary);
    is<boolean | 0 | 1>()(row.canUpdate);
  },
  async () => {
    const source = maskRaws.source(plans(), { '*': 'read' }, { alias: 'c', others: ['salary', 'id'] });
    const [first] = maskRaws.columns(plans(), { salary: 'read' });
    const row = (await source) as { salary: number | null; id: string | null };
    is<number | null>()(row.salary);
    const one = (await first) as { salary: number | null };
    is<number | null>()(one.salary);
  },
  (row: MaskedRow<Tables['contacts'], { readonly salary: 'read' }, never, true>) => {
    is<number | null>()(row.salary);
    is<boolean>()(row.canRead);
  },
];

export const MISTAKES = [
  () => {
    const ownr = { owner: { column: 'ownr', type: 'text' } } as const;
    // @ts-expect-error a column that the table does not have
    return kyselyCan<Tables, 'contacts'>('contacts', { dialect: 'sqlite', attributes: ownr });
  },
  // @ts-expect-error a property that the table does not have
  () => drizzleCan(contacts, { dialect: 'postgresql', attributes: { owner: { column: 'ownr', type: 'text' } } }),
  // @ts-expect-error an action that the kind does not have
  () => engine.planCapabilities({ principal, resource, actions: ['raed'] }),
  // @ts-expect-error rows that lack an attribute
  () => engine.capabilities({ principal, resource, rows: [{ id: '1', attr: { owner: 'a' } }], actions: ['read'] }),
  // @ts-expect-error rows without an id
  () => engine.capabilities({ principal, resource, rows: [{ attr: rows[0].attr }], actions: ['read'] }),
  // @ts-expect-error an action that was not asked
  () => engine.capabilities({ principal, resource, rows, actions: ['read'] })[0]?.update,
  // @ts-expect-error a field of an action that has no plan
  async () => (await db.selectFrom('contacts').select(can(plans())).execute())[0]?.canDelete,
  // @ts-expect-error a masked column that the table does not have
  () => mask.columns(plans(), { slary: 'read' }),
  // @ts-expect-error a masked property that the table does not have
  () => maskFields(plans(), { ownr: 'read' }),
  // @ts-expect-error what a mask tells only if it is asked
  async () => (await drizzle.select(maskFields(plans(), { owner: 'read' })).from(contacts))[0]?.canRead,
  // @ts-expect-error a mask of the rest with an action that has no plan
  () => maskRaws.columns(plans(), { '*': 'delete' }),
  // @ts-expect-error a mask with an action that has no plan
  () => mask.columns(plans(), { salary: 'delete' }),
];
