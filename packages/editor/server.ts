import { dirname, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Connection } from 'vscode-languageserver';
import {
  type Diagnostic as LspDiagnostic,
  type InitializeParams,
  type InitializeResult,
  DidChangeWatchedFilesNotification,
  DidChangeWorkspaceFoldersNotification,
  ErrorCodes,
  LSPErrorCodes,
  MessageType,
  ResponseError,
  ShowMessageNotification,
  TextDocuments,
  TextDocumentSyncKind,
} from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.js';
import type { SuiteFiles } from '../../compiler/load/index.js';
import type { SuiteResult } from '../policy-tests/results.js';
import type { Vocabulary } from '../../compiler/validate/vocabulary.js';
import { CODE_ACTION_KINDS, codeActions } from './code-actions.js';
import { complete } from './completion.js';
import { editorDiagnostic } from './diagnostics.js';
import { type FolderDiagnostics, withUris } from './folder-diagnostics.js';
import {
  conditionLenses,
  EVALUATE_CONDITION,
  type Evaluated,
  type Evaluation,
  evaluationHints,
  evaluationSummary,
} from './evaluations.js';
import { chooseKind } from './file-kind.js';
import { format } from './formatting.js';
import { hover } from './hover.js';
import { definition, references, rename, renameable } from './navigation.js';
import { SEMANTIC_TOKEN_TYPES, semanticTokens } from './semantic-tokens.js';
import { documentSymbols, workspaceSymbols } from './symbols.js';
import { PendingEdits, QUIET } from './pending-edits.js';
import { listFailures, makeLenses, findProblems, RUN_TESTS, findSuites } from './suites.js';
import { isDirectory, policyFolderIn, Workspace } from './workspace.js';

/** What the server needs from its host. */
export interface LanguageServerOptions {
  readonly version: string;
  /** The folder of the policies; by default that of each folder that the editor has open. */
  readonly folder?: string | undefined;
  /** The roles and actions that the policies of a project may name. May throw. */
  readonly findVocabulary: (root: string) => Vocabulary;
  /** Finds what is wrong with all files of a folder, while edits are answered. Its calls for a workspace do not overlap. */
  readonly diagnoseFolder: (workspace: Workspace) => Promise<FolderDiagnostics>;
  /** Runs the tests of a suite, or the one with a name, by the policies as the editor has them. Rejects if these have errors. */
  readonly runSuite: (workspace: Workspace, suite: SuiteFiles, test: string | undefined) => Promise<SuiteResult>;
  /**
   * Evaluates the condition of the rule or derived role at a line, from 1, for the requests of the tests, while edits are
   * answered. Rejects if the policies have errors.
   */
  readonly evaluate: (workspace: Workspace, path: string, line: number) => Promise<Evaluated>;
}

