import { DataTypes, Op, Sequelize, type Options as SequelizeOptions, type WhereOptions } from 'sequelize';
import { sequelizeAdapter, sequelizeCan } from '../../../packages/adapters/sequelize.js';
import type { SqlDialect } from '../../../runtime/residual/sql/index.js';
import { SEQUELIZE_OF_LIBSQL } from '../libraries.js';
import { type Column, columnsIn, DOCUMENT, FOLDER, type Kind, mappingOf, SHARE } from './tables.js';
import {
  type Asked,
  type ComposingLibrary,
  type OpenEach,
  LATER,
  PAGE,
  byPosition,
  pairs,
  positions,
  rolledBack,
  tally,
  tallyJoined,
  camel,
} from './composing.js';

/** Sequelize in each database. */
export const SEQUELIZE: OpenEach = {
  postgresql: ({ host, user, database }) =>
    sequelize({ dialect: 'postgres', host, username: user, database } as SequelizeOptions, 'postgresql'),
  mysql: ({ socketPath, user, database }) =>
    sequelize({ dialect: 'mysql', username: user, database, dialectOptions: { socketPath } }, 'mysql'),
  sqlite: (storage) => sequelize({ dialect: 'sqlite', storage, dialectModule: SEQUELIZE_OF_LIBSQL }, 'sqlite'),
};

