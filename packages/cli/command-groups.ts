import type { Command } from 'commander';

/** The headings in the help of `authzc`, and the commands below each. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Start:': ['init', 'migrate', 'dev'],
  'Write and test policies:': ['compile', 'test', 'lint', 'fmt', 'ci', 'inspect', 'docs', 'repl'],
  'Decisions:': ['check', 'plan', 'explain', 'facts'],
  'Review policies:': ['diff', 'replay', 'verify', 'matrix', 'who-can', 'review', 'usages'],
  'Row level security:': ['rls'],
  'Run servers:': ['serve', 'server', 'run', 'bundle', 'config', 'admin', 'healthcheck', 'fleet', 'audit'],
  'Editors, agents and shells:': ['lsp', 'mcp', 'completion'],
};

/** Lists the commands of `authzc` below these headings. */
export function addGroups(program: Command): void {
  for (const [heading, names] of Object.entries(GROUPS))
    for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(heading);
  program.commandsGroup('Help:').helpCommand(true);
}