/** Serves an editor over a connection. Answers from the texts in the editor, and writes no file. */
export function serveEditor(connection: Connection, options: LanguageServerOptions): void {
  const documents = new TextDocuments(TextDocument);
  /** The folders that the editor has open. */
  let roots: readonly string[] = [];
  let workspaces: readonly Workspace[] = [];
  let canWatch = false;

  /**
   * Opens the folders of policies that are not open yet, such as one that was made after the session began, and closes
   * those that are gone. With a folder of the options, it is the only one, whatever the editor has open.
   */
  const updateWorkspaces = (): void => {
    const found =
      options.folder === undefined
        ? roots.flatMap((root) => {
            const folder = policyFolderIn(root);
            return folder === undefined ? [] : { folder, root };
          })
        : [{ folder: options.folder, root: findProject(options.folder, roots) }];
    const wanted = new Map(found.flatMap(({ folder, root }) => (isDirectory(folder) ? [[folder, root]] : [])));
    const closed = workspaces.filter(({ folder }) => !wanted.has(folder));
    for (const workspace of closed) close(workspace);
    const opened = [...wanted]
      .filter(([folder]) => !workspaces.some((own) => own.folder === folder))
      .map(([folder, root]) => new Workspace(folder, () => findVocabulary(root)));
    workspaces = [...workspaces, ...opened];
    for (const workspace of opened) reload(workspace);
    if (closed.length + opened.length > 0) for (const document of documents.all()) receive(document);
  };
  const findVocabulary = (root: string): Vocabulary => {
    try {
      return options.findVocabulary(root);
    } catch (error) {
      connection.console.warn(error instanceof Error ? error.message : String(error));
      return {};
    }
  };

  connection.onInitialize((parameters): InitializeResult => {
    roots = listRoots(parameters);
    canWatch = parameters.capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true;
    return { capabilities: CAPABILITIES, serverInfo: { name: 'authzc', version: options.version } };
  });
  connection.onInitialized(() => {
    // Not before: the connection sets a handler of its own when it is initialized.
    connection.onNotification(DidChangeWorkspaceFoldersNotification.type, ({ event: { added, removed } }) =>
      guarded(() => {
        const gone = new Set(filePaths(removed));
        roots = [...roots.filter((root) => !gone.has(root)), ...filePaths(added)];
        updateWorkspaces();
      }),
    );
    if (canWatch)
      sent(
        connection.client.register(DidChangeWatchedFilesNotification.type, {
          watchers: [{ globPattern: '**/*.{yaml,yml,json}' }],
        }),
      );
    if (options.folder !== undefined && !isDirectory(options.folder))
      connection.console.warn(`the folder of the policies does not exist: ${options.folder}`);
    guarded(updateWorkspaces);
  });

  /** The workspace of a document, and its path there: of nested ones, the innermost. */
  const locate = (uri: string): readonly [workspace: Workspace, path: string] | undefined => {
    let found: readonly [workspace: Workspace, path: string] | undefined;
    for (const workspace of workspaces) {
      const path = workspace.findPath(uri);
      if (path !== undefined && (found === undefined || path.length < found[1].length)) found = [workspace, path];
    }
    return found;
  };
  /** Editors may write the URI of a file in another way. */
  const uris = new Map<string, string>();
  const uriIn =
    (workspace: Workspace) =>
    (path: string): string =>
      uris.get(workspace.makeUri(path)) ?? workspace.makeUri(path);

  const published = new Map<string, Set<string>>();
  const publish = (workspace: Workspace, path: string, diagnostics: readonly LspDiagnostic[]): void => {
    const shown = published.get(workspace.folder) ?? new Set();
    published.set(workspace.folder, shown);
    if (diagnostics.length === 0 && !shown.has(path)) return;
    if (diagnostics.length === 0) shown.delete(path);
    else shown.add(path);
    sent(connection.sendDiagnostics({ uri: uriIn(workspace)(path), diagnostics: [...diagnostics] }));
  };
  const shownIn =
    (workspace: Workspace) =>
    (diagnostic: Diagnostic): LspDiagnostic =>
      editorDiagnostic(diagnostic, uriIn(workspace));
  /** Shows the mistakes in a file that was edited. */
  const diagnose = (workspace: Workspace, path: string): void => {
    switch (chooseKind(path)) {
      case 'policy':
        publish(workspace, path, workspace.diagnoseFile(path).map(shownIn(workspace)));
        break;
      case 'suite':
      case 'fixtures':
        for (const suite of findSuites(workspace, path)) publish(workspace, suite.path, findProblems(suite));
        return;
      default:
        break;
    }
    diagnoseLater(workspace);
  };

  const timers = new Map<Workspace, NodeJS.Timeout>();
  const diagnoseLater = (workspace: Workspace): void => {
    clearTimeout(timers.get(workspace));
    timers.set(
      workspace,
      setTimeout(() => sent(diagnoseAll(workspace)), QUIET),
    );
  };
  /** The workspaces that are being compiled, each with whether it changed meanwhile. */
  const compiling = new Map<Workspace, boolean>();
  const diagnoseAll = async (workspace: Workspace): Promise<void> => {
    if (compiling.has(workspace)) {
      compiling.set(workspace, true);
      return;
    }
    compiling.set(workspace, false);
    const compiled = new Map(workspace.sources.map((source) => [source.path, source]));
    try {
      const byPath = await options.diagnoseFolder(workspace);
      if (!workspaces.includes(workspace)) return;
      // A file that was edited meanwhile has newer diagnostics.
      const isCurrent = (path: string): boolean => workspace.get(path)?.source === compiled.get(path);
      const withoutAny = [...(published.get(workspace.folder) ?? [])].filter(
        (path) => !byPath.has(path) && chooseKind(path) === 'policy',
      );
      for (const path of withoutAny) if (isCurrent(path)) publish(workspace, path, []);
      for (const [path, own] of byPath)
        if (isCurrent(path))
          publish(
            workspace,
            path,
            own.map((diagnostic) => withUris(diagnostic, uriIn(workspace))),
          );
    } finally {
      const isChanged = compiling.get(workspace) === true;
      compiling.delete(workspace);
      if (isChanged) diagnoseLater(workspace);
    }
  };
  const reload = (workspace: Workspace): void =>
    guarded(() => {
      workspace.reload();
      diagnoseLater(workspace);
    });
  /** What a client refuses, or does not receive any more, must not end the server. */
  const sent = (message: Promise<unknown>): void => {
    message.catch((error: unknown) => connection.console.log(String(error)));
  };
  /** Neither must a mistake of the server. */
  const guarded = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      connection.console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  };

  const edits = new PendingEdits();
  /** Takes the text of a document. */
  const receive = (document: TextDocument): void => {
    const [workspace, path] = locate(document.uri) ?? [];
    if (workspace === undefined || path === undefined) return;
    uris.set(workspace.makeUri(path), document.uri);
    const text = document.getText();
    workspace.setText(path, text);
    edits.add(document.uri, text.length, () => guarded(() => diagnose(workspace, path)));
  };
  /** Ends the work on a folder that the editor has closed, and takes back what is shown of it. */
  const close = (workspace: Workspace): void => {
    workspaces = workspaces.filter((own) => own !== workspace);
    clearTimeout(timers.get(workspace));
    timers.delete(workspace);
    for (const path of published.get(workspace.folder) ?? []) publish(workspace, path, []);
  };
  documents.onDidOpen(({ document: { uri } }) => {
    if (locate(uri) === undefined) guarded(updateWorkspaces);
  });
  documents.onDidChangeContent(({ document }) => guarded(() => receive(document)));
  documents.onDidClose(({ document }) =>
    guarded(() => {
      const [workspace, path] = locate(document.uri) ?? [];
      if (workspace === undefined || path === undefined) return;
      edits.drop(document.uri);
      workspace.setText(path, undefined);
      publish(workspace, path, []);
      reload(workspace);
    }),
  );
  documents.onDidSave(({ document }) => {
    const [workspace] = locate(document.uri) ?? [];
    if (workspace !== undefined && !canWatch) reload(workspace);
  });
  connection.onDidChangeWatchedFiles(({ changes }) => {
    guarded(updateWorkspaces);
    for (const workspace of workspaces)
      if (changes.some(({ uri }) => workspace.findPath(uri) !== undefined)) reload(workspace);
  });

  const at = <T>(uri: string, answer: (workspace: Workspace, path: string) => T): T | undefined => {
    const [workspace, path] = locate(uri) ?? [];
    return workspace === undefined || path === undefined ? undefined : answer(workspace, path);
  };
  /** Answers what editors ask after each edit by itself, about the last text only. */
  const atLast = async <T>(uri: string, answer: (workspace: Workspace, path: string) => T) => {
    const version = documents.get(uri)?.version;
    await edits.settled(uri);
    if (documents.get(uri)?.version === version) return at(uri, answer);
    return new ResponseError(LSPErrorCodes.ContentModified, 'the text was changed meanwhile');
  };
  connection.onDocumentSymbol(({ textDocument: { uri } }) =>
    atLast(uri, (workspace, path) => {
      const file = workspace.get(path)?.file;
      return file && documentSymbols(file);
    }),
  );
  connection.onWorkspaceSymbol(({ query }) => workspaces.flatMap((workspace) => workspaceSymbols(workspace, query)));
  connection.onDefinition(({ textDocument: { uri }, position }) =>
    at(uri, (workspace, path) => definition(workspace, path, position)),
  );
  connection.onReferences(({ textDocument: { uri }, position, context }) =>
    at(uri, (workspace, path) => references(workspace, path, position, context.includeDeclaration)),
  );
  connection.onPrepareRename(({ textDocument: { uri }, position }) =>
    at(uri, (workspace, path) => renameable(workspace, path, position)),
  );
  connection.onRenameRequest(({ textDocument: { uri }, position, newName }) =>
    at(uri, (workspace, path) => {
      const renamed = rename(workspace, path, position, newName);
      return typeof renamed === 'string' ? new ResponseError(ErrorCodes.InvalidParams, renamed) : renamed;
    }),
  );
  connection.onHover(({ textDocument: { uri }, position }) =>
    at(uri, (workspace, path) => hover(workspace, path, position)),
  );
  connection.onCompletion(({ textDocument: { uri }, position }) =>
    at(uri, (workspace, path) => complete(workspace, path, position)),
  );
  connection.onCodeAction(({ textDocument: { uri }, range, context }) =>
    atLast(uri, (workspace, path) => codeActions(workspace.diagnoseFile(path), range, context.only, uriIn(workspace))),
  );
  connection.languages.semanticTokens.on(async ({ textDocument: { uri } }) => {
    const tokens = await atLast(uri, (workspace, path) => {
      const { source, file } = workspace.get(path) ?? {};
      return file?.source === source && file !== undefined ? semanticTokens(file) : undefined;
    });
    return tokens ?? { data: [] };
  });
  connection.onDocumentFormatting(({ textDocument: { uri } }) =>
    at(uri, (workspace, path) => {
      const source = chooseKind(path) === 'schema' ? undefined : workspace.findSource(path);
      return source && format(source);
    }),
  );
  connection.onCodeLens(({ textDocument: { uri } }) =>
    atLast(uri, (workspace, path) => {
      const file = workspace.get(path)?.file;
      return [
        ...workspace.suites.filter((suite) => suite.path === path).flatMap((suite) => makeLenses(suite, uri)),
        ...(file === undefined ? [] : conditionLenses(file, uri)),
      ];
    }),
  );
  const say = (type: MessageType, message: string): void =>
    sent(connection.sendNotification(ShowMessageNotification.method, { type, message }));
  const evaluate = async (workspace: Workspace, path: string, line: number): Promise<readonly Evaluation[] | null> => {
    const file = workspace.get(path)?.file;
    if (file === undefined) return null;
    const evaluated = await options.evaluate(workspace, path, line);
    const found = workspace.diagnoseFile(path).map(shownIn(workspace));
    // After an edit, the results would be at another place.
    const hints = workspace.get(path)?.file === file ? evaluationHints(file, line, evaluated) : [];
    publish(workspace, path, [...found, ...hints]);
    say(MessageType.Info, evaluationSummary(evaluated));
    return evaluated.evaluations;
  };
  connection.onExecuteCommand(async ({ command, arguments: [uri, argument] = [] }) => {
    if (typeof uri !== 'string') return null;
    const [workspace, path] = locate(uri) ?? [];
    if (command === EVALUATE_CONDITION && typeof argument === 'number' && path !== undefined && workspace !== undefined)
      return evaluate(workspace, path, argument);
    if (command !== RUN_TESTS) return null;
    const suite = workspace?.suites.find((other) => other.path === path);
    if (workspace === undefined || suite === undefined) return null;
    const result = await options.runSuite(workspace, suite, typeof argument === 'string' ? argument : undefined);
    const failures = listFailures(result);
    publish(workspace, suite.path, failures);
    const passed = result.summary.counts.get('passed') ?? 0;
    const [type, message]: [MessageType, string] =
      failures.length > 0
        ? [MessageType.Error, `${failures.length} failed, ${passed} passed`]
        : [MessageType.Info, `${passed} passed`];
    say(type, message);
    return { passed, failed: failures.length };
  });
  connection.onShutdown(() => {
    edits.dropAll();
    for (const timer of timers.values()) clearTimeout(timer);
  });

  documents.listen(connection);
  connection.listen();
}

