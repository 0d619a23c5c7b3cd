import { checkNarrowing } from '../../analysis/decision/narrowing.js';
import { countUsers, type MatrixUsers } from '../../analysis/people/count-people.js';
import { type Matrix, type MatrixOptions, makeMatrix } from '../../analysis/matrix/matrix.js';
import { matrixHtml } from '../../analysis/matrix/report/html.js';
import { matrixJson } from '../../analysis/matrix/report/json.js';
import { matrixMarkdown } from '../../analysis/matrix/report/markdown.js';
import { matrixText } from '../../analysis/matrix/report/text.js';
import { shownPath } from '../../../compiler/diagnostics/format.js';
import { visibleJson } from '../../../compiler/diagnostics/visible.js';
import { fold } from '../../../compiler/optimise/index.js';
import type { CommandContext } from '../context.js';
import { EXIT, UsageError } from '../exit.js';
import { compiledFolder } from '../policies/compile.js';
import { readEnforcedTables, readPrincipals, requireUsers } from '../policies/request-files.js';
import { readUsers } from '../review/population.js';
import { DatabaseError, reportDatabaseError } from '../rls/database.js';

/** The command line options of `authzc matrix`. */
export interface MatrixCommandOptions
  extends Pick<MatrixOptions, 'kind' | 'action' | 'role' | 'scope' | 'lenientScopeSearch'> {
  readonly output: 'pretty' | 'markdown' | 'html' | 'json';
  /** A file of tables with `users`. */
  readonly users?: string;
  /** A file of principals. */
  readonly data?: string;
  /** A database; true for that of the environment. */
  readonly database?: string | true;
}

/** `authzc matrix`: who may do what, as tables. Returns the exit code. */
export async function matrixCommand(
  directory: string,
  options: MatrixCommandOptions,
  context: CommandContext,
): Promise<number> {
  try {
    return await writtenMatrix(directory, options, context);
  } catch (error) {
    return reportDatabaseError(error, context);
  }
}

async function writtenMatrix(
  directory: string,
  { output, users: file, data, database, ...options }: MatrixCommandOptions,
  context: CommandContext,
): Promise<number> {
  if (file !== undefined && data !== undefined)
    throw new UsageError('name the users once: by `--users` or by `--data`');
  const compilation = compiledFolder(directory, context);
  if (compilation === undefined) return EXIT.refused;
  const { kind, action, scope, lenientScopeSearch } = options;
  checkNarrowing({ kind, action, scope }, [compilation.lowered], lenientScopeSearch);
  const users =
    data !== undefined
      ? { list: readPrincipals(data, context) }
      : file === undefined
        ? undefined
        : await readStoredUsers(file, database, context);
  const matrix = makeMatrix(fold(compilation.lowered), { ...options, count: users && countUsers(users) });
  if (matrix.tables.length === 0)
    throw new Error('no policy covers this kind, action, role and scope; `authzc inspect` lists their names');
  context.stdout.write(formatMatrix(matrix, output, (file) => shownPath(file, directory)));
  return EXIT.done;
}

/** The users of a database who are principals. */
async function readStoredUsers(
  file: string,
  database: string | true | undefined,
  context: CommandContext,
): Promise<MatrixUsers> {
  const users = requireUsers(readEnforcedTables(file, context), file);
  const { requireUrl, withTables } = await import('../tables/open-tables.js');
  const read = await withTables(requireUrl(database, context), ({ select }, dialect) =>
    readUsers(select, users, dialect),
  );
  const [problem] = read.unread;
  if (problem !== undefined) throw new DatabaseError(problem);
  return {
    // Where the table says the scopes, a user without one has none.
    list: read.users.flatMap(({ principal }) =>
      principal === undefined ? [] : [users.scope === undefined ? principal : { scope: '', ...principal }],
    ),
    attributes: Object.keys(users.columns).filter((path) => !path.includes('.')),
  };
}

function formatMatrix(
  matrix: Matrix,
  output: MatrixCommandOptions['output'],
  pathOf: (file: string) => string,
): string {
  switch (output) {
    case 'pretty':
      return matrixText(matrix, pathOf);
    case 'markdown':
      return matrixMarkdown(matrix, pathOf);
    case 'html':
      return matrixHtml(matrix, pathOf);
    case 'json':
      return `${visibleJson(matrixJson(matrix), 2)}\n`;
  }
}
