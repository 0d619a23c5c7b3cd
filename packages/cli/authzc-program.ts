import { Argument, type Command, CommanderError, Option } from 'commander';
import { type OnEnd, makeProgram } from './command.js';
import type { CommandContext } from './context.js';
import { addGroups } from './command-groups.js';
import { addExamples } from './examples.js';
import { addAnalysisCommands } from './commands/analysis-commands.js';
import { addBundleCommands } from './commands/bundle-commands.js';
import { addPolicyCommands } from './commands/policy-commands.js';
import { addProcessCommands } from './commands/process-commands.js';
import { addProjectCommands } from './commands/project-commands.js';
import { addRequestCommands } from './commands/request-commands.js';
import { addServerCommands } from './commands/server-commands.js';
import { collect } from './option-values.js';
import { EXIT, failureMessage, printMessage, problemsIn, UsageError } from './exit.js';
import { InputError, reportInputError } from './report.js';
import { version } from '../../compiler/version.js';

/**
 * Runs `authzc`, in this process. Returns the exit code; a server, or a session with an editor or an agent, runs on.
 *
 * @param words the arguments.
 */
export async function runAuthzc(words: readonly string[], context: CommandContext): Promise<number> {
  let code: number = EXIT.done;
  const program = createProgram(context, (ended) => {
    code = ended;
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    return reportFailure(error, context);
  }
}

/** Creates the commands of `authzc`: those of a group, with their flags, are in a file of packages/cli/commands. */
function createProgram(context: CommandContext, onEnd: OnEnd): Command {
  const program = makeProgram('authzc', context)
    .description('compile authorization policies to TypeScript, and serve them')
    .version(version)
    .exitOverride()
    // Arguments after the program of `run` belong to that program.
    .enablePositionalOptions()
    .showHelpAfterError('  note: `authzc --help` lists the commands');

  addProjectCommands(program, context, onEnd);
  addPolicyCommands(program, context, onEnd);
  addRequestCommands(program, context, onEnd);
  addAnalysisCommands(program, context, onEnd);
  addProcessCommands(program, context, onEnd);
  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell) => {
      const { completionCommand } = await import('./commands/completion.js');
      onEnd(completionCommand(shell, program, context));
    });
  addBundleCommands(program, context, onEnd);
  addServerCommands(program, context, onEnd)
    .audit.command('verify')
    .description('verify the hash chains of audit logs: finds edited, dropped, inserted and reordered entries')
    .argument('<log...>', 'log files (.gz: compressed) or databases of the `local` backend; - reads standard input')
    .option('--key <file>', 'require checkpoints signed by this Ed25519 public key (PEM); repeatable', collect, [])
    .option(
      '--checkpoint <file>',
      'file with entries that the logs must contain: a state file, or the JSON output of an earlier verification; repeatable',
      collect,
      [],
    )
    .option('--partial', 'accept logs that begin in the middle of a chain because older logs were deleted')
    .option('--reformatted', 'accept entries that a program has parsed and reserialized')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['pretty', 'json']).default('pretty'))
    .action(async (logs, options) => {
      const { auditVerify } = await import('./commands/audit-verify.js');
      onEnd(await auditVerify(logs, options, context));
    });
  addExamples(program);
  addGroups(program);
  return program;
}

/** Commander has printed errors in the arguments; any other error is printed here, on one line. */
function reportFailure(error: unknown, context: CommandContext): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof InputError) return reportInputError(error, context);
  for (const each of problemsIn(error)) printMessage(context, failureMessage(each));
  return error instanceof UsageError ? EXIT.usage : EXIT.failed;
}
