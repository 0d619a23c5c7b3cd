import { type Command, Option } from 'commander';

/**
 * The commands that dist/server.js and authzc share: they show a configuration, and ask a running server for its health
 * and its audit log.
 */
export function addServerCommands(program: Command): void {
  program
    .command('config')
    .description('what a configuration says')
    .command('print')
    .description('print the configuration in force as YAML, with what each value comes from; secrets are masked')
    .option('--config <file>', 'configuration file (YAML)', process.env['AUTHZ_CONFIG'])
    .option('--set <key=value>', 'override a key of the configuration; may be repeated', collect, [])
    .action(async (options) => {
      const { configPrint } = await import('./config-print.js');
      process.exitCode = configPrint(options);
    });

  program
    .command('healthcheck')
    .alias('hc')
    .description('ask a running server whether it serves: ends with 0 when it does, 1 when it does not')
    .option('--config <file>', 'the configuration of the server: where it listens, and its certificate; AUTHZ_CONFIG')
    .addOption(new Option('--kind <kind>', 'how to ask').choices(['grpc', 'http']).default('grpc').env('AUTHZ_HC_KIND'))
    .option(
      '--host-port <address>',
      'whom to ask: host:port or unix:/path; 127.0.0.1:3593 or :3592 when absent; AUTHZ_HC_HOSTPORT',
    )
    .option('--ca-cert <file>', 'the authority of its certificate; AUTHZ_HC_CACERT')
    .option('--no-tls', 'it speaks plaintext; AUTHZ_HC_NOTLS')
    .option('--insecure', 'do not verify its certificate; AUTHZ_HC_INSECURE')
    .addOption(new Option('--timeout <duration>', 'how long to wait').default('2s').env('AUTHZ_HC_TIMEOUT'))
    .action(async (options) => {
      const { healthcheck } = await import('./healthcheck.js');
      process.exitCode = await healthcheck(options);
    });

  program
    .command('audit')
    .description('list entries of the audit log of a running server, by its admin API over gRPC')
    .addOption(new Option('--kind <kind>', 'which entries').choices(['access', 'decision']).default('access'))
    .option('--tail <count>', 'so many of the newest; 30 when nothing else is asked for')
    .option(
      '--between <start[,end]>',
      'those of a time, RFC 3339: 2026-01-31T08:00:00Z,2026-01-31T09:30:00Z; until now without an end',
    )
    .option('--since <duration>', 'those since so long ago: 3h')
    .option('--lookup <call-id>', 'those of one call')
    .option('--raw', 'one entry a line, as JSON')
    .addOption(
      new Option('--server <address>', 'whom to ask, where it speaks gRPC: host:port or unix:/path')
        .default('localhost:3593')
        .env('AUTHZ_SERVER'),
    )
    .addOption(new Option('--username <name>', 'the user of the admin API').env('AUTHZ_USERNAME'))
    .addOption(
      new Option(
        '--password <password>',
        'his password; other users of this machine can see a flag, but not a variable',
      ).env('AUTHZ_PASSWORD'),
    )
    .option('--ca-cert <file>', 'the authority of its certificate')
    .option('--client-cert <file>', 'a certificate for a server that wants one')
    .option('--client-key <file>', 'the key of that')
    .option('--insecure', 'do not verify its certificate')
    .option('--plaintext', 'it speaks plaintext')
    .action(async (options) => {
      const { audit } = await import('./audit.js');
      process.exitCode = await audit(options);
    });
}

/** Collects the values of a flag that may be repeated. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}
