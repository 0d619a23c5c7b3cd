import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { version } from '../../compiler/version.js';
import { PolicyFolder } from '../mcp/policy-folder.js';
import { mcpServer } from '../mcp/server.js';

/**
 * `authzc mcp`: serves agents on standard input and output, until the input ends.
 *
 * @param directory the folder of the policies.
 */
export function mcpCommand(directory: string): void {
  const folder = new PolicyFolder(directory);
  serveStdio(() => mcpServer(folder, version), {
    onerror: (error) => process.stderr.write(`authzc mcp: ${error.message}\n`),
  });
}