const CAPABILITIES: InitializeResult['capabilities'] = {
  positionEncoding: 'utf-16',
  textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
  codeActionProvider: { codeActionKinds: CODE_ACTION_KINDS },
  codeLensProvider: {},
  completionProvider: { triggerCharacters: ['.', ':', ' ', '[', '"', "'"] },
  definitionProvider: true,
  documentFormattingProvider: true,
  documentSymbolProvider: true,
  executeCommandProvider: { commands: [RUN_TESTS, EVALUATE_CONDITION] },
  hoverProvider: true,
  referencesProvider: true,
  renameProvider: { prepareProvider: true },
  semanticTokensProvider: { legend: { tokenTypes: SEMANTIC_TOKEN_TYPES, tokenModifiers: [] }, full: true },
  workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
  workspaceSymbolProvider: true,
};

function listRoots({ workspaceFolders, rootUri }: InitializeParams): readonly string[] {
  return filePaths(workspaceFolders ?? (rootUri === null ? [] : [{ uri: rootUri }]));
}

/** The paths of folders of this machine. */
function filePaths(folders: readonly { readonly uri: string }[]): readonly string[] {
  return folders.filter(({ uri }) => uri.startsWith('file:')).map(({ uri }) => fileURLToPath(uri));
}

/** The folder of the project whose vocabulary applies: the innermost one that is open, or the one above. */
function findProject(folder: string, roots: readonly string[]): string {
  const path = resolve(folder);
  const above = roots.filter((root) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep));
  return above.sort((a, b) => b.length - a.length)[0] ?? dirname(path);
}
