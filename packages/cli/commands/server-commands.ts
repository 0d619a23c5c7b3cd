import { type Command, Option } from 'commander';
import { collect, countOf } from '../option-values.js';
import type { OnEnd } from '../command.js';
import type { CommandContext } from '../context.js';

/** Adds the commands that dist/server.js and authzc share. They need no compiler. Returns one that authzc extends. */
export function addServerCommands(
  program: Command,
  context: CommandContext,
  onEnd: OnEnd,
): { readonly audit: Command } {
  program
    .command('config')
    .description('print a configuration')
    .command('print')
    .description('print the effective configuration as YAML, with the origin of each value; secrets are masked')
    .option('--config <file>', 'configuration file (YAML)', context.env['AUTHZ_CONFIG'])
    .option('--set <key=value>', 'override a key of the configuration; repeatable', collect, [])
    .action(async (options) => {
      const { configPrint } = await import('./config-print.js');
      onEnd(configPrint(options, context));
    });

  program
    .command('healthcheck')
    .alias('hc')
    .description('check whether a running server is healthy: exit code 0 if it is, 1 if not')
    .option('--config <file>', 'the configuration of the server, for its address and certificate; AUTHZ_CONFIG')
    .addOption(
      new Option('--kind <kind>', 'protocol of the request')
        .choices(['grpc', 'http'])
        .default('grpc')
        .env('AUTHZ_HC_KIND'),
    )
    .option(
      '--host-port <address>',
      'address: host:port or unix:/path; default 127.0.0.1:3593, or :3592 for http; AUTHZ_HC_HOSTPORT',
    )
    .option('--ca-cert <file>', 'CA certificate of the server (PEM); AUTHZ_HC_CACERT')
    .option('--no-tls', 'connect without TLS; AUTHZ_HC_NOTLS')
    .option('--insecure', 'do not verify the certificate; AUTHZ_HC_INSECURE')
    .addOption(
      new Option('--timeout <duration>', 'how long to wait for the response').default('2s').env('AUTHZ_HC_TIMEOUT'),
    )
    .action(async (options) => {
      const { healthcheck } = await import('./healthcheck.js');
      onEnd(await healthcheck(options, context));
    });

  program
    .command('fleet')
    .description('ask many servers')
    .command('status')
    .description('show which bundle each server decides by, and what it tries; fails if servers disagree')
    .argument('[url...]', 'the servers, such as https://pdp-1.internal:3592')
    .option('--file <file>', 'a file with the URL of a server on each line')
    .addOption(new Option('--username <name>', 'the user of the admin API').env('AUTHZ_USERNAME'))
    .addOption(new Option('--password <password>', 'its password').env('AUTHZ_PASSWORD'))
    .option('--timeout <duration>', 'how long to wait for each server', '5s')
    .option('--concurrency <number>', 'how many servers to ask at a time', countOf, 16)
    .addOption(
      new Option('-o, --output <format>', 'format of the report').choices(['pretty', 'json']).default('pretty'),
    )
    .action(async (urls, options) => {
      const { fleetStatus } = await import('./fleet-status.js');
      onEnd(await fleetStatus(urls, options, context));
    });

  const audit = program
    .command('audit')
    .description('list audit log entries of a running server through its admin API')
    .addOption(new Option('--kind <kind>', 'kind of the entries').choices(['access', 'decision']).default('access'))
    .option('--tail <count>', 'the newest entries; 30 without another filter')
    .option(
      '--between <start[,end]>',
      'entries of a period, in RFC 3339: 2026-01-31T08:00:00Z,2026-01-31T09:30:00Z; the end defaults to now',
    )
    .option('--since <duration>', 'entries of the last duration, such as 3h')
    .option('--lookup <call-id>', 'entries of one call')
    .option('--raw', 'print one JSON entry per line')
    .addOption(
      new Option('--server <address>', 'gRPC address of the server: host:port or unix:/path')
        .default('localhost:3593')
        .env('AUTHZ_SERVER'),
    )
    .addOption(new Option('--username <name>', 'the user of the admin API').env('AUTHZ_USERNAME'))
    .addOption(
      new Option(
        '--password <password>',
        'the password of the user; other users of this machine can see a flag, but not a variable',
      ).env('AUTHZ_PASSWORD'),
    )
    .option('--ca-cert <file>', 'CA certificate of the server (PEM)')
    .option('--client-cert <file>', 'client certificate (PEM), if the server requires one')
    .option('--client-key <file>', 'key of the client certificate (PEM)')
    .option('--insecure', 'do not verify the certificate')
    .option('--plaintext', 'connect without TLS')
    .action(async (options) => {
      const command = await import('./audit.js');
      onEnd(await command.audit(options, context));
    });
  return { audit };
}
