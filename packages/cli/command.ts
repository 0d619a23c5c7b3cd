import type { EventEmitter } from 'node:events';
import { Command } from 'commander';
import type { CommandContext } from './context.js';

/** Takes the exit code of a command. */
export type OnEnd = (code: number) => void;

/** Creates a program that prints to the streams of a context, and whose options read its environment. */
export function programOf(name: string, context: CommandContext): Command {
  return new ContextCommand(name, context).exitOverride().configureOutput({
    writeOut: (text) => void context.stdout.write(text),
    writeErr: (text) => void context.stderr.write(text),
    getOutHelpWidth: () => (context.stdout.isTTY === true ? context.stdout.columns : undefined) as number,
    getErrHelpWidth: () => (context.stderr.isTTY === true ? context.stderr.columns : undefined) as number,
  });
}

/** Methods of Commander that its types do not declare. */
interface Untyped {
  readonly unknownCommand: () => never;
  readonly _dispatchHelpCommand: (this: Command, name: string | undefined) => unknown;
}

class ContextCommand extends Command {
  constructor(
    name: string | undefined,
    private readonly context: CommandContext,
  ) {
    super(name);
  }

  override createCommand(name?: string): Command {
    return new ContextCommand(name, this.context);
  }

  /** Extends a method of Commander, which shows the whole help for a command that does not exist. */
  protected _dispatchHelpCommand(name?: string): unknown {
    const isKnown = this.commands.some((command) => command.name() === name || command.aliases().includes(name ?? ''));
    if (name !== undefined && name !== 'help' && !isKnown) {
      this.args = [name];
      (this as unknown as Untyped).unknownCommand();
    }
    return (Command.prototype as unknown as Untyped)._dispatchHelpCommand.call(this, name);
  }

  /**
   * Replaces a method of Commander that reads the environment of the process, and that it has no setting for. A flag wins
   * over a variable.
   */
  protected _parseOptionsEnv(): void {
    for (const option of this.options) {
      const value = option.envVar === undefined ? undefined : this.context.env[option.envVar];
      const source = this.getOptionValueSource(option.attributeName());
      if (value !== undefined && (source === undefined || source === 'default'))
        // Commander is an emitter at run time, and its types declare only `on`.
        (this as unknown as EventEmitter).emit(`optionEnv:${option.name()}`, value);
    }
  }
}
