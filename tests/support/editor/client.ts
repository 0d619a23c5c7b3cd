import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createProtocolConnection,
  type Diagnostic,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  type InitializeResult,
  type Position,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { PROGRAMS } from '../cli/programs.js';
import { type Documents, openDocuments } from './documents.js';

/** An editor with a folder of policies: the server as a process, and a client of the protocol from npm. */
export interface Editor extends Documents {
  readonly folder: string;
  readonly connection: ProtocolConnection;
  readonly initialized: InitializeResult;
  /** Resolves with the diagnostics of a file as soon as they satisfy a condition; rejects if that takes too long. */
  diagnostics(path: string, suits: (diagnostics: readonly Diagnostic[]) => boolean): Promise<readonly Diagnostic[]>;
  /** Ends the session as editors do. Resolves with the exit code. */
  close(): Promise<number | null>;
}

/**
 * @param files the policies, by path below the folder of the policies.
 * @param options the program that serves, and how the name of the folder begins.
 */
export async function openEditor(
  files: { readonly [path: string]: string },
  {
    program: server = PROGRAMS.authzc,
    name = 'authz-editor-',
  }: { readonly program?: string; readonly name?: string } = {},
): Promise<Editor> {
  const folder = mkdtempSync(join(tmpdir(), name));
  mkdirSync(join(folder, 'policies'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, 'policies', path)), { recursive: true });
    writeFileSync(join(folder, 'policies', path), text);
  }
  const program = spawn(process.execPath, [server, 'lsp', '--stdio'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = new Promise<number | null>((resolve) => program.once('exit', resolve));
  const connection = createProtocolConnection(
    new StreamMessageReader(program.stdout),
    new StreamMessageWriter(program.stdin),
  );
  const latest = new Map<string, readonly Diagnostic[]>();
  const waiting = new Set<() => void>();
  connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
    latest.set(uri, diagnostics);
    for (const check of waiting) check();
  });
  connection.listen();
  const initialized = await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'test' }],
    capabilities: {},
  });
  await connection.sendNotification(InitializedNotification.type, {});
  const documents = openDocuments(folder, connection);
  return {
    folder,
    connection,
    initialized,
    ...documents,
    diagnostics(path, suits) {
      const own = (): readonly Diagnostic[] | undefined => latest.get(documents.uriOf(path));
      return new Promise((resolve, reject) => {
        const end = setTimeout(() => reject(new Error(`${path} has ${JSON.stringify(own())}`)), LONGEST_WAIT);
        const check = (): void => {
          const diagnostics = own();
          if (diagnostics === undefined || !suits(diagnostics)) return;
          waiting.delete(check);
          clearTimeout(end);
          resolve(diagnostics);
        };
        waiting.add(check);
        check();
      });
    },
    async close() {
      await connection.sendRequest(ShutdownRequest.type);
      await connection.sendNotification(ExitNotification.type);
      const code = await exited;
      connection.dispose();
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}

/** In milliseconds: far more than any answer takes. */
const LONGEST_WAIT = 60_000;

/** A text with a marker `|`, and the position of that. */
export function marked(text: string): { readonly text: string; readonly position: Position } {
  const offset = text.indexOf('|');
  const lines = text.slice(0, offset).split('\n');
  return {
    text: text.slice(0, offset) + text.slice(offset + 1),
    position: { line: lines.length - 1, character: (lines.at(-1) as string).length },
  };
}
