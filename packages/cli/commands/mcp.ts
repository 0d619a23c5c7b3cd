import { readdirSync } from 'node:fs';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { version } from '../../../compiler/version.js';
import { explainReadError } from '../../../server/read-error.js';
import { type CommandContext, printNote } from '../context.js';
import { PolicyFolder } from '../mcp/policy-folder.js';
import { mcpServer } from '../mcp/server.js';
import { MissingError, reportInputError } from '../report.js';

/**
 * `authzc mcp`: serves agents on standard input and output, until the input ends. Returns the exit code if the folder of
 * the policies cannot be read, as an agent that is answered would not learn of it before its first question.
 *
 * @param directory the folder of the policies.
 */
export function mcpCommand(directory: string, context: CommandContext): number | undefined {
  try {
    readdirSync(directory);
  } catch (error) {
    return reportInputError(new MissingError(explainReadError(error), undefined, [], directory), context);
  }
  const folder = new PolicyFolder(directory, context.env);
  serveStdio(() => mcpServer(folder, version), {
    transport: new StdioServerTransport(context.stdin, context.stdout),
    onerror: (error) => printNote(context, `authzc mcp: ${error.message}`),
  });
  return undefined;
}
