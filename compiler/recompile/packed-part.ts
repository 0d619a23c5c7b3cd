import type { PolicyFile } from '../ast/policy.js';
import { Source } from '../diagnostics/source.js';
import type { EmittedFile } from '../ir/emitted-file.js';
import { type Bytes, type PackedFiles, packedFiles, unpackedFiles } from './packed-files.js';
import type { CompiledPart } from './parts.js';

/** A compiled part without references to its sources: what a thread sends to another. */
export interface PackedPart<Buffers extends Bytes = Bytes> extends PackedFiles<Buffers> {
  /** All but the files and heads, in which sources are indexes, as JSON. */
  readonly json: string;
  /** The heads in the same form, in UTF-8: only rules for the whole set read them. */
  readonly heads: Buffers;
}

/** @param sources those that the part was compiled from. */
export function packed({ modules, heads, ...rest }: CompiledPart, sources: readonly Source[]): PackedPart<Uint8Array> {
  const indexes = new Map(sources.map((source, index) => [source, index]));
  const findIndex = (source: Source): number => indexes.get(source) as number;
  const toJson = (part: unknown): string =>
    JSON.stringify(part, (_, value: unknown) => (value instanceof Source ? findIndex(value) : value));
  const counted = modules.map((module) => ({ ...module, files: module.files.length, traced: module.traced.length }));
  const files = modules.flatMap((module) => [...module.files, ...module.traced]);
  return {
    json: toJson({ ...rest, modules: counted }),
    // A copy, because those of `Buffer` may be shared with others.
    heads: new Uint8Array(Buffer.from(toJson(heads))),
    ...packedFiles(files, findIndex),
  };
}

/** @param sources the same files as when it was packed. */
export function unpacked({ json, heads, ...files }: PackedPart, sources: readonly Source[]): CompiledPart {
  const { modules, ...rest } = withSources(JSON.parse(json), sources) as Counted;
  const emitted = unpackedFiles(files, sources);
  let next = 0;
  const take = (count: number): readonly EmittedFile[] => {
    next += count;
    return emitted.slice(next - count, next);
  };
  return {
    ...rest,
    modules: modules.map((module) => ({ ...module, files: take(module.files), traced: take(module.traced) })),
    get heads(): readonly PolicyFile[] {
      const text = Buffer.from(heads.subarray(0, heads.length)).toString('utf8');
      return withSources(JSON.parse(text), sources) as readonly PolicyFile[];
    },
  };
}

/** A part with the numbers of files in place of the files. */
interface Counted extends Omit<CompiledPart, 'modules' | 'heads'> {
  readonly modules: readonly (Omit<CompiledPart['modules'][number], 'files' | 'traced'> & {
    readonly files: number;
    readonly traced: number;
  })[];
}

/** A value with sources where its JSON has their indexes, in which equal strings are one. */
export function withSources(value: unknown, sources: readonly Source[]): unknown {
  const strings = new Map<string, string>();
  const once = (text: string): string => {
    const known = strings.get(text);
    if (known === undefined) strings.set(text, text);
    return known ?? text;
  };
  const restored = (given: unknown, name: string): unknown => {
    if (typeof given === 'string') return once(given);
    if (name === 'source' && typeof given === 'number') return sources[given];
    if (Array.isArray(given)) return given.map((item) => restored(item, ''));
    if (typeof given !== 'object' || given === null) return given;
    return Object.fromEntries(Object.entries(given).map(([inner, item]) => [inner, restored(item, inner)]));
  };
  return restored(value, '');
}
