import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { elasticsearchAdapter } from '../../packages/adapters/elasticsearch.js';
import { kyselyAdapter } from '../../packages/adapters/kysely.js';
import { prismaAdapter } from '../../packages/adapters/prisma/index.js';

const test = suite('words for NULL in mappings of adapters');

/** Creates an adapter of each library: from a column, and from a related row with a column. */
const LIBRARIES: readonly {
  readonly name: string;
  readonly column: (absence: object) => object;
  readonly related?: (absence: object, column: object) => object;
  readonly create: (attributes: object) => unknown;
}[] = [
  {
    name: 'Prisma',
    column: (absence) => ({ field: 'owner', type: 'text', ...absence }),
    related: (absence, column) => ({ field: 'folder', relation: 'one', attributes: { x: column }, ...absence }),
    create: (attributes) => prismaAdapter('Note', { provider: 'sqlite', attributes } as never),
  },
  {
    name: 'Elasticsearch',
    column: (absence) => ({ field: 'owner', type: 'keyword', ...absence }),
    related: (absence, column) => ({ nested: 'shares', attributes: { x: column }, ...absence }),
    create: (attributes) => elasticsearchAdapter('notes', { attributes } as never),
  },
  {
    name: 'Kysely',
    column: (absence) => ({ column: 'owner', type: 'text', ...absence }),
    related: (absence, column) => ({
      relation: 'one',
      table: 'folders',
      on: { id: 'folder_id' },
      columns: { x: column },
      ...absence,
    }),
    create: (attributes) => kyselyAdapter<object, never>('notes' as never, { dialect: 'sqlite', attributes } as never),
  },
];

test('a word that is not known, and null for a related row, are refused when an adapter is created', () => {
  for (const { name, column, related, create } of LIBRARIES) {
    for (const word of ['missing', 'null', 'never', undefined])
      assert.not.throws(() => create({ a: column({ null: word }) }), name);
    for (const word of ['nul', 'Null', null, true, '__proto__']) {
      const unknown = /^`null` of `R\.attr\.a(?:\.x)?` is `.*`\. Write `'missing'` or `'null'` or `'never'`$/;
      assert.throws(() => create({ a: column({ null: word }) }), unknown, `${name}: ${word}`);
      assert.throws(() => create({ a: related?.({}, column({ null: word })) }), unknown, `${name}, inside: ${word}`);
    }
    assert.not.throws(() => create({ a: related?.({}, column({ null: 'null' })) }), name);
    // Rows that are missing for the adapter would be null for check: `has` and `== null` would be decided otherwise.
    assert.throws(
      () => create({ a: related?.({ null: 'null' }, column({})) }),
      /^`null: 'null'` of `R\.attr\.a`: check must receive no attribute where there is no related row/,
      name,
    );
  }
});

test.run();
