import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import {
  createProtocolConnection,
  type Diagnostic,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { type FolderDiagnostics, folderDiagnostics } from '../../editor/folder-diagnostics.js';
import { serveEditor } from '../../editor/server.js';

const test = suite('an editor while its folder is compiled');

const policy = (kind: string, role = 'user'): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${kind}
  version: default
  rules:
    - { actions: [view], roles: [${role}], effect: EFFECT_ALLOW }
`;

test('an edit is answered, and what the folder had before it is not shown', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'authz-folder-pass-'));
  try {
    mkdirSync(join(folder, 'policies'));
    for (const kind of ['album', 'photo'])
      writeFileSync(join(folder, 'policies', `${kind}.yaml`), `${policy(kind)}  unknown: 1\n`);
    const [toServer, toClient] = [new PassThrough(), new PassThrough()];
    /** The compilations that have begun, and how to end each. */
    const passes: (() => void)[] = [];
    serveEditor(createConnection(ProposedFeatures.all, toServer, toClient), {
      version: '',
      vocabularyOf: () => ({}),
      diagnoseFolder: (workspace) => {
        const found = folderDiagnostics(workspace);
        return new Promise<FolderDiagnostics>((resolve) => passes.push(() => resolve(found)));
      },
      runSuite: () => Promise.reject(new Error('no test runs')),
      evaluate: () => Promise.reject(new Error('nothing is evaluated')),
    });
    const client = createProtocolConnection(new StreamMessageReader(toClient), new StreamMessageWriter(toServer));
    const shown: [path: string, codes: readonly unknown[]][] = [];
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
    await until(() => passes.length === 1);

    const uri = pathToFileURL(join(folder, 'policies', 'album.yaml')).href;
    const textDocument = { uri, languageId: 'yaml', version: 1, text: policy('album', '') };
    await client.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
    await until(() => shown.length === 1);
    assert.equal(shown, [['album.yaml', ['rule/no-roles']]]);
    await client.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version: 2 },
      contentChanges: [{ text: policy('album') }],
    });
    await until(() => shown.length === 2);
    assert.equal(shown[1], ['album.yaml', []]);

    // The first compilation has seen both files with their mistakes.
    passes[0]?.();
    await until(() => passes.length === 2);
    assert.equal(shown.slice(2), [['photo.yaml', ['policy/unknown-field']]]);
    passes[1]?.();
    await until(() => shown.length === 4);
    assert.equal(shown[3], ['photo.yaml', ['policy/unknown-field']]);
    // The end of the stream would end this process, as it ends that of a server.
    client.dispose();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + 10_000;
  while (!holds()) {
    assert.ok(Date.now() < end, 'nothing came');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test.run();
