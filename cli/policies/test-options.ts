import { type Command, Option } from 'commander';
import { TEST_FORMATS, type TestFormat } from '../../compiler/policy-tests/report/formats.js';

/** The options of everything that runs tests of policies, as commander gives them. */
export interface TestOptions {
  /** The folder of the tests; that of the policies when absent. */
  readonly tests?: string;
  readonly testFilter?: readonly string[];
  readonly skipBatching?: boolean;
  readonly strictEvaluation?: boolean;
  readonly ignoreSchemas?: boolean;
  readonly testOutput?: TestFormat;
  readonly verbose?: boolean;
}

/** Adds those options to a command. */
export function addTestOptions(command: Command): Command {
  return command
    .option('--tests <dir>', 'the folder of the tests; that of the policies when absent')
    .option(
      '--test-filter <filter>',
      'run only some tests, `suite=GLOB,GLOB;test=GLOB;principal=GLOB;resource=GLOB;action=GLOB`; may be repeated',
      (value: string, earlier: readonly string[] = []) => [...earlier, value],
    )
    .option('--skip-batching', 'ask about each action by itself')
    .option('--strict-evaluation', 'test in strict evaluation')
    .option('--ignore-schemas', 'test without schemas')
    .addOption(new Option('--test-output <format>', 'how to show the results of tests').choices([...TEST_FORMATS]))
    .option('--verbose', 'show tests that passed as well, and how decisions came about');
}
