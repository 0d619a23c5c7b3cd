import { type AccessRequest, createEngine } from '../../../runtime/engine/index.js';
import { runtimeFolder } from '../../../compiler/load/runtime-folder.js';
import { protectTables } from '../../analysis/rls/protect.js';
import type { Protection } from '../../analysis/rls/protection.js';
import { Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import { formatPretty } from '../../../compiler/diagnostics/format.js';
import { fold } from '../../../compiler/optimise/index.js';
import { adviseNames } from '../../cel/check/did-you-mean.js';
import type { Program } from '../../../compiler/ir/program.js';
import type { TableFile } from '../../../compiler/tables/read-tables.js';
import { type CommandContext, isColorful } from '../context.js';
import { EXIT, UsageError } from '../exit.js';
import { isLogFormat, type LogFormat, printLog } from '../findings/log.js';
import { compiledFolder, type FolderCompilation } from '../policies/compile.js';
import { readEnforcedTables, readPrincipal } from '../policies/request-files.js';
import { choosePaint, InputError } from '../report.js';
import type { RowComparison } from '../rls/compare-rows.js';
import { connectDatabase, reportDatabaseError } from '../rls/database.js';
import { RLS_RULES, toFindings, verificationText } from '../rls/report.js';
import { type Verification, verifyDatabase } from '../rls/verify.js';
import { visibleJson } from '../../../compiler/diagnostics/visible.js';

/** The command line options of `authzc rls verify`. */
export interface RlsVerifyOptions {
  readonly table?: string;
  readonly kind?: readonly string[];
  readonly login?: string;
  readonly readOnly?: boolean;
  /** Compares so many rows of each table with check. */
  readonly rows?: number;
  /** Whether statements that change rows are tried and rolled back. */
  readonly write?: boolean;
  /** Files with principals that are tried beside those that are made. */
  readonly principal?: readonly string[];
  /** Whether findings that are neither proved nor refuted are no failure. */
  readonly allowUnknown?: boolean;
  readonly output: 'text' | 'json' | LogFormat;
}

/** `authzc rls verify`: whether a database enforces what the policies and a table file say. Returns the exit code. */
export async function rlsVerifyCommand(
  words: readonly (string | undefined)[],
  options: RlsVerifyOptions,
  context: CommandContext,
): Promise<number> {
  const { directory, url } = splitArguments(words, context);
  const table = requireTable(options);
  if (options.login === '') throw new UsageError('--login needs the name of a role');
  if (options.write === true && (options.rows === undefined || options.readOnly === true))
    throw new UsageError('--write needs --rows, and not --read-only');
  const compilation = compiledFolder(directory, context);
  if (compilation === undefined) return EXIT.refused;
  const file = readEnforcedTables(table, context);
  requireKinds(options.kind, [file], table);
  const protection = makeProtection(compilation.lowered, file, { ...options, table }, context);
  if (protection === undefined) return EXIT.failed;
  try {
    const connection = await connectDatabase(url);
    try {
      const verification = await verifyDatabase(connection, protection, file, {
        readOnly: options.readOnly === true,
        login: options.login,
        rows: options.rows === undefined ? undefined : await rowComparison(compilation, file, options, context),
      });
      print(verification, table, options.output, context);
      return chooseExitCode(verification, options.allowUnknown === true);
    } finally {
      await connection.close();
    }
  } catch (error) {
    return reportDatabaseError(error, context);
  }
}

/** The file that `--table` names. The option cannot be required by the parser, as `authzc rls` has it as well. */
export function requireTable({ table }: { readonly table?: string }): string {
  if (table === undefined) throw new UsageError('required option `--table <file>` not specified');
  return table;
}

/** Throws an InputError for a kind of `--kind` that has no table with `rls`. */
export function requireKinds(
  kinds: readonly string[] | undefined,
  files: readonly Pick<TableFile, 'rowSecurity'>[],
  table: string,
): void {
  const known = new Set(files.flatMap(({ rowSecurity }) => [...rowSecurity.keys()]));
  const unknown = kinds?.find((kind) => !known.has(kind));
  if (unknown !== undefined)
    throw new InputError(
      `no table with \`rls\` is of kind \`${unknown}\``,
      undefined,
      adviseNames(unknown, known),
      table,
    );
}

/**
 * What a database should enforce. Returns undefined if that cannot be said in SQL, after printing why.
 *
 * @param warns whether warnings are printed, too.
 * @param prefix written before the path of each error, to tell two states apart.
 * @throws InputError if no table has \`rls\`.
 */
export function makeProtection(
  program: Program,
  file: TableFile,
  {
    table,
    kind,
    warns = false,
    prefix = '',
  }: {
    readonly table: string;
    readonly kind?: readonly string[];
    readonly warns?: boolean;
    readonly prefix?: 'old:' | 'new:' | '';
  },
  context: CommandContext,
): Protection | undefined {
  if (file.rowSecurity.size === 0)
    throw new InputError(
      'no table has `rls`',
      undefined,
      [{ message: 'declare the action that each statement needs, and the roles: `rls: {select: view, to: [app]}`' }],
      `${prefix}${table}`,
    );
  const report = new Diagnostics();
  const protection = protectTables(fold(program), {}, file, report, kind);
  if (protection === undefined || (warns && !report.isEmpty))
    context.stderr.write(formatPretty(report.sorted(), { prefix, color: isColorful(context.stderr, context) }));
  return protection;
}

async function rowComparison(
  compilation: FolderCompilation & { readonly lowered: Program },
  file: TableFile,
  { rows = 0, write: writes = false, principal: files = [] }: RlsVerifyOptions,
  context: CommandContext,
): Promise<RowComparison> {
  if (file.session.source !== 'settings')
    throw new UsageError('--rows needs `principal: settings` in the table file: it sets the principal as a setting');
  const { loadEmitted } = await import('../../../compiler/bundle/load-emitted.js');
  const { policies } = await loadEmitted(compilation.files, runtimeFolder());
  const engine = createEngine(policies, { schemaEnforcement: file.session.enforcesSchemas ? 'reject' : 'none' });
  const principals = files.map((each) => {
    const { id, roles, attr = {} } = readPrincipal(each, context);
    return { id, roles, attr };
  });
  return {
    rows,
    file,
    program: compilation.lowered,
    principals,
    writes,
    isAllowed: (request) => engine.isAllowed(request as AccessRequest),
  };
}

const URL_OF_DATABASE = /^postgres(?:ql)?:/;

/** The policy folder and the URL of the database, of which each may be left out. */
function splitArguments(
  words: readonly (string | undefined)[],
  { env }: Pick<CommandContext, 'env'>,
): { readonly directory: string; readonly url: string | undefined } {
  const given = words.filter((word) => word !== undefined);
  const url = given.find((word) => URL_OF_DATABASE.test(word)) ?? (env['DATABASE_URL'] || undefined);
  const [directory = 'policies', ...others] = given.filter((word) => !URL_OF_DATABASE.test(word));
  if (others.length > 0) throw new UsageError('the URL of a database begins with `postgresql://`');
  if (url !== undefined && !URL_OF_DATABASE.test(url))
    throw new UsageError(
      'DATABASE_URL is not the URL of a PostgreSQL database: it does not begin with `postgresql://`',
    );
  if (url === undefined && !['PGHOST', 'PGDATABASE', 'PGSERVICE'].some((name) => env[name] !== undefined))
    throw new UsageError('no database: set DATABASE_URL, or add its URL to the command');
  return { directory, url };
}

function print(
  verification: Verification,
  table: string,
  output: RlsVerifyOptions['output'],
  context: CommandContext,
): void {
  const { stdout } = context;
  if (isLogFormat(output)) printLog(output, toFindings(verification, table), RLS_RULES, { stdout });
  else if (output === 'json') stdout.write(`${visibleJson(verification, 2)}\n`);
  else stdout.write(verificationText(verification, choosePaint(stdout, context)));
}

/** Notes are no failure. */
function chooseExitCode({ findings }: Verification, allowsUnknown: boolean): number {
  const fails = findings.some(
    ({ certainty }) => certainty === 'refuted' || (certainty === 'unknown' && !allowsUnknown),
  );
  return fails ? EXIT.failed : EXIT.done;
}
