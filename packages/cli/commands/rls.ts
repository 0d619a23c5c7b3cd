import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { drizzleModule } from '../../analysis/rls/drizzle-module.js';
import type { Protection } from '../../analysis/rls/protection.js';
import { dropScript, securityScript, supportScript } from '../../analysis/rls/script.js';
import type { CommandContext } from '../context.js';
import { EXIT, printMessage, UsageError } from '../exit.js';
import { compiledFolder } from '../policies/compile.js';
import { readEnforcedTables } from '../policies/request-files.js';
import { makeProtection, requireKinds, requireTable } from './rls-verify.js';
import { visibleJson } from '../../../compiler/diagnostics/visible.js';

/** The command line options of `authzc rls`. */
export interface RlsCommandOptions {
  readonly table?: string;
  readonly kind?: readonly string[];
  readonly out?: string;
  readonly check?: string;
  readonly drop?: boolean;
  readonly output: RlsFormat;
  readonly name?: string;
}

/** How row level security is written. */
type RlsFormat = 'sql' | 'supabase' | 'prisma' | 'drizzle' | 'json';

/** `authzc rls`: policies of PostgreSQL that show to each principal the rows that a check allows. Returns the exit code. */
export function rlsCommand(directory: string, options: RlsCommandOptions, context: CommandContext): number {
  if (options.out !== undefined && options.check !== undefined)
    throw new UsageError('--out writes a file and --check compares with one: use one of them');
  const isMigration = options.output === 'supabase' || options.output === 'prisma';
  if (isMigration !== (options.name !== undefined) && options.check === undefined)
    throw new UsageError(
      isMigration
        ? `-o ${options.output} needs --name, as in --name 20250131_rls`
        : '--name is the name of a migration: use it with -o supabase or -o prisma',
    );
  if (options.name !== undefined && !/^\w[\w.-]*$/.test(options.name))
    throw new UsageError('--name needs letters, digits, `_`, `-` and `.`');
  if (options.output === 'drizzle' && options.out === undefined && options.check === undefined)
    throw new UsageError('-o drizzle writes two files: name their folder with --out');
  const table = requireTable(options);
  const compilation = compiledFolder(directory, context);
  if (compilation === undefined) return EXIT.refused;
  const file = readEnforcedTables(table, context);
  requireKinds(options.kind, [file], table);
  const protection = makeProtection(
    compilation.lowered,
    file,
    { ...options, table, warns: options.check === undefined && options.drop !== true },
    context,
  );
  if (protection === undefined) return EXIT.failed;
  const written = listFiles(protection, options);
  if (options.check !== undefined) {
    const folder = options.check;
    const codes = written.map(({ name, text }) => compareFile(join(folder, name), text, context));
    return Math.max(...codes);
  }
  const folder = options.out ?? DEFAULT_FOLDERS[options.output];
  for (const { name, text } of written) {
    if (folder === undefined) context.stdout.write(text);
    else writeText(join(folder, name), text);
  }
  return EXIT.done;
}

/** Where migrations of a tool are. */
const DEFAULT_FOLDERS: { readonly [format in RlsFormat]?: string } = {
  supabase: 'supabase/migrations',
  prisma: 'prisma/migrations',
};

/** The files of a format; a name is relative to what --out names, and empty if that is the file. */
function listFiles(
  protection: Protection,
  { output, name, drop, check }: RlsCommandOptions,
): readonly { readonly name: string; readonly text: string }[] {
  if (output === 'json') {
    const told = { ...protection, computed: protection.computed.map(({ id }) => id) };
    return [{ name: '', text: `${visibleJson(told, 2)}\n` }];
  }
  if (output === 'drizzle' && drop !== true)
    return [
      { name: 'policies.ts', text: drizzleModule(protection) },
      { name: 'support.sql', text: supportScript(protection) },
    ];
  const text = drop === true ? dropScript(protection) : securityScript(protection);
  if (check !== undefined || name === undefined) return [{ name: '', text }];
  return [{ name: output === 'prisma' ? join(name, 'migration.sql') : `${name}.sql`, text }];
}

function writeText(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/**
 * Whether what a table file says can be enforced and, if a file is named, whether that is the script of it. Writes nothing.
 * Returns the exit code; undefined if no table has `rls`.
 */
export function checkRowSecurity(
  directory: string,
  table: string,
  script: string | undefined,
  context: CommandContext,
): number | undefined {
  const file = readEnforcedTables(table, context);
  if (file.rowSecurity.size === 0 && script === undefined) return undefined;
  const compilation = compiledFolder(directory, context);
  if (compilation === undefined) return EXIT.refused;
  const protection = makeProtection(compilation.lowered, file, { table }, context);
  if (protection === undefined) return EXIT.failed;
  return script === undefined ? EXIT.done : compareFile(script, securityScript(protection), context);
}

/** A script without the comments that name rules and their lines: an edit that moves a rule changes nothing else. */
function withoutRules(text: string): string {
  return text.replace(/(?:^-- [^\n]*: (?:allowed|denied) by [^\n]*\n)+(?=CREATE POLICY authz_)/gm, '');
}

/** Compares a file with what would be written to it. */
function compareFile(file: string, text: string, context: CommandContext): number {
  const isThere = existsSync(file);
  if (isThere && withoutRules(readFileSync(file, 'utf8').replaceAll('\r\n', '\n')) === withoutRules(text))
    return EXIT.done;
  printMessage(context, `${file} ${isThere ? 'is out of date' : 'does not exist'}: write it with \`authzc rls --out\``);
  return EXIT.failed;
}
