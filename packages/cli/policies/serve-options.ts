import { type Command, Option } from 'commander';
import { collect } from '../option-values.js';

/** Adds the argument and the options of the commands that compile a folder and serve it. */
export function addServeOptions(command: Command) {
  return command
    .argument('[dir]', 'the folder of the policies; default is storage.disk.directory of the configuration')
    .option('--config <file>', 'the configuration file')
    .option('--set <key=value>', 'override a key of the configuration; repeatable', collect, [])
    .option('--watch', 'compile again when a policy changes; also with storage.disk.watchForChanges')
    .option('--git <url#ref:path>', 'a folder of a git repository instead, compiled again when its commit changes')
    .option('--interval <duration>', 'how often the repository is asked', '60s')
    .option('--allow-empty', 'serve a folder without policies; every request is denied')
    .addOption(
      new Option('--log-level <level>', 'minimum level of the log; default is info on a terminal, else warn').choices([
        'debug',
        'info',
        'warn',
        'error',
      ]),
    );
}
