import { Worker } from 'node:worker_threads';
import type { Source } from '../../../compiler/diagnostics/source.js';
import type { SuiteFiles } from '../../../compiler/load/index.js';
import type { Vocabulary } from '../../../compiler/validate/vocabulary.js';
import type { Evaluated } from '../evaluations.js';
import type { FolderTexts } from '../find-problems.js';
import { type FolderDiagnostics, folderDiagnostics } from '../folder-diagnostics.js';
import { type ConditionPlace, evaluateIn } from './evaluate-condition.js';

/** Texts by path; undefined for a file that is gone. */
type Texts = readonly (readonly [path: string, text: string | undefined])[];

/** What the thread is asked about a folder. */
export interface FolderQuestion {
  readonly id: number;
  /** The policies that changed since the question before. */
  readonly texts: Texts;
  readonly schemaTexts: ReadonlyMap<string, string>;
  readonly vocabulary: Vocabulary;
  /** Set to evaluate a condition, in place of the diagnostics: where it is, and the files of the tests. */
  readonly condition?: { readonly place: ConditionPlace; readonly tests: Texts };
}

/** The answer to the question with the same id. */
export type FolderAnswer = { readonly id: number } & (
  | { readonly result: FolderDiagnostics | Evaluated }
  | { readonly error: string }
);

/**
 * Compiles one folder again and again in a thread of its own, so that an editor is answered meanwhile
 * (docs/decisions/compiler.md#0061). A thread that fails is replaced by the next call.
 */
export class FolderCompiler {
  private thread: Thread | undefined;

  /** What is wrong with the folder. Rejects if the thread ends. */
  async diagnose(folder: FolderTexts): Promise<FolderDiagnostics> {
    if (!isBuilt) return folderDiagnostics(folder);
    return (await this.started().ask(folder)) as FolderDiagnostics;
  }

  /** A condition for the requests of tests. Rejects if the policies have errors, or if the thread ends. */
  async evaluate(folder: FolderTexts, suites: readonly SuiteFiles[], place: ConditionPlace): Promise<Evaluated> {
    if (!isBuilt) return evaluateIn(folder, suites, place);
    const files = suites.flatMap(({ file, principals, resources, auxData }) => [file, principals, resources, auxData]);
    const tests = files.flatMap((file) =>
      file !== undefined && 'source' in file ? [[file.source.path, file.source.text] as const] : [],
    );
    return (await this.started().ask(folder, { place, tests })) as Evaluated;
  }

  private started(): Thread {
    this.thread ??= new Thread(() => {
      this.thread = undefined;
    });
    return this.thread;
  }
}

interface Pending {
  readonly resolve: (result: FolderDiagnostics | Evaluated) => void;
  readonly reject: (error: Error) => void;
}

class Thread {
  private readonly worker = new Worker(new URL(FILE, import.meta.url));
  private readonly pending = new Map<number, Pending>();
  private sent: ReadonlyMap<string, Source> = new Map();
  private asked = 0;

  /** @param ended is called when it can answer no more. */
  constructor(ended: () => void) {
    const fail = (message: string): void => {
      ended();
      for (const { reject } of this.pending.values())
        reject(new Error(`the thread that compiles the folder failed: ${message}`));
      this.pending.clear();
    };
    this.worker.on('error', ({ message }) => fail(message));
    this.worker.on('exit', (code) => fail(`it ended with code ${code}`));
    this.worker.on('message', (answer: FolderAnswer) => {
      const { resolve, reject } = this.pending.get(answer.id) ?? {};
      this.pending.delete(answer.id);
      if ('error' in answer) reject?.(new Error(answer.error));
      else resolve?.(answer.result);
    });
    // The end of the session ends the process.
    this.worker.unref();
  }

  ask(
    { sources, schemaTexts, vocabulary }: FolderTexts,
    condition?: FolderQuestion['condition'],
  ): Promise<FolderDiagnostics | Evaluated> {
    const current = new Map(sources.map((source) => [source.path, source]));
    const texts = [
      ...[...this.sent.keys()].filter((path) => !current.has(path)).map((path) => [path, undefined] as const),
      ...sources
        .filter((source) => this.sent.get(source.path) !== source)
        .map(({ path, text }) => [path, text] as const),
    ];
    this.sent = current;
    this.asked += 1;
    const id = this.asked;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.worker.postMessage({
        id,
        texts,
        schemaTexts,
        vocabulary,
        ...(condition && { condition }),
      } satisfies FolderQuestion);
    });
  }
}

const FILE = './folder-thread.js';
/** Threads need a program that was built. */
const isBuilt = import.meta.url.endsWith('.js');
