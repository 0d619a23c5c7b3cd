import { type Command, Option } from 'commander';
import type { OnEnd } from '../command.js';
import type { CommandContext } from '../context.js';
import { collect, parseCount } from '../option-values.js';
import { nowOption } from '../policies/now-option.js';
import { addTableOptions } from '../policies/table-options.js';
import { tenantsOption } from '../policies/tenants-option.js';

/** Adds the commands that decide a request. */
export function addRequestCommands(program: Command, context: CommandContext, onEnd: OnEnd): void {
  addTableOptions(
    program
      .command('plan')
      .description('print a filter for the resources on which a principal may perform all actions')
      .argument('[dir]', 'policy folder', 'policies')
      .option(
        '--principal <file>',
        'file with the principal, YAML or JSON: id, roles, attr, scope, policyVersion; - reads standard input',
      )
      .option('--kind <kind>', 'resource kind')
      .option('--action <action>', 'action; repeatable: all of them must be allowed', collect)
      .option('--scope <scope>', 'scope of the resources')
      .option('--policy-version <version>', 'policy version')
      .option('--attr <file>', 'file with attributes that all resources share, YAML or JSON')
      .option('--aux-data <file>', 'file with token claims, assumed to be verified, YAML or JSON: jwt, jwts')
      .addOption(tenantsOption())
      .option('--lenient-scope-search', 'search parent scopes if a scope has no policy')
      .addOption(nowOption())
      .option('--reference-shapes', 'print the filter in the shape that Cerbos returns')
      .addOption(missingOption())
      .addOption(
        new Option('-o, --output <format>', 'output format').choices(['tree', 'text', 'json', 'sql']).default('tree'),
      ),
    'with -o sql or --database: file with the tables of the resources, YAML or JSON',
  )
    .option(
      '--database [url]',
      'with --table: compare the file with this database, or the one at DATABASE_URL; then print the plan, if there is a principal',
    )
    .action(async (directory, options) => {
      const { planCommand } = await import('./plan.js');
      onEnd(await planCommand(directory, options, context));
    });

  program
    .command('check')
    .description('decide whether a principal may perform actions on a resource')
    .argument('[dir]', 'policy folder', 'policies')
    .requiredOption(
      '--principal <file>',
      'file with the principal, YAML or JSON: id, roles, attr, scope, policyVersion; - reads standard input',
    )
    .requiredOption('--resource <file>', 'file with the resource, YAML or JSON: kind, id, attr, scope, policyVersion')
    .requiredOption('--action <action>', 'action; repeatable', collect)
    .option('--aux-data <file>', 'file with token claims, assumed to be verified, YAML or JSON: jwt, jwts')
    .addOption(tenantsOption())
    .option('--lenient-scope-search', 'search parent scopes if a scope has no policy')
    .addOption(nowOption())
    .option('--explain', 'explain why each action is allowed or denied')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .action(async (directory, options) => {
      const { checkCommand } = await import('./check.js');
      onEnd(await checkCommand(directory, options, context));
    });

  program
    .command('explain')
    .description(
      'explain a decision: which rules matched, how their conditions evaluated, and the smallest change that flips it',
    )
    .argument('[dir]', 'policy folder', 'policies')
    .option(
      '--principal <file>',
      'file with the principal, YAML or JSON: id, roles, attr, scope, policyVersion; - reads standard input',
    )
    .option('--resource <file>', 'file with the resource, YAML or JSON: kind, id, attr, scope, policyVersion')
    .requiredOption('--action <action>', 'action')
    .option('--user <id>', 'id of a user of a table, in place of --principal')
    .option('--users <file>', 'with --user: file that declares the table of users, and tables of resources')
    .option('--database [url]', 'with --user: database to read; default is DATABASE_URL')
    .option('--kind <kind>', 'with --user and --id: a resource of a table, in place of --resource')
    .option('--id <id>', 'id of the resource of --kind')
    .option('--actors <file>', 'file of principals that act for the principal, one through the other')
    .option('--aux-data <file>', 'file with token claims, assumed to be verified, YAML or JSON: jwt, jwts')
    .addOption(tenantsOption())
    .option('--lenient-scope-search', 'search parent scopes if a scope has no policy')
    .addOption(nowOption())
    .option('--near <number>', 'maximum number of change sets to show', parseCount, 3)
    .addOption(new Option('--keep <part>', 'part of the request to leave unchanged').choices(['principal', 'resource']))
    .option('--full', 'do not shorten long values')
    .option('--strict-evaluation', 'use strict evaluation: a condition that cannot be evaluated denies the request')
    .option('--without <rule>', 'explain the decision as it would be without this rule')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['pretty', 'json']).default('pretty'))
    .action(async (directory, options) => {
      const { explainCommand } = await import('./explain.js');
      onEnd(await explainCommand(directory, options, context));
    });
}

/** `null` is the former word. */
function missingOption(): Option {
  const option = new Option('--missing <word>', 'how the filter expresses that an attribute is missing').default('has');
  const parse = option.choices(['has', 'nulls']).parseArg;
  return option.argParser((word, before: unknown) => parse?.(word === 'null' ? 'nulls' : word, before));
}
