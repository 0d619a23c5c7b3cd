import { parentPort } from 'node:worker_threads';
import { Source } from '../../../compiler/diagnostics/source.js';
import { suitesAmong } from '../../../compiler/load/index.js';
import { folderDiagnostics } from '../folder-diagnostics.js';
import { evaluateIn } from './evaluate-condition.js';
import type { FolderAnswer, FolderQuestion } from './folder-compiler.js';

/** A thread that compiles a folder for an editor. It keeps the texts, and is sent those that changed. */
const sources = new Map<string, Source>();

parentPort?.on('message', (question: FolderQuestion) => parentPort?.postMessage(answerTo(question)));

function answerTo({ id, texts, schemaTexts, vocabulary, condition }: FolderQuestion): FolderAnswer {
  for (const [path, text] of texts) {
    if (text === undefined) sources.delete(path);
    else sources.set(path, new Source(path, text));
  }
  const inOrder = [...sources.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  const folder = { sources: inOrder, schemaTexts, vocabulary };
  if (condition === undefined) return { id, result: folderDiagnostics(folder) };
  const tests = condition.tests.map(([path, text]) => new Source(path, text ?? ''));
  try {
    return { id, result: evaluateIn(folder, suitesAmong(tests), condition.place) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}
