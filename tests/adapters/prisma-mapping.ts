import type { PrismaMapping } from '../../packages/adapters/prisma/index.js';

/** Where the rows of the conformance kit are stored by Prisma. */
export function noteMapping(provider: 'postgresql' | 'sqlite') {
  return {
    provider,
    id: 'id',
    attributes: {
      owner: { field: 'owner', type: 'text', collation: 'binary' },
      status: { field: 'status', type: 'text' },
      amount: { field: 'amount', type: 'integer' },
      price: { field: 'price', type: 'number', null: 'null' },
      shared: { field: 'shared', type: 'boolean' },
      tags:
        provider === 'sqlite'
          ? { field: 'tags', relation: 'many', value: { field: 'value', type: 'text' } }
          : { field: 'tags', type: 'list' },
      home: {
        field: 'home',
        relation: 'one',
        where: { live: true },
        attributes: { city: { field: 'city', type: 'text' }, size: { field: 'size', type: 'integer' } },
      },
      shares: {
        field: 'shares',
        relation: 'many',
        where: { deleted: null },
        attributes: { user: { field: 'user', type: 'text', null: 'never' }, role: { field: 'role', type: 'text' } },
      },
    },
  } as unknown as PrismaMapping<object>;
}
