import type { Command } from 'commander';
import { messages } from '../../../compiler/diagnostics/messages.js';
import { bashCompletion } from '../completion/bash.js';
import { type CommandCompletion, listCompletions } from '../completion/completions.js';
import { fishCompletion } from '../completion/fish.js';
import { zshCompletion } from '../completion/zsh.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit.js';

/** What writes the script of each shell, from the name of the program and the completions of its commands. */
const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } satisfies Record<
  string,
  (name: string, commands: readonly CommandCompletion[]) => string
>;

/** `authzc completion`: prints the script that completes the commands of a program in a shell. Returns the exit code. */
export function completionCommand(shell: keyof typeof SCRIPTS, program: Command, { stdout }: CommandContext): number {
  const words = new Map([['code', Object.keys(messages)]]);
  stdout.write(SCRIPTS[shell](program.name(), listCompletions(program, words)));
  return EXIT.done;
}
