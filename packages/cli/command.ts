import type { EventEmitter } from 'node:events';
import { Command, type ErrorOptions, Help, type Option, type ParseOptionsResult } from 'commander';
import type { CommandContext } from './context.js';
import { nearestName } from '../cel/nearest-name.js';
import { choosePrefix } from './exit.js';
import { otherCommand, otherOption } from './other-names.js';

/** Takes the exit code of a command. */
export type OnEnd = (code: number) => void;

/** Creates a program that prints to the streams of a context, and whose options read its environment. */
export function makeProgram(name: string, context: CommandContext): Command {
  return new ContextCommand(name, context)
    .exitOverride()
    .configureHelp({ optionDescription })
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
      outputError: (text, write) => write(rewordUsageError(text, choosePrefix(context))),
      getOutHelpWidth: () => (context.stdout.isTTY === true ? context.stdout.columns : undefined) as number,
      getErrHelpWidth: () => (context.stderr.isTTY === true ? context.stderr.columns : undefined) as number,
    });
}

/** Describes an option in the help. Commander would show a list as JSON, also the empty one of a repeatable option. */
function optionDescription(this: Help, option: Option): string {
  const { defaultValue } = option;
  if (!Array.isArray(defaultValue)) return Help.prototype.optionDescription.call(this, option);
  const shown = Object.assign(Object.create(Object.getPrototypeOf(option) as object) as Option, option);
  shown.default(defaultValue.length === 0 ? undefined : defaultValue, defaultValue.join(','));
  return Help.prototype.optionDescription.call(this, shown);
}

/** Methods of Commander that its types do not declare. */
interface Untyped {
  readonly unknownCommand: (this: Command) => never;
  readonly _checkForMissingMandatoryOptions: (this: Command) => void;
  readonly _dispatchHelpCommand: (this: Command, name: string | undefined) => unknown;
}

/**
 * A message of Commander in the form of all others: text of the user is in backticks, and advice is a note.
 *
 * @param prefix the beginning of lines about the run of the program.
 */
function rewordUsageError(text: string, prefix: string): string {
  return (
    text
      .replace(/^error: /, prefix)
      // The text itself may have apostrophes.
      .replace(/'([^\n]*?)'(?=[\s.]|$)/g, '`$1`')
      .replace(/^(\S+ )command-argument value /, '$1')
      .replace(/ is invalid( for argument .*)?\. Allowed choices are (.*)\.$/m, ' is invalid$1: must be one of $2')
      .replace(/ is invalid\. It must be (.*)\.$/m, ' is invalid: must be $1')
      .replace(/^\(Did you mean (?:one of )?(.*)\?\)$/m, (_, names: string) => noteOfNames(names.split(', ')))
  );
}

