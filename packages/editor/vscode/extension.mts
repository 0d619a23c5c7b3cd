import { commands, type ExtensionContext, window, workspace } from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { installedProgram } from './installed-program.mjs';

let client: LanguageClient | undefined;

/** Starts the language server of the workspace. Rejects if it cannot be started. */
export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand('authz.restart', () => (client === undefined ? start() : client.restart())),
  );
  await start();
}

async function start(): Promise<void> {
  const cwd = workspace.workspaceFolders?.[0]?.uri.fsPath;
  const configured = workspace.getConfiguration('authz').get<readonly string[]>('command', []);
  const [command = installedProgram(cwd), ...args] = configured;
  if (configured.length === 0) args.push('lsp', '--stdio');
  if (command === undefined) {
    void window.showWarningMessage(
      'authzc is not installed in this workspace. Run `npm install --save-dev authzc`, then `authz: Restart the language server`; or set `authz.command`.',
    );
    return;
  }
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
  await client.start();
}

/** Ends the language server. */
export async function deactivate(): Promise<void> {
  await client?.stop();
}
