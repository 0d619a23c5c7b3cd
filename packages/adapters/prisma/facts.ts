/** Facts from the records of a model. */
import type { FactSource } from '../../../runtime/facts/index.js';
import { type ColumnReader, columnSource, type FactsOf, typeOfColumn } from '../column-source.js';
import { requireFields } from './field-types.js';
import { type PrismaSchema, readDataModel } from './data-model.js';
import { idColumn, type NamedMapping, type PrismaMapping } from './mapping.js';
import { recordReader } from './records.js';

/**
 * Creates a source of facts from a model: `prismaFacts<Prisma.AlbumWhereInput>(prisma, 'Album', mapping, { of: 'album' })`.
 * The client of an interactive transaction is the `tx` of a decision.
 *
 * @example
 * import { prismaFacts } from 'authz/adapters/prisma';
 *
 * // In your project: the client, and Prisma.AlbumWhereInput.
 * interface AlbumWhereInput {
 *   AND?: AlbumWhereInput | AlbumWhereInput[];
 *   id?: string | { equals?: string };
 *   ownerId?: string | { equals?: string };
 * }
 * const prisma = { album: { findMany: async () => [] } };
 * const albums = prismaFacts<AlbumWhereInput>(
 *   prisma,
 *   'Album',
 *   { provider: 'postgresql', id: 'id', attributes: { owner: { field: 'ownerId', type: 'text', null: 'never' } } },
 *   { of: 'album' },
 * );
 * console.log(albums.provides.join()); // => owner
 *
 * @param mapping that of `prismaAdapter`, with an `id`.
 * @param schema as for `prismaAdapter`.
 */
export function prismaFacts<Where extends object>(
  client: object,
  model: string,
  mapping: PrismaMapping<Where>,
  options: FactsOf,
  schema?: PrismaSchema,
): FactSource {
  const given = mapping as unknown as NamedMapping;
  const named = schema === undefined ? given : requireFields(model, given, readDataModel(schema));
  const id = idColumn(named);
  if (id === undefined) throw new TypeError(`the mapping of \`${model}\` has no \`id\`, by which records are found`);
  const delegate = `${model.charAt(0).toLowerCase()}${model.slice(1)}`;
  return columnSource(
    options,
    makeReaders(model, named),
    { column: id.field, type: id.type },
    (fields, key, keys, tx) =>
      findDelegate(tx ?? client, delegate).findMany({
        where: { [key]: { in: [...keys] } },
        select: Object.fromEntries(fields.map((field) => [field, true])),
      }),
    // Prisma has no words for locks.
    false,
  );
}

interface Delegate {
  findMany(query: object): PromiseLike<readonly object[]>;
}

function findDelegate(client: unknown, name: string): Delegate {
  const found = (client as { readonly [name: string]: Delegate | undefined })[name];
  if (found === undefined) throw new TypeError(`the client of Prisma has no model \`${name}\``);
  return found;
}

/** The attributes that fields of the model hold, by their first names. */
function makeReaders(model: string, mapping: NamedMapping): readonly ColumnReader[] {
  const all = Object.entries(mapping.attributes);
  const names = new Set(all.map(([path]) => path.split('.')[0] as string));
  return [...names].flatMap((attribute) => {
    const own = all.filter(([path]) => path.split('.')[0] === attribute);
    const fields = own.flatMap(([, stored]) => ('relation' in stored ? [] : [stored]));
    if (fields.length < own.length) return [];
    const reader = recordReader(model, { ...mapping, attributes: Object.fromEntries(own) });
    const isWhole = own.length === 1 && own[0]?.[0] === attribute;
    const type = isWhole ? typeOfColumn(fields[0]?.type ?? '') : 'map';
    return [{ attribute, columns: fields.map(({ field }) => field), type, reader }];
  });
}
