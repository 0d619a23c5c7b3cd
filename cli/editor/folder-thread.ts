import { parentPort } from 'node:worker_threads';
import { Source } from '../../compiler/diagnostics/source.js';
import { folderDiagnostics } from '../../editor/folder-diagnostics.js';
import type { FolderChange } from './folder-diagnoser.js';

/** A thread that compiles a folder for an editor. It keeps the texts, and is sent those that changed. */
const sources = new Map<string, Source>();

parentPort?.on('message', ({ texts, schemaTexts, vocabulary }: FolderChange) => {
  for (const [path, text] of texts) {
    if (text === undefined) sources.delete(path);
    else sources.set(path, new Source(path, text));
  }
  const inOrder = [...sources.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  parentPort?.postMessage(folderDiagnostics({ sources: inOrder, schemaTexts, vocabulary }));
});
