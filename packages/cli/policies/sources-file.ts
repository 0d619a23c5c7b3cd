import { dirname, resolve } from 'node:path';
import { factName } from '../../../runtime/facts/fact-names.js';
import type { FactProvider } from '../../../runtime/facts/unprovided.js';
import type { CommandContext } from '../context.js';
import { InputError } from '../report.js';
import { readAttributes, readTableFile } from './request-files.js';

type Members = { readonly [name: string]: unknown };

/**
 * The sources of facts in a configuration of the server, `sources`, by what they provide, and the facts that
 * `sources.sent` says that callers send. Throws an InputError.
 */
export function readSources(file: string, context: CommandContext): readonly FactProvider[] {
  const { sources } = readAttributes(file, context) as Members;
  if (!isMembers(sources)) throw new InputError('it has no `sources`', undefined, [], file);
  const listed = isMembers(sources['from']) ? sources['from'] : {};
  const providing = Object.entries(listed).map(([name, source]) => readSource(name, source, file, context));
  const sent = new Set(readTexts(sources['sent'] ?? [], 'sources.sent', file));
  const kinds = new Set(['principal', ...providing.map(({ of }) => of)]);
  return [...providing, ...[...kinds].map((of) => ({ of, facts: sent }))];
}

function readSource(name: string, source: unknown, file: string, context: CommandContext): FactProvider {
  const at = `sources.from.${name}`;
  const { of, provides, sql } = isMembers(source) ? source : {};
  if (typeof of !== 'string') throw new InputError(`\`${at}.of\` must be a kind or \`principal\``, undefined, [], file);
  const names = isMembers(provides)
    ? Object.keys(provides)
    : provides === undefined && isMembers(sql)
      ? columnsOf(sql, at, file, context)
      : readTexts(provides, `${at}.provides`, file);
  const root = of === 'principal' ? 'principal.attr' : 'resource.attr';
  return { of, facts: new Set(names.map((attribute) => factName(root, attribute))) };
}

/** The attributes that columns of a table hold. */
function columnsOf({ tables, table }: Members, at: string, file: string, context: CommandContext): readonly string[] {
  if (typeof tables !== 'string' || typeof table !== 'string')
    throw new InputError(`\`${at}.sql\` must have \`tables\` and \`table\``, undefined, [], file);
  const found = readTableFile(resolve(dirname(file), tables), context).get(table);
  if (found === undefined) throw new InputError(`\`${tables}\` has no table for \`${table}\``, undefined, [], file);
  return Object.entries(found.columns).flatMap(([path, column]) =>
    'relation' in column ? [] : [path.split('.')[0] as string],
  );
}

function readTexts(list: unknown, at: string, file: string): readonly string[] {
  if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list;
  throw new InputError(`\`${at}\` must be a list of names`, undefined, [], file);
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
