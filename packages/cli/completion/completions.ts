import type { Command, Option } from 'commander';

/** What a shell offers after the words of one command. */
export interface CommandCompletion {
  /** The words of the command, each after a space, such as ` config print`; empty for the program itself. */
  readonly path: string;
  readonly flags: readonly FlagCompletion[];
  readonly commands: readonly NamedCommand[];
  /** Values of all its arguments. */
  readonly arguments: Values;
}

/** A command of a command. */
export interface NamedCommand {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly description: string;
}

/** A flag of a command. */
export interface FlagCompletion {
  /** `-o`, `--output`. */
  readonly names: readonly string[];
  readonly description: string;
  /** Undefined if it takes no value. */
  readonly values: Values | undefined;
}

/** The values that a shell offers: words, paths, or none, because anything can be written. */
export type Values =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'files' | 'directories' | 'anything' };

/** The names of values, as in `--out <dir>`, that are paths. */
const PATHS: ReadonlyMap<string, 'files' | 'directories'> = new Map([
  ['dir', 'directories'],
  ['file', 'files'],
  ['log', 'files'],
  ['new', 'directories'],
  ['old', 'directories'],
  ['path', 'files'],
  ['program', 'files'],
  ['set', 'directories'],
]);

/**
 * The completions of a program and of all its commands, from their definitions.
 *
 * @param words the values of arguments that have no list of choices, by the name of the argument.
 */
export function listCompletions(
  program: Command,
  words: ReadonlyMap<string, readonly string[]>,
): readonly CommandCompletion[] {
  const visit = (command: Command, path: string, siblings: readonly string[]): readonly CommandCompletion[] => {
    const commands = command.createHelp().visibleCommands(command);
    const names = commands.map((child) => child.name());
    // The argument of `help`.
    const known = new Map([...words, ['command', siblings]]);
    const own: CommandCompletion = {
      path,
      flags: command.createHelp().visibleOptions(command).map(completeFlag),
      commands: commands.map((child) => ({
        name: plainWord(child.name()),
        aliases: child.aliases().map(plainWord),
        description: child.description(),
      })),
      arguments:
        command.registeredArguments
          .map((argument) => completeValues(argument.name(), argument.argChoices ?? known.get(argument.name())))
          .find(({ kind }) => kind !== 'anything') ?? ANYTHING,
    };
    return [own, ...commands.flatMap((child) => visit(child, `${path} ${child.name()}`, names))];
  };
  return visit(program, '', []);
}

const ANYTHING: Values = { kind: 'anything' };

function completeFlag(option: Option): FlagCompletion {
  const { short, long, required, optional, flags, argChoices, description } = option;
  const value = /[<[]([\w-]+)/.exec(flags)?.[1] ?? '';
  return {
    names: [short, long].flatMap((name) => (name === undefined ? [] : plainWord(name))),
    description,
    values: required || optional ? completeValues(value, argChoices) : undefined,
  };
}

function completeValues(name: string, words: readonly string[] | undefined): Values {
  if (words !== undefined) return { kind: 'words', words: words.map(plainWord) };
  return { kind: PATHS.get(name) ?? 'anything' };
}

/** Scripts contain words as they are, so none may have a meaning for a shell. */
function plainWord(word: string): string {
  if (/^[\w./-]+$/.test(word)) return word;
  throw new Error(`a shell cannot complete \`${word}\``);
}
