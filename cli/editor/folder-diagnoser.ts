import { Worker } from 'node:worker_threads';
import type { Source } from '../../compiler/diagnostics/source.js';
import type { Vocabulary } from '../../compiler/validate/vocabulary.js';
import { type FolderDiagnostics, folderDiagnostics, type FolderTexts } from '../../editor/folder-diagnostics.js';

/** What changed in a folder since the thread was asked last. */
export interface FolderChange {
  /** By path; undefined for a file that is gone. */
  readonly texts: readonly (readonly [path: string, text: string | undefined])[];
  readonly schemaTexts: ReadonlyMap<string, string>;
  readonly vocabulary: Vocabulary;
}

/**
 * Compiles one folder again and again in a thread of its own, so that an editor is answered meanwhile
 * (docs/decisions/0061-an-edit-compiles-what-a-file-imports.md). A thread that fails is replaced by the next call.
 */
export class FolderDiagnoser {
  private worker: Worker | undefined;
  private sent: ReadonlyMap<string, Source> = new Map();

  /** Calls must not overlap. Rejects if the thread ends. */
  diagnose(folder: FolderTexts): Promise<FolderDiagnostics> {
    if (!isBuilt) return Promise.resolve(folderDiagnostics(folder));
    const worker = this.worker ?? this.started();
    const { sources, schemaTexts, vocabulary } = folder;
    const current = new Map(sources.map((source) => [source.path, source]));
    const texts = [
      ...[...this.sent.keys()].filter((path) => !current.has(path)).map((path) => [path, undefined] as const),
      ...sources
        .filter((source) => this.sent.get(source.path) !== source)
        .map(({ path, text }) => [path, text] as const),
    ];
    this.sent = current;
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
        act();
      };
      const fail = (message: string): void => {
        this.worker = undefined;
        settle(() => reject(new Error(`the thread that compiles the folder failed: ${message}`)));
      };
      worker.once('message', (diagnostics: FolderDiagnostics) => settle(() => resolve(diagnostics)));
      worker.once('error', ({ message }) => fail(message));
      worker.once('exit', (code) => fail(`it ended with code ${code}`));
      worker.postMessage({ texts, schemaTexts, vocabulary } satisfies FolderChange);
    });
  }

  private started(): Worker {
    this.worker = new Worker(new URL(FILE, import.meta.url));
    this.sent = new Map();
    // The end of the session ends the process.
    this.worker.unref();
    return this.worker;
  }
}

const FILE = './folder-thread.js';
/** Threads need a program that was built. */
const isBuilt = import.meta.url.endsWith('.js');
