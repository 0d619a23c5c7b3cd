import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import {
  createProtocolConnection,
  type Diagnostic,
  InitializedNotification,
  InitializeRequest,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { type LanguageServerOptions, serveEditor } from '../../packages/editor/server.js';
import { type Documents, openDocuments } from '../support/editor/documents.js';

/** A server of this process, with a client. */
export interface Served extends Documents {
  readonly client: ProtocolConnection;
  /** What was published, in this order. */
  readonly shown: (readonly [file: string, codes: readonly unknown[]])[];
}

/** Serves the policies in a folder, by path, while they are used. */
export async function withServer(
  files: { readonly [path: string]: string },
  options: Pick<LanguageServerOptions, 'findVocabulary' | 'diagnoseFolder'>,
  use: (served: Served) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-served-'));
  try {
    mkdirSync(join(folder, 'policies'));
    for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, 'policies', path), text);
    const [toServer, toClient] = [new PassThrough(), new PassThrough()];
    serveEditor(createConnection(ProposedFeatures.all, toServer, toClient), {
      version: '',
      runSuite: () => Promise.reject(new Error('no test runs')),
      evaluate: () => Promise.reject(new Error('nothing is evaluated')),
      ...options,
    });
    const client = createProtocolConnection(new StreamMessageReader(toClient), new StreamMessageWriter(toServer));
    const shown: Served['shown'] = [];
    client.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
      shown.push([uri.slice(uri.lastIndexOf('/') + 1), diagnostics.map(({ code }: Diagnostic) => code)]);
    });
    client.listen();
    await client.sendRequest(InitializeRequest.type, {
      processId: null,
      rootUri: pathToFileURL(folder).href,
      capabilities: {},
    });
    await client.sendNotification(InitializedNotification.type, {});
    await use({ client, shown, ...openDocuments(folder, client) });
    // The end of the stream would end this process, as it ends that of a server.
    client.dispose();
  } finally {
    rmSync(folder, { recursive: true });
  }
}