function noteOfNames(names: readonly string[]): string {
  return `  note: did you mean ${names.map((name) => `\`${name}\``).join(' or ')}?`;
}

class ContextCommand extends Command {
  /** The first flag that this command does not have. */
  private unknownFlag: string | undefined;

  constructor(
    name: string | undefined,
    private readonly context: CommandContext,
    /** The names of the commands above. */
    private readonly above: readonly string[] = [],
  ) {
    super(name);
  }

  override createCommand(name?: string): Command {
    return new ContextCommand(name, this.context, [...this.above, this.name()]);
  }

  override copyInheritedSettings(source: Command): this {
    return super.copyInheritedSettings(source).showHelpAfterError(this.pointToHelp());
  }

  /** The line below an error in the arguments: the help of this command, which is short, not of the whole program. */
  pointToHelp(): string {
    return `  note: \`${[...this.above, this.name()].join(' ')} --help\` lists its options`;
  }

  /**
   * Replaces a method of Commander, which proposes options of similar letters only: `--filter` is rather a part of
   * `--test-filter`, and `--watch` is an option of another command.
   */
  protected unknownOption(written: string): void {
    const own = longOptions(this);
    const [flag = '', value] = written.split(/=(.*)/s, 2);
    if (value !== undefined && own.includes(flag))
      this.error(`error: option '${flag}' takes no value, not '${value}'`, { code: 'commander.unknownOption' });
    const word = flag.replace(/^--?/, '');
    const words = own.map((name) => name.replace(/^--/, ''));
    const parts = words.filter((name) => name.split('-').includes(word));
    const other = otherOption(flag, own);
    // `-w` is `--watch`.
    const initials = word.length === 1 ? words.filter((name) => name.startsWith(word)) : [];
    const named = [initials, parts].find((names) => names.length > 0) ?? [nearestName(word, words)];
    const near = other === undefined ? named.flatMap((name) => (name === undefined ? [] : [`--${name}`])) : [other];
    const others = findRoot(this)
      .commands.filter((command) => longOptions(command).includes(flag))
      .map((command) => `\`${findRoot(this).name()} ${command.name()}\``);
    const advice =
      near.length > 0
        ? [noteOfNames(near)]
        : others.length > 0
          ? [`  note: ${others.slice(0, 4).join(', ')} ${others.length === 1 ? 'has' : 'have'} this option`]
          : [];
    this.error([`error: unknown option '${written}'`, ...advice].join('\n'), { code: 'commander.unknownOption' });
  }

  /** Extends a method of Commander, which proposes commands of similar letters only. */
  protected unknownCommand(): void {
    const [name = ''] = this.args;
    const other = this.parent === null ? otherCommand(name) : undefined;
    if (other === undefined) (Command.prototype as unknown as Untyped).unknownCommand.call(this);
    this.error(`error: unknown command '${name}'\n${noteOfNames([`${this.name()} ${other}`])}`, {
      code: 'commander.unknownCommand',
    });
  }

  override parseOptions(words: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(words);
    [this.unknownFlag] = parsed.unknown;
    return parsed;
  }

  /** Extends a method of Commander, which misses `--principal` where an author wrote `--user`. */
  protected _checkForMissingMandatoryOptions(): void {
    if (this.unknownFlag !== undefined) this.unknownOption(this.unknownFlag);
    (Command.prototype as unknown as Untyped)._checkForMissingMandatoryOptions.call(this);
  }

  /** Extends a method of Commander: `-o` is a folder in many compilers. */
  override error(message: string, options?: ErrorOptions): never {
    const [, value] = /^error: option '-o, --output <format>' argument '([^'\n]+)' is invalid/.exec(message) ?? [];
    const isFolder = value !== undefined && longOptions(this).includes('--out');
    return super.error(isFolder ? `${message}\n${noteOfNames([`--out ${value}`])}` : message, options);
  }

  /**
   * Extends a method of Commander, which shows the whole help for a command that does not exist, and reads one name only:
   * `help bundle sign` is about a command of a command.
   */
  protected _dispatchHelpCommand(name?: string): unknown {
    const [first, ...below] = this.args.slice(1).filter((word) => !word.startsWith('-'));
    const found = this.commands.find((command) => command.name() === first || command.aliases().includes(first ?? ''));
    if (found instanceof ContextCommand && found.commands.length > 0 && below.length > 0) {
      found.args = ['help', ...below];
      return found._dispatchHelpCommand(below[0]);
    }
    if (first !== undefined && first !== 'help' && found === undefined) {
      this.args = [first];
      this.unknownCommand();
    }
    return (Command.prototype as unknown as Untyped)._dispatchHelpCommand.call(
      this,
      first === undefined ? undefined : name,
    );
  }

  /** Replaces a method of Commander, which counts arguments and does not quote the one that is wrong. */
  protected _excessArguments(received: readonly string[]): void {
    const taken = this.registeredArguments;
    const names = taken.map((argument) => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`));
    const takes = names.length === 0 ? 'no arguments' : `only ${names.join(' ')}`;
    const word = received[taken.length] ?? '';
    const isBundle = /\.(m?js|authzbundle)$/.test(word) && longOptions(this).includes('--bundle');
    const advice = isBundle ? noteOfNames([`--bundle ${word}`]) : `  note: \`${this.name()}\` takes ${takes}`;
    this.error(`error: unexpected argument '${word}'\n${advice}`, { code: 'commander.excessArguments' });
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

/** The long names of the options that the help of a command lists. */
function longOptions(command: Command): readonly string[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => long ?? []);
}

function findRoot(command: Command): Command {
  return command.parent === null ? command : findRoot(command.parent);
}
