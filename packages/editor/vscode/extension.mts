import { commands, type ExtensionContext, workspace } from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';

let client: LanguageClient | undefined;

/** Starts the language server of the workspace. Rejects if it cannot be started. */
export async function activate(context: ExtensionContext): Promise<void> {
  const [command = 'npx', ...args] = workspace.getConfiguration('authz').get<readonly string[]>('command', []);
  const cwd = workspace.workspaceFolders?.[0]?.uri.fsPath;
  const options = { ...(cwd !== undefined && { cwd }), shell: process.platform === 'win32' };
  client = new LanguageClient(
    'authz',
    'authz',
    { command, args, options },
    {
      documentSelector: [
        { scheme: 'file', language: 'yaml' },
        { scheme: 'file', language: 'json' },
      ],
    },
  );
  context.subscriptions.push(commands.registerCommand('authz.restart', () => client?.restart()));
  await client.start();
}

/** Ends the language server. */
export async function deactivate(): Promise<void> {
  await client?.stop();
}
