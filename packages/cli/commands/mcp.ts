import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { version } from '../../../compiler/version.js';
import { type CommandContext, printNote } from '../context.js';
import { PolicyFolder } from '../mcp/policy-folder.js';
import { mcpServer } from '../mcp/server.js';

/**
 * `authzc mcp`: serves agents on standard input and output, until the input ends.
 *
 * @param directory the folder of the policies.
 */
export function mcpCommand(directory: string, context: CommandContext): void {
  const folder = new PolicyFolder(directory, context.env);
  serveStdio(() => mcpServer(folder, version), {
    transport: new StdioServerTransport(context.stdin, context.stdout),
    onerror: (error) => printNote(context, `authzc mcp: ${error.message}`),
  });
}
