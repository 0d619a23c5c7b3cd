import { type Command, Option } from 'commander';
import { collect, parsePort } from '../option-values.js';

/** Adds the argument and the options of the commands that compile a folder and serve it. */
export function addServeOptions(command: Command) {
  return addListenOptions(command)
    .option('--watch', 'recompile when a policy changes; also set by storage.disk.watchForChanges')
    .option('--git <url#ref:path>', 'serve a folder of a git repository instead, and recompile when its commit changes')
    .option('--interval <duration>', 'polling interval of the repository', '60s')
    .option('--allow-empty', 'accept a folder without policies; every request is denied');
}

/** Adds what `authzc dev`, which always watches a folder, has of these options. */
export function addDevOptions(command: Command) {
  return addListenOptions(command).addOption(new Option('--watch').hideHelp());
}

function addListenOptions(command: Command) {
  return command
    .argument('[dir]', 'policy folder; default is storage.disk.directory of the configuration')
    .option('--config <file>', 'configuration file')
    .option('--set <key=value>', 'override a configuration key; repeatable', collect, [])
    .option('--port <number>', 'port of REST, Connect and gRPC on the configured hosts; 0 picks a free one', parsePort)
    .addOption(
      new Option('--log-level <level>', 'minimum log level; default is info on a terminal, else warn').choices([
        'debug',
        'info',
        'warn',
        'error',
      ]),
    );
}
