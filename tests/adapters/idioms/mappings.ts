import type { SearchMapping } from '../../../packages/adapters/elasticsearch.js';
import type { MongoMapping } from '../../../packages/adapters/mongodb/index.js';
import type { PrismaMapping } from '../../../packages/adapters/prisma/index.js';
import type { SqlColumns, SqlDialect, SqlTable } from '../../../runtime/residual/sql/index.js';

const SHARE: SqlColumns = {
  user: { column: 'user_id', type: 'text', null: 'never' },
  team: { column: 'team', type: 'text' },
  role: { column: 'role', type: 'text' },
  until: { column: 'until', type: 'timestamp' },
};

/** Where a SQL database has the rows. MySQL has its lists in a table of their own. */
export function sqlTable(dialect: SqlDialect): SqlTable {
  return {
    name: 'documents',
    id: { column: 'id', type: 'text', null: 'never' },
    columns: {
      owner: { column: 'owner', type: 'text' },
      assignee: { column: 'assignee', type: 'text' },
      status: { column: 'status', type: 'text', null: 'never' },
      title: { column: 'title', type: 'text' },
      email: { column: 'email', type: 'text' },
      amount: { column: 'amount', type: 'integer' },
      price: { column: 'price', type: 'number', null: 'null' },
      shared: { column: 'shared', type: 'boolean' },
      createdAt: { column: 'created_at', type: 'timestamp', null: 'never' },
      expiresAt: { column: 'expires_at', type: 'timestamp' },
      path: { column: 'path', type: 'text' },
      ip: { column: 'ip', type: 'text' },
      home: {
        relation: 'one',
        table: 'homes',
        on: { document_id: 'id' },
        unique: true,
        columns: { city: { column: 'city', type: 'text' } },
      },
      tags:
        dialect === 'mysql'
          ? {
              relation: 'many',
              table: 'tags',
              on: { document_id: 'id' },
              value: { column: 'tag', type: 'text', null: 'never' },
            }
          : { column: 'tags', type: 'list', null: 'never' },
      shares: { relation: 'many', table: 'shares', on: { document_id: 'id' }, columns: SHARE },
      project: {
        relation: 'one',
        table: 'projects',
        on: { document_id: 'id' },
        unique: true,
        columns: {
          lead: { column: 'lead_id', type: 'text' },
          org: { column: 'org', type: 'text', null: 'never' },
          public: { column: 'is_public', type: 'boolean', null: 'never' },
        },
      },
    },
  };
}

/** A document of MongoDB: the attributes under their names, with dates. */
export interface StoredDocument {
  readonly _id: string;
  readonly [name: string]: unknown;
}

const NAMES = ['owner', 'assignee', 'status', 'title', 'email', 'amount', 'price', 'shared', 'path', 'ip'];

export const MONGO: MongoMapping<StoredDocument> = {
  id: '_id',
  attributes: {
    ...Object.fromEntries([...NAMES, 'home', 'tags', 'shares', 'project'].map((name) => [name, name])),
    createdAt: { field: 'createdAt', type: 'date' },
    expiresAt: { field: 'expiresAt', type: 'date' },
    'shares.until': { field: 'shares.until', type: 'date' },
  },
};

/** The models of the schema in prisma.test.ts. */
export function prismaMapping(provider: 'postgresql' | 'sqlite'): PrismaMapping<object> {
  const text = (field: string, absence: 'missing' | 'never' = 'missing') => ({ field, type: 'text', null: absence });
  return {
    provider,
    id: { field: 'id', type: 'integer' },
    attributes: {
      owner: text('owner'),
      assignee: text('assignee'),
      status: text('status', 'never'),
      title: { ...text('title'), collation: 'binary' },
      email: { ...text('email'), collation: 'binary' },
      amount: { field: 'amount', type: 'integer' },
      price: { field: 'price', type: 'number', null: 'null' },
      shared: { field: 'shared', type: 'boolean' },
      createdAt: { field: 'createdAt', type: 'timestamp', null: 'never' },
      expiresAt: { field: 'expiresAt', type: 'timestamp' },
      path: { ...text('path'), collation: 'binary' },
      ip: text('ip'),
      home: { field: 'home', relation: 'one', attributes: { city: text('city') } },
      tags:
        provider === 'sqlite'
          ? { field: 'tags', relation: 'many', value: { field: 'value', type: 'text', null: 'never' } }
          : { field: 'tags', type: 'list' },
      shares: {
        field: 'shares',
        relation: 'many',
        attributes: {
          user: text('user', 'never'),
          team: text('team'),
          role: text('role'),
          until: { field: 'until', type: 'timestamp' },
        },
      },
      project: {
        field: 'project',
        relation: 'one',
        attributes: {
          lead: text('lead'),
          org: text('org', 'never'),
          public: { field: 'public', type: 'boolean', null: 'never' },
        },
      },
    },
  } as unknown as PrismaMapping<object>;
}

export const SEARCH: SearchMapping<{ readonly [name: string]: unknown }> = {
  id: 'id',
  attributes: {
    ...Object.fromEntries(
      ['owner', 'assignee', 'title', 'email', 'path', 'ip'].map((field) => [
        field,
        { field, type: 'keyword' as const },
      ]),
    ),
    status: { field: 'status', type: 'keyword', null: 'never' },
    amount: { field: 'amount', type: 'long' },
    price: { field: 'price', type: 'double', null: 'null' },
    shared: { field: 'shared', type: 'boolean' },
    createdAt: { field: 'createdAt', type: 'date', null: 'never' },
    expiresAt: { field: 'expiresAt', type: 'date' },
    'home.city': { field: 'home.city', type: 'keyword' },
    tags: { field: 'tags', type: 'keyword', many: true },
    shares: {
      nested: 'shares',
      attributes: {
        user: { field: 'shares.user', type: 'keyword', null: 'never' },
        team: { field: 'shares.team', type: 'keyword' },
        role: { field: 'shares.role', type: 'keyword' },
        until: { field: 'shares.until', type: 'date' },
      },
    },
    'project.lead': { field: 'project.lead', type: 'keyword' },
    'project.org': { field: 'project.org', type: 'keyword' },
    'project.public': { field: 'project.public', type: 'boolean' },
  },
};
