/** The queries that applications write with each library around a plan. */
import type { OpenEach } from './composing.js';
import { DRIZZLE } from './drizzle.js';
import { KNEX } from './knex.js';
import { KYSELY } from './kysely.js';
import { MIKRO_ORM } from './mikro-orm.js';
import { SEQUELIZE } from './sequelize.js';
import { TYPEORM } from './typeorm.js';

export const COMPOSING: { readonly [library: string]: OpenEach } = {
  Kysely: KYSELY,
  Knex: KNEX,
  Drizzle: DRIZZLE,
  TypeORM: TYPEORM,
  Sequelize: SEQUELIZE,
  MikroORM: MIKRO_ORM,
};
