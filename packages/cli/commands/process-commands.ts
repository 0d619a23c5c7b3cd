import { type Command, Option } from 'commander';
import type { OnEnd } from '../command.js';
import type { CommandContext } from '../context.js';
import { collect } from '../option-values.js';
import { nowOption } from '../policies/now-option.js';
import { addDevOptions, addServeOptions } from '../policies/serve-options.js';

/** Adds the commands that run on: servers, and sessions with a terminal, an editor or an agent. */
export function addProcessCommands(program: Command, context: CommandContext, onEnd: OnEnd): void {
  program
    .command('repl')
    .description('evaluate CEL expressions and policy conditions interactively')
    .option('--history <file>', 'save the history of terminal sessions to a file')
    .addOption(nowOption())
    .action(async (options) => {
      const { replCommand } = await import('./repl.js');
      onEnd(await replCommand(options, context));
    });

  addDevOptions(
    program
      .command('dev')
      .description('serve policies on this machine with a playground, and rerun their tests after each change'),
  ).action(async (directory, options) => {
    const { devCommand } = await import('./dev.js');
    onEnd(await devCommand(directory, options, context));
  });

  addServeOptions(
    program.command('serve').description('compile policies in memory and serve them; writes nothing'),
  ).action(async (directory, options) => {
    const { serveCommand } = await import('./serve.js');
    onEnd(await serveCommand(directory, options, context));
  });

  addServeOptions(
    program
      .command('server')
      .description('serve policies under the Cerbos API names as well, for Cerbos SDKs and tools'),
  ).action(async (directory, options) => {
    const { referenceServerCommand } = await import('./serve.js');
    onEnd(await referenceServerCommand(directory, options, context));
  });

  program
    .command('run')
    .description('serve policies while a program runs; passes the addresses in AUTHZ_HTTP and AUTHZ_GRPC')
    .argument('<program...>', 'program and arguments')
    .option('--config <file>', 'configuration file; default is .authz.yaml if it exists')
    .option('--set <key=value>', 'override a configuration key; repeatable', collect, [])
    .addOption(
      new Option('--log-level <level>', 'minimum log level of the server')
        .choices(['debug', 'info', 'warn', 'error'])
        .default('error'),
    )
    .option('--timeout <duration>', 'time limit for the start of the server', '30s')
    .passThroughOptions()
    .action(async (words, options) => {
      const { runCommand } = await import('./run.js');
      onEnd(await runCommand(words, options, context));
    });

  program
    .command('lsp')
    .description('start the language server: diagnostics, fixes, completion and navigation in editors')
    .argument('[dir]', 'policy folder; default is policies in the folder that the editor opened')
    .option('--stdio', 'communicate over standard input and output (always)')
    .action(async (directory) => {
      const { lspCommand } = await import('./lsp.js');
      lspCommand(directory, context);
    });

  program
    .command('mcp')
    .description('start an MCP server with read-only tools: compile, check, explain, plan, test, diff')
    .argument('[dir]', 'policy folder', 'policies')
    .action(async (directory) => {
      const { mcpCommand } = await import('./mcp.js');
      const code = mcpCommand(directory, context);
      if (code !== undefined) onEnd(code);
    });
}
