import { type Command, Option } from 'commander';

/** The commands that dist/server.js and authzc share: they show a configuration, and ask a running server for its health. */
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
    .option('--host-port <address>', 'whom to ask: host:port or unix:/path; 127.0.0.1:3593 or :3592 when absent; AUTHZ_HC_HOSTPORT')
    .option('--ca-cert <file>', 'the authority of its certificate; AUTHZ_HC_CACERT')
    .option('--no-tls', 'it speaks plaintext; AUTHZ_HC_NOTLS')
    .option('--insecure', 'do not verify its certificate; AUTHZ_HC_INSECURE')
    .addOption(new Option('--timeout <duration>', 'how long to wait').default('2s').env('AUTHZ_HC_TIMEOUT'))
    .action(async (options) => {
      const { healthcheck } = await import('./healthcheck.js');
      process.exitCode = await healthcheck(options);
    });
}

/** Gathers a flag that may be repeated. */
export function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}
