import { type Command, Option } from 'commander';
import type { SqlDialect } from '../../../runtime/residual/sql/index.js';

/** The command line options that name the tables of resources. */
export interface TableOptions {
  /** A file of tables. */
  readonly table?: string;
  readonly dialect: SqlDialect;
}

/** Adds `--table` and `--dialect` to a command. */
export function addTableOptions<C extends Command>(command: C, description: string): C {
  return command
    .option('--table <file>', description)
    .addOption(
      new Option('--dialect <dialect>', 'with --table: SQL dialect')
        .choices(['postgresql', 'mysql', 'sqlite'])
        .default('postgresql'),
    ) as C;
}
