import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { CompileOptions } from '../../../compiler/compile.js';
import type { Source } from '../../../compiler/diagnostics/source.js';
import type { EmittedFile } from '../../../compiler/ir/emitted-file.js';
import { isUnpacked, type PackedFiles, packedFiles, unpackedFiles } from '../../../compiler/recompile/packed-files.js';
import { type PackedPart, unpacked } from '../../../compiler/recompile/packed-part.js';
import type { CompiledPart } from '../../../compiler/recompile/parts.js';
import { type Partition, partition } from '../../../compiler/recompile/partition.js';
import type { Snapshot } from '../../../compiler/recompile/snapshot.js';
import { ScratchFile } from './scratch-file.js';

/** A policy file as threads send it. */
export type SourceText = readonly [path: string, text: string];

/** What all parts of a set have in common. */
export interface ThreadData {
  readonly shared: readonly SourceText[];
  readonly options: Omit<CompileOptions, 'onStep'>;
}

/** The texts of a part. */
export interface PartTexts {
  readonly policies: readonly SourceText[];
  readonly above: readonly SourceText[];
}

/** Each thread optimises the compiler for itself, which takes longer than compiling fewer parts. */
const FROM = 20;
/** Each takes some hundred megabytes. */
const MOST_THREADS = 4;

/**
 * The memory of a thread in megabytes. With a large young generation, most of a part is garbage when it is first
 * collected. With twice as much, 10,000 policies take as long, and about 100 MB more.
 */
const MEMORY = { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 2048 };

/**
 * Compiles a large set of policies in parts, on all cores: the result equals that of compiling it at once. Undefined if
 * the set is small, has errors, or cannot be compiled in parts (`mergeParts`): the caller then compiles it at once.
 *
 * @param folder of a temporary file with what was compiled, which ends with the process.
 * @throws Error if a thread fails.
 */
export async function compileInParts(
  sources: readonly Source[],
  { onStep, ...options }: CompileOptions,
  folder: string,
): Promise<Snapshot | undefined> {
  const cut = partition(sources);
  if (cut.parts.length < FROM || options.explain === true || options.facts === true || !isBuilt) return undefined;
  const scratch = new ScratchFile(folder);
  const parts = await compiledParts(cut, scratch, options, onStep);
  if (parts === undefined) return undefined;
  onStep?.('merging policies');
  const { mergeParts } = await import('../../../compiler/recompile/parts.js');
  const snapshot = mergeParts(sources, cut.shared, parts, options);
  return snapshot && { ...snapshot, files: snapshot.files.map((file) => storedFile(file, scratch)) };
}

/** The parts in order; undefined if one has errors. The threads, and their memory, end with it. */
async function compiledParts(
  { shared, parts }: Partition,
  scratch: ScratchFile,
  options: ThreadData['options'],
  onStep: CompileOptions['onStep'],
): Promise<readonly CompiledPart[] | undefined> {
  const data: ThreadData = { shared: shared.map(toSourceText), options };
  const pool = Array.from({ length: Math.min(availableParallelism(), MOST_THREADS) }, () => new Thread(data));
  const total = parts.reduce((sum, { policies }) => sum + policies.length, 0);
  const compiled: CompiledPart[] = [];
  let [next, done] = [0, 0];
  let isRefused = false;
  const work = async (thread: Thread): Promise<void> => {
    for (let index = next++; !isRefused; index = next++) {
      const part = parts[index];
      if (part === undefined) return;
      const { policies, above } = part;
      onStep?.(`compiling ${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} policies`);
      const result = await thread.compile({ policies: policies.map(toSourceText), above: above.map(toSourceText) });
      done += policies.length;
      if (result === undefined) isRefused = true;
      else compiled[index] = unpacked(stored(result, scratch), [...shared, ...above, ...policies]);
    }
  };
  try {
    await Promise.all(pool.map(work));
    return isRefused ? undefined : compiled;
  } finally {
    await Promise.all(pool.map((thread) => thread.end()));
  }
}

/** A part whose buffers are in the scratch file. */
function stored(part: PackedPart<Uint8Array>, scratch: ScratchFile): PackedPart {
  return { ...part, ...storedFiles(part, scratch), heads: scratch.append(part.heads) };
}

/** A file that all policies share, such as the manifest, in the scratch file; those of parts are there already. */
function storedFile(file: EmittedFile, scratch: ScratchFile): EmittedFile {
  if (isUnpacked(file)) return file;
  const indexes = new Map<Source, number>();
  const packed = packedFiles([file], (source) => {
    const index = indexes.get(source) ?? indexes.size;
    indexes.set(source, index);
    return index;
  });
  return unpackedFiles(storedFiles(packed, scratch), [...indexes.keys()])[0] as EmittedFile;
}

function storedFiles({ files, texts, numbers }: PackedFiles<Uint8Array>, scratch: ScratchFile): PackedFiles {
  return { files, texts: scratch.append(texts), numbers: scratch.append(numbers) };
}

function toSourceText({ path, text }: Source): SourceText {
  return [path, text];
}

/** A thread that compiles parts. */
class Thread {
  private readonly worker: Worker;
  private failure: Error | undefined;
  private reject: (failure: Error) => void = () => undefined;

  constructor(workerData: ThreadData) {
    this.worker = new Worker(new URL(FILE, import.meta.url), { workerData, resourceLimits: MEMORY });
    const fail = (message: string, cause?: Error): void => {
      this.failure ??= new Error(`a thread of the compiler failed: ${message}`, { cause });
      this.reject(this.failure);
    };
    this.worker.once('error', (error: Error) => fail(error.message, error));
    this.worker.once('exit', (code) => fail(`it ended with code ${code}`));
  }

  /** Undefined if the part has errors. Rejects if the thread ends. */
  async compile(part: PartTexts): Promise<PackedPart<Uint8Array> | undefined> {
    if (this.failure !== undefined) throw this.failure;
    const answer = new Promise<PackedPart<Uint8Array> | undefined>((resolve, reject) => {
      this.reject = reject;
      this.worker.once('message', resolve);
    });
    this.worker.postMessage(part);
    return answer;
  }

  end(): Promise<unknown> {
    return this.worker.terminate();
  }
}

const FILE = './part-thread.js';
/** Threads need a program that was built. */
const isBuilt = import.meta.url.endsWith('.js');
