import { dirname } from 'node:path';
import { commands, type ExtensionContext, type TextDocument, window, workspace } from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { installedProgram } from './installed-program.mjs';
import { findPolicyFolder, isPolicyText, findWorkspaceFolder } from './policy-folder.mjs';

/** The language server of each folder of policies; undefined where its program is missing. */
const clients = new Map<string, LanguageClient | undefined>();

/**
 * Starts a language server for the folder of policies of the workspace, and for that of each policy that is opened
 * elsewhere. Rejects if the first cannot be started.
 */
export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand('authz.restart', restart),
    workspace.onDidOpenTextDocument((document) => startFor(document)),
  );
  await startAll();
}

async function startAll(): Promise<void> {
  const root = workspace.workspaceFolders?.[0]?.uri.fsPath;
  const folder = root === undefined ? undefined : findWorkspaceFolder(root, setting('folder', ''));
  if (folder !== undefined) await start(folder);
  await Promise.all(workspace.textDocuments.map(startFor));
}

async function startFor(document: TextDocument): Promise<void> {
  if (document.uri.scheme !== 'file' || !['yaml', 'json'].includes(document.languageId)) return;
  if (!isPolicyText(document.getText())) return;
  const file = document.uri.fsPath;
  const root = workspace.getWorkspaceFolder(document.uri)?.uri.fsPath ?? dirname(file);
  const folder = findPolicyFolder(file, root, setting('folder', ''));
  if (![...clients.keys()].some((other) => file.startsWith(`${other}/`) || file.startsWith(`${other}\\`)))
    await start(folder);
}

async function start(folder: string): Promise<void> {
  if (clients.has(folder)) return;
  clients.set(folder, undefined);
  const configured = setting<readonly string[]>('command', []);
  const [command = installedProgram(folder), ...args] = configured;
  if (configured.length === 0) args.push('lsp', folder, '--stdio');
  if (command === undefined) {
    void window.showWarningMessage(
      'authzc is not installed in this workspace. Run `npm install --save-dev authzc`, then `authz: Restart the language server`; or set `authz.command`.',
    );
    return;
  }
  const cwd = workspace.workspaceFolders?.[0]?.uri.fsPath;
  const options = { ...(cwd !== undefined && { cwd }), shell: process.platform === 'win32' };
  // A glob; characters of the path that have a meaning in globs match themselves.
  const pattern = `${folder.replaceAll('\\', '/').replace(/[[\]{}*?]/g, '?')}/**`;
  const client = new LanguageClient(
    'authz',
    'authz',
    { command, args, options },
    { documentSelector: ['yaml', 'json'].map((language) => ({ scheme: 'file', language, pattern })) },
  );
  clients.set(folder, client);
  await client.start();
}

async function restart(): Promise<void> {
  await deactivate();
  await startAll();
}

function setting<T>(name: string, otherwise: T): T {
  return workspace.getConfiguration('authz').get<T>(name, otherwise);
}

/** Ends the language servers. */
export async function deactivate(): Promise<void> {
  const running = [...clients.values()];
  clients.clear();
  await Promise.all(running.map((client) => client?.stop()));
}
