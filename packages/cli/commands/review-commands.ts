import { type Command, Option } from 'commander';
import type { OnEnd } from '../command.js';
import type { CommandContext } from '../context.js';
import { collect } from '../option-values.js';
import { addEngineFlags } from '../policies/engine-flags.js';
import { nowOption } from '../policies/now-option.js';
import { tenantsOption } from '../policies/tenants-option.js';

/** Adds `review` and the commands below it. */
export function addReviewCommands(program: Command, context: CommandContext, onEnd: OnEnd): void {
  const review = program.command('review').description('review who has access to what, with evidence and decisions');
  addSources(
    review
      .command('start')
      .description('freeze the users and resources under review: their counts and hashes')
      .option('--action <action...>', 'actions to review; default is those that policies name for the kinds'),
  ).action(async (directory, options) => {
    const { reviewStartCommand } = await import('./review-start.js');
    onEnd(await reviewStartCommand(directory, options, context));
  });
  addSources(
    review
      .command('export')
      .description('write who may do what, why, and what could not be evaluated')
      .addOption(new Option('-o, --output <format>', 'output format').choices(['csv', 'json', 'html']).default('csv'))
      .requiredOption('--out <file>', 'file to write')
      .option('--key <file>', 'with -o html: private key that signs the page, in PEM; the signature is FILE.jws'),
  ).action(async (directory, options) => {
    const { reviewExportCommand } = await import('./review-export.js');
    onEnd(await reviewExportCommand(directory, options, context));
  });
  addSources(
    review
      .command('record')
      .description('record decisions, and show what changed since an export')
      .requiredOption('--export <file>', 'export of the review, JSON or CSV')
      .option('--decisions <file>', 'decisions to record: the CSV of an export with decisions in it, or a list in JSON')
      .option('--by <name>', 'who decided, if the file does not say'),
  ).action(async (directory, options) => {
    const { reviewRecordCommand } = await import('./review-record.js');
    onEnd(await reviewRecordCommand(directory, options, context));
  });
  review
    .command('verify')
    .description('verify the signature of a page that `review export` wrote')
    .argument('<file>', 'page, with its signature in FILE.jws beside it')
    .requiredOption('--key <file>', 'public keys, PEM or JWK; repeatable', collect)
    .action(async (file, options) => {
      const { reviewVerifyCommand } = await import('./review-verify.js');
      onEnd(await reviewVerifyCommand(file, options, context));
    });
}

/** Adds the options that say who and what is reviewed. */
function addSources(command: Command): Command {
  return addEngineFlags(
    command
      .argument('[dir]', 'policy folder', 'policies')
      .requiredOption('--review <file>', 'file of the review')
      .option('--users <file>', 'file that declares the table of users, and the tables of resources, YAML or JSON')
      .option('--database [url]', 'with --users: database to read; default is DATABASE_URL')
      .option('--data <file>', 'file of principals, YAML or JSON, in place of --users')
      .option('--kind <kind...>', 'with --users: kinds of resources that are read from their tables')
      .option('--resources <file>', 'file of resources, YAML or JSON')
      .option('--actors <file>', 'file of principals that act for users; also reviews what users may do through them')
      .addOption(nowOption())
      .addOption(tenantsOption()),
    {
      globals: 'file with the globals, YAML or JSON',
      schemas: 'whether to deny requests that violate their schemas; default as in --config',
    },
  );
}
