/**
 * What to write for commands that other tools have, or that a reader of the documentation expects. Letters would suggest
 * something else: `mutate` is more like `migrate` than like `test --mutate`.
 */
export const OTHER_COMMANDS: ReadonlyMap<string, string> = new Map([
  ['build', 'compile'],
  ['generate', 'compile'],
  ['validate', 'lint'],
  ['analyze', 'lint'],
  ['format', 'fmt'],
  ['new', 'init'],
  ['create', 'init'],
  ['start', 'dev'],
  ['watch', 'dev'],
  ['playground', 'dev'],
  ['ui', 'dev'],
  ['coverage', 'test --coverage'],
  ['mutate', 'test --mutate'],
  ['mutants', 'test --mutate'],
  ['suggest', 'test --suggest'],
  ['can', 'check'],
  ['decide', 'check'],
  ['query', 'plan'],
  ['filter', 'plan'],
  ['why', 'explain'],
  ['eval', 'repl'],
  ['prove', 'verify'],
  ['list', 'inspect'],
  ['compare', 'diff'],
  ['version', '--version'],
]);

/** What to write for a command of another name; undefined if none is known. */
export function otherCommand(name: string): string | undefined {
  return OTHER_COMMANDS.get(name.toLowerCase());
}

/** Options by the names that other tools have for them. A command has one of them, or none. */
export const OTHER_OPTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['user', ['principal']],
  ['subject', ['principal']],
  ['object', ['resource', 'kind']],
  ['resource', ['kind']],
  ['type', ['kind']],
  ['verb', ['action']],
  ['permission', ['action']],
  ['dialect', ['output']],
  ['format', ['output']],
  ['json', ['output json']],
  ['outdir', ['out']],
  ['out-dir', ['out']],
  ['host', ['set server.httpListenAddr=HOST:PORT']],
  ['listen', ['set server.httpListenAddr=HOST:PORT']],
  ['verbose', ['log-level debug']],
]);

/**
 * What to write for an option of another name, with the dashes; undefined if the command has nothing like it.
 * @param own the long options of the command, with the dashes.
 */
export function otherOption(flag: string, own: readonly string[]): string | undefined {
  const names = OTHER_OPTIONS.get(flag.replace(/^-+/, '').toLowerCase()) ?? [];
  return names.map((name) => `--${name}`).find((option) => own.includes(option.split(' ')[0] ?? ''));
}
