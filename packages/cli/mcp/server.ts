import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { InputError } from '../report.js';
import { type PolicyFolder, Refused } from './policy-folder.js';
import { TOOLS } from './tools.js';

/** The longest text of an answer, in characters: more would crowd out everything else that a model reads. */
const LONGEST_TEXT = 100_000;

const INSTRUCTIONS =
  'Authorization policies in YAML with CEL conditions. Edit the files yourself, then call compile, test and diff. ' +
  'Nothing here changes a file.';

/** A server of the Model Context Protocol with the tools of a folder of policies (docs/agents.md). */
export function mcpServer(folder: PolicyFolder, version: string): McpServer {
  const server = new McpServer({ name: 'authzc', version }, { instructions: INSTRUCTIONS });
  for (const { name, title, description, input, run } of TOOLS)
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: input,
        annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      },
      async (value: unknown): Promise<CallToolResult> => {
        try {
          const { text, data } = await run(folder, value);
          return makeAnswer(text, data);
        } catch (error) {
          return { isError: true, content: [{ type: 'text', text: formatMessage(error) }] };
        }
      },
    );
  return server;
}

function makeAnswer(text: string, data: object): CallToolResult {
  const json = JSON.stringify(data);
  const isLong = text.length > LONGEST_TEXT || json.length > LONGEST_TEXT;
  const shown =
    text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}\n... truncated: narrow the question` : text;
  const content = [{ type: 'text' as const, text: shown }];
  return isLong ? { content } : { content, structuredContent: JSON.parse(json) as { [key: string]: unknown } };
}

/** Errors that are not meant for callers say what failed, and nothing of the program. */
function formatMessage(error: unknown): string {
  if (error instanceof Refused || error instanceof InputError) return error.message;
  return error instanceof Error ? error.message : 'the tool failed';
}
