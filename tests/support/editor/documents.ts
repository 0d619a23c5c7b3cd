import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  type ProtocolConnection,
} from 'vscode-languageserver-protocol/node';

/** The documents that an editor has open, by path below its folder of policies. */
export interface Documents {
  uriOf(path: string): string;
  open(path: string, text: string): Promise<void>;
  /** Replaces the text of a document. */
  edit(path: string, text: string): Promise<void>;
}

/** Documents below `policies` in a folder; a language server hears of them over a connection. */
export function openDocuments(folder: string, connection: ProtocolConnection): Documents {
  const versions = new Map<string, number>();
  const uriOf = (path: string): string => pathToFileURL(join(folder, 'policies', path)).href;
  return {
    uriOf,
    open(path, text) {
      versions.set(path, 1);
      return connection.sendNotification(DidOpenTextDocumentNotification.type, {
        textDocument: { uri: uriOf(path), languageId: 'yaml', version: 1, text },
      });
    },
    edit(path, text) {
      const version = (versions.get(path) as number) + 1;
      versions.set(path, version);
      return connection.sendNotification(DidChangeTextDocumentNotification.type, {
        textDocument: { uri: uriOf(path), version },
        contentChanges: [{ text }],
      });
    },
  };
}
