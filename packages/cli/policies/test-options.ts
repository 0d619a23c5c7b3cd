import { type Command, Option } from 'commander';
import type { CommandContext } from '../context.js';
import { printMessage } from '../exit.js';
import { isLogFormat } from '../findings/log.js';
import { nowOption, type NowOption } from './now-option.js';
import { TEST_FORMATS, type TestFormat } from '../../policy-tests/report/formats.js';

/** The options of the commands that run policy tests. */
export interface TestOptions extends NowOption {
  /** The folder of the tests; by default the folder of the policies. */
  readonly tests?: string;
  readonly testFilter?: readonly string[];
  readonly skipBatching?: boolean;
  readonly strictEvaluation?: boolean;
  readonly ignoreSchemas?: boolean;
  readonly testOutput?: TestFormat;
  readonly verbose?: boolean;
}

/** A log for programs has the results of tests, too: standard output has room for one document. */
export function hasTwoOutputs(
  { output, testOutput }: TestOptions & { readonly output: string },
  context: CommandContext,
): boolean {
  if (!isLogFormat(output) || testOutput === undefined) return false;
  printMessage(context, `\`--output ${output}\` includes the results of tests; leave out \`--test-output\``);
  return true;
}

/** Adds these options to a command. */
export function addTestOptions(command: Command): Command {
  return command
    .option('--tests <dir>', 'test folder; default is the policy folder')
    .option(
      '--test-filter <filter>',
      'run only some tests, `suite=GLOB,GLOB;test=GLOB;principal=GLOB;resource=GLOB;action=GLOB`; repeatable',
      (value: string, earlier: readonly string[] = []) => [...earlier, value],
    )
    .option('--skip-batching', 'send one request per action')
    .addOption(nowOption('current time in tests that do not set one, such as 2025-01-31T00:00:00Z'))
    .option('--strict-evaluation', 'run the tests in strict evaluation mode')
    .option('--ignore-schemas', 'do not validate attributes')
    .addOption(new Option('--test-output <format>', 'format of test results').choices([...TEST_FORMATS]))
    .option('--verbose', 'also show passed tests and how decisions were made');
}