async function sequelize(options: SequelizeOptions, of: SqlDialect): Promise<ComposingLibrary> {
  const db = new Sequelize({ ...options, logging: false });
  const types: { readonly [K in Kind]: unknown } = {
    text: of === 'mysql' ? DataTypes.STRING(100) : DataTypes.TEXT,
    integer: DataTypes.INTEGER,
    large: DataTypes.BIGINT,
    number: DataTypes.DOUBLE,
    decimal: of === 'mysql' ? DataTypes.DECIMAL(40, 20) : DataTypes.DECIMAL,
    boolean: DataTypes.BOOLEAN,
    time: of === 'mysql' ? DataTypes.DATE(6) : DataTypes.DATE,
    uuid: of === 'sqlite' ? DataTypes.TEXT : DataTypes.UUID,
    list: of === 'sqlite' ? DataTypes.JSON : DataTypes.JSONB,
    json: of === 'sqlite' ? DataTypes.JSON : DataTypes.JSONB,
  };
  const columns = (list: readonly Column[]): object =>
    Object.fromEntries(
      columnsIn(list, of).map(({ property, column, kind, null: absence }) => [
        property,
        { type: types[kind], field: column, allowNull: absence !== 'never' },
      ]),
    );
  const deleted = {
    timestamps: true,
    createdAt: false,
    updatedAt: false,
    deletedAt: 'deletedAt',
    paranoid: true,
  } as const;
  const deletedAt = { type: DataTypes.DATE, field: 'deleted_at' };
  const documents = db.define(
    'Document',
    {
      id: { type: DataTypes.TEXT, primaryKey: true },
      position: { type: DataTypes.INTEGER, allowNull: false },
      touched: DataTypes.INTEGER,
      folderId: { type: DataTypes.TEXT, field: 'folder_id' },
      ...columns(DOCUMENT),
      deletedAt,
    } as never,
    { tableName: 'documents', ...deleted },
  );
  const folders = db.define(
    'Folder',
    { id: { type: DataTypes.TEXT, primaryKey: true }, ...columns(FOLDER), deletedAt } as never,
    { tableName: 'folders', ...deleted },
  );
  const shares = db.define(
    'Share',
    {
      id: { type: DataTypes.INTEGER, primaryKey: true },
      documentId: { type: DataTypes.TEXT, field: 'document_id' },
      ...columns(SHARE),
      deletedAt,
    } as never,
    { tableName: 'shares', ...deleted },
  );
  documents.belongsTo(folders, { as: 'folder', foreignKey: 'folderId' });
  folders.hasMany(documents, { as: 'documents', foreignKey: 'folderId' });
  documents.hasMany(shares, { as: 'shares', foreignKey: 'documentId' });
  shares.belongsTo(documents, { as: 'document', foreignKey: 'documentId' });
  const mapping = mappingOf(of, '+00:00', camel) as never;
  const allowed = sequelizeAdapter(documents, mapping, { folders, shares });
  const can = sequelizeCan(documents, mapping, { folders, shares });
  const scope = ({ range }: Asked): WhereOptions => ({ position: { [Op.gte]: range[0], [Op.lt]: range[1] } });
  const where = (asked: Asked): never => ({ [Op.and]: [scope(asked), allowed(asked.plan)] }) as never;
  const find = async (options: object): Promise<readonly number[]> =>
    positions((await documents.findAll(options)).map((one) => one.get() as object));
  const plain = { attributes: ['position'] };
  const included = [
    { model: folders, as: 'folder' },
    { model: shares, as: 'shares' },
  ];
  return {
    times: '+00:00',
    resources: async () =>
      byPosition(
        (await documents.findAll({ include: included })).map((one) =>
          Object.assign(one, { position: one.get('position') }),
        ),
        allowed.resourceOf,
      ),
    ways: {
      select: (asked) => find({ ...plain, where: where(asked) }),
      or: (asked) => find({ ...plain, where: { [Op.or]: [{ position: [...asked.few] }, where(asked)] } }),
      both: (asked) => find({ ...plain, where: { [Op.and]: [where(asked), allowed(asked.other)] } }),
      negated: (asked) =>
        find({ ...plain, where: { [Op.and]: [scope(asked), allowed(asked.plan, { negated: true })] } }),
      page: (asked) =>
        find({ ...plain, where: where(asked), order: ['position'], limit: PAGE.size, offset: PAGE.skipped }),
      count: (asked) => documents.count({ where: where(asked) }),
      'inner join': (asked) =>
        find({ include: [{ model: shares, as: 'shares', required: true }], where: where(asked) }),
      'left join': (asked) => find({ include: [{ model: folders, as: 'folder' }], where: where(asked) }),
      through: async (asked) => {
        const found = await folders.findAll({
          include: [
            {
              model: documents,
              as: 'documents',
              where: { [Op.and]: [scope(asked), allowed(asked.plan, { alias: 'documents' })] } as never,
            },
          ],
        });
        return positions(
          found.flatMap((folder) => (folder.get('documents') as { get(): object }[]).map((one) => one.get())),
        );
      },
      included: (asked) =>
        find({ include: included, where: where(asked), order: ['position'], limit: PAGE.size, offset: PAGE.skipped }),
      async update(asked) {
        const own = { [Op.and]: [scope(asked), allowed(asked.plan, { alias: 'documents' })] } as never;
        await documents.update({ touched: 1 } as never, { where: own });
        const found = await find({ ...plain, where: { touched: 1 } });
        await documents.update({ touched: null } as never, { where: { touched: 1 } as never });
        return found;
      },
      delete: (asked) =>
        rolledBack((fail) =>
          db.transaction(async (transaction) => {
            const own = {
              [Op.and]: [scope(asked), { deletedAt: null }, allowed(asked.plan, { alias: 'documents' })],
            } as never;
            await documents.destroy({ where: own, force: true, transaction });
            const rows = await documents.findAll({ attributes: ['position'], paranoid: false, transaction });
            return fail(positions(rows.map((one) => one.get() as object)));
          }),
        ),
      'can: order': (asked) =>
        find({
          attributes: ['position', ...can(asked.cans)],
          where: scope(asked),
          order: [
            [db.col('canA'), 'DESC'],
            ['position', 'ASC'],
          ],
          limit: LATER,
        }),
      'can: group': async (asked) => {
        const [column] = can(asked.cans);
        const rows = await documents.findAll({
          attributes: [
            [column?.[0] as never, 'can'],
            [db.fn('COUNT', db.col('*')), 'count'],
          ],
          where: scope(asked),
          group: [db.col('can') as never],
          raw: true,
        });
        return tally(rows);
      },
      'can: distinct': async (asked) => {
        const [first, second] = can(asked.cans);
        const rows = await documents.findAll({
          attributes: [first, second] as never,
          where: scope(asked),
          group: [db.col('canA'), db.col('canB')] as never,
          raw: true,
        });
        return pairs(rows);
      },
      'can: outer join': async (asked) => {
        const rows = await shares.findAll({
          attributes: [[db.col('document.id'), 'document'], ...can(asked.cans, { alias: 'document' })] as never,
          include: [
            { model: documents, as: 'document', required: false, attributes: [], where: scope(asked) as never },
          ],
          paranoid: false,
          raw: true,
        });
        return tallyJoined(rows);
      },
    },
    end: () => db.close(),
  };
}
