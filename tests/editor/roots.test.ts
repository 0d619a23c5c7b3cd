import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createProtocolConnection,
  DidChangeTextDocumentNotification,
  DidChangeWatchedFilesNotification,
  DidChangeWorkspaceFoldersNotification,
  DidOpenTextDocumentNotification,
  DocumentFormattingRequest,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  WorkspaceSymbolRequest,
} from 'vscode-languageserver-protocol/node';
import { PROGRAMS } from '../support/cli/programs.js';
import { until } from '../support/timeout.js';

const test = suite('authzc lsp with several folders');

/** A session in a temporary folder, whose projects are the folders that an editor has open. */
interface Session {
  readonly write: (path: string, text: string) => void;
  /** The codes of the diagnostics that are shown for a file; undefined if none were ever published. */
  readonly codes: (path: string) => readonly unknown[] | undefined;
  readonly open: (path: string, text: string) => Promise<void>;
  /** Replaces the text of a document, once. */
  readonly edit: (path: string, text: string) => Promise<void>;
  readonly change: (added: readonly string[], removed: readonly string[]) => Promise<void>;
  readonly watched: (path: string) => Promise<void>;
  readonly symbols: () => Promise<readonly string[]>;
  /** The text after formatting. */
  readonly format: (path: string, text: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

/**
 * @param projects their names; each is a project with a policy `policies/KIND.yaml`.
 * @param roots the folders that the editor has open; null for a client that has no folder open.
 * @param folder the argument of the command.
 */
async function startSession(
  projects: readonly string[],
  roots: readonly string[] | null,
  folder?: string,
): Promise<Session> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'authz-roots-')));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  for (const project of projects) write(`${project}/policies/${project}.yaml`, policyOf(project));
  for (const root of roots ?? []) mkdirSync(join(base, root, 'node_modules'), { recursive: true });
  const words = ['lsp', ...(folder === undefined ? [] : [join(base, folder)]), '--stdio'];
  const program = spawn(process.execPath, [PROGRAMS.authzc, ...words], {
    cwd: base,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => program.once('exit', resolve));
  const connection = createProtocolConnection(
    new StreamMessageReader(program.stdout),
    new StreamMessageWriter(program.stdin),
  );
  const latest = new Map<string, readonly unknown[]>();
  connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
    latest.set(
      uri,
      diagnostics.map(({ code }) => code),
    );
  });
  connection.listen();
  const uriOf = (path: string): string => pathToFileURL(join(base, path)).href;
  const foldersOf = (names: readonly string[]) => names.map((name) => ({ uri: uriOf(name), name }));
  await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    workspaceFolders: roots && foldersOf(roots),
    capabilities: { workspace: { workspaceFolders: true } },
  });
  await connection.sendNotification(InitializedNotification.type, {});
  return {
    write,
    codes: (path) => latest.get(uriOf(path)),
    open: (path, text) =>
      connection.sendNotification(DidOpenTextDocumentNotification.type, {
        textDocument: { uri: uriOf(path), languageId: 'yaml', version: 1, text },
      }),
    edit: (path, text) =>
      connection.sendNotification(DidChangeTextDocumentNotification.type, {
        textDocument: { uri: uriOf(path), version: 2 },
        contentChanges: [{ text }],
      }),
    change: (added, removed) =>
      connection.sendNotification(DidChangeWorkspaceFoldersNotification.type, {
        event: { added: foldersOf(added), removed: foldersOf(removed) },
      }),
    watched: (path) =>
      connection.sendNotification(DidChangeWatchedFilesNotification.type, {
        changes: [{ uri: uriOf(path), type: 1 }],
      }),
    symbols: async () => {
      const found = await connection.sendRequest(WorkspaceSymbolRequest.type, { query: '' });
      return (found ?? []).map(({ name }) => name).sort();
    },
    format: async (path, text) => {
      const edits = await connection.sendRequest(DocumentFormattingRequest.type, {
        textDocument: { uri: uriOf(path) },
        options: { tabSize: 2, insertSpaces: true },
      });
      return (edits ?? []).reduce((before, { range: { start, end }, newText }) => {
        const lines = before.split('\n');
        const offset = ({ line, character }: { line: number; character: number }): number =>
          lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0) + character;
        return before.slice(0, offset(start)) + newText + before.slice(offset(end));
      }, text);
    },
    async close() {
      await connection.sendRequest(ShutdownRequest.type);
      await connection.sendNotification(ExitNotification.type);
      await exited;
      connection.dispose();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

function policyOf(kind: string, expr = 'R.attr.owner == P.id'): string {
  return `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${kind}
  version: default
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: ${expr}
`;
}

const WRONG = 'V.nothing';

const isWrong = (codes: readonly unknown[] | undefined): boolean => codes?.includes('variable/undefined') === true;

test('a folder that is added is served, and one that is removed shows nothing any more', async () => {
  const session = await startSession(['album', 'note', 'late'], ['album', 'note']);
  const late = 'late/policies/late.yaml';
  try {
    await session.open('note/policies/note.yaml', policyOf('note', WRONG));
    await session.open(late, policyOf('late', WRONG));
    await until(() => isWrong(session.codes('note/policies/note.yaml')), 'diagnostics of the second folder');
    assert.is(session.codes(late), undefined);
    await session.change(['late'], ['note']);
    await until(() => isWrong(session.codes(late)), 'diagnostics of a document that was open before');
    await until(() => session.codes('note/policies/note.yaml')?.length === 0, 'the end of the diagnostics');
    assert.equal(await session.symbols(), ['resource.album.vdefault', 'resource.late.vdefault']);
  } finally {
    await session.close();
  }
});

test('a folder of policies that is made later is served', async () => {
  const session = await startSession([], ['empty', 'other']);
  try {
    session.write('empty/policies/album.yaml', policyOf('album', WRONG));
    await session.watched('empty/policies/album.yaml');
    await until(() => isWrong(session.codes('empty/policies/album.yaml')), 'diagnostics of a watched file');
    session.write('other/policies/note.yaml', policyOf('note'));
    await session.open('other/policies/note.yaml', policyOf('note', WRONG));
    await until(() => isWrong(session.codes('other/policies/note.yaml')), 'diagnostics of an opened file');
  } finally {
    await session.close();
  }
});

test('the folder of the command is served once, whatever the editor has open', async () => {
  for (const roots of [['album', 'note'], [], null]) {
    const session = await startSession(['album', 'note'], roots, 'album/policies');
    const path = 'album/policies/album.yaml';
    try {
      await session.open(path, policyOf('album', WRONG));
      await until(() => isWrong(session.codes(path)), 'diagnostics');
      assert.equal(await session.symbols(), ['resource.album.vdefault'], JSON.stringify(roots));
      // The folder on disk has no mistake: a second reading of it would take back what the editor shows.
      session.write('album/policies/other.yaml', policyOf('other', WRONG));
      await session.watched('album/policies/other.yaml');
      await until(() => isWrong(session.codes('album/policies/other.yaml')), 'diagnostics of the folder');
      assert.ok(isWrong(session.codes(path)));
    } finally {
      await session.close();
    }
  }
});

test('formatting keeps the line ends of Windows', async () => {
  const session = await startSession(['album'], ['album']);
  const path = 'album/policies/album.yaml';
  const text = policyOf('album').replaceAll('\n', '\r\n');
  try {
    await session.open(path, text);
    assert.is(await session.format(path, text), text);
    const wide = text.replace('actions: [view]', 'actions:   [ view ]');
    await session.edit(path, wide);
    assert.is(await session.format(path, wide), text);
  } finally {
    await session.close();
  }
});

test.run();
