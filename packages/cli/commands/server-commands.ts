import { type Command, Option } from 'commander';
import { collect, parseCount } from '../option-values.js';
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
    .description('inspect the server configuration')
    .command('print')
    .description('print the effective configuration as YAML, with the origin of each value; masks secrets')
    .option('--config <file>', 'configuration file (YAML)', context.env['AUTHZ_CONFIG'])
    .option('--set <key=value>', 'override a configuration key; repeatable', collect, [])
    .action(async (options) => {
      const { configPrint } = await import('./config-print.js');
      onEnd(configPrint(options, context));
    });

  program
    .command('admin')
    .description('set up the admin of a server')
    .command('hash')
    .description('read a password and print the credentials of the admin as keys of the configuration')
    .option('--username <name>', 'the user name', 'admin')
    .action(async (options) => {
      const { adminHash } = await import('./admin-hash.js');
      onEnd(await adminHash(options, context));
    });

  program
    .command('healthcheck')
    .alias('hc')
    .description('check whether a running server is healthy; exits with 0 or 1')
    .option('--config <file>', 'server configuration, for the address and certificate; AUTHZ_CONFIG')
    .addOption(new Option('--kind <kind>', 'protocol').choices(['grpc', 'http']).default('grpc').env('AUTHZ_HC_KIND'))
    .option(
      '--host-port <address>',
      'address: host:port or unix:/path; default is 127.0.0.1:3593, or :3592 for http; AUTHZ_HC_HOSTPORT',
    )
    .option('--ca-cert <file>', 'CA certificate of the server (PEM); AUTHZ_HC_CACERT')
    .option('--no-tls', 'connect without TLS; AUTHZ_HC_NOTLS')
    .option('--insecure', 'do not verify the certificate; AUTHZ_HC_INSECURE')
    .addOption(new Option('--timeout <duration>', 'timeout').default('2s').env('AUTHZ_HC_TIMEOUT'))
    .action(async (options) => {
      const { healthcheck } = await import('./healthcheck.js');
      onEnd(await healthcheck(options, context));
    });

  program
    .command('fleet')
    .description('query a fleet of servers')
    .command('status')
    .description('show which bundle each server uses and which rollout it is in; fails if they differ')
    .argument('[url...]', 'server URLs, such as https://pdp-1.internal:3592')
    .option('--file <file>', 'file with one server URL per line')
    .addOption(new Option('--username <name>', 'user of the admin API').env('AUTHZ_USERNAME'))
    .addOption(new Option('--password <password>', 'password of the user').env('AUTHZ_PASSWORD'))
    .option('--timeout <duration>', 'timeout per server', '5s')
    .option('--concurrency <number>', 'number of servers to query at a time', parseCount, 16)
    .addOption(new Option('-o, --output <format>', 'output format').choices(['pretty', 'json']).default('pretty'))
    .action(async (urls, options) => {
      const { fleetStatus } = await import('./fleet-status.js');
      onEnd(await fleetStatus(urls, options, context));
    });

  const audit = program
    .command('audit')
    .description('list audit log entries of a running server, through its admin API')
    .addOption(new Option('--kind <kind>', 'entry kind').choices(['access', 'decision']).default('access'))
    .option('--tail <count>', 'number of newest entries; default is 30 without another filter')
    .option(
      '--between <start[,end]>',
      'entries between two RFC 3339 times: 2026-01-31T08:00:00Z,2026-01-31T09:30:00Z; the end defaults to now',
    )
    .option('--since <duration>', 'entries of the last period, such as 3h')
    .option('--lookup <call-id>', 'entries of a call')
    .option('--raw', 'print one JSON entry per line')
    .addOption(
      new Option('--server <address>', 'gRPC address of the server: host:port or unix:/path')
        .default('localhost:3593')
        .env('AUTHZ_SERVER'),
    )
    .addOption(new Option('--username <name>', 'user of the admin API').env('AUTHZ_USERNAME'))
    .addOption(
      new Option(
        '--password <password>',
        'password of the user; prefer the variable: other users of this machine can see flags',
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
