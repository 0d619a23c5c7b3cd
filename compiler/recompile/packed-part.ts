import { Source } from '../diagnostics/source.js';
import type { EmittedFile } from '../ir/emitted-file.js';
import { type PackedFiles, packedFiles, unpackedFiles } from './packed-files.js';
import type { CompiledPart } from './parts.js';

/** A compiled part without references to its sources: what a thread sends to another. */
export interface PackedPart extends PackedFiles {
  /** All but the files, in which sources are indexes, as JSON. */
  readonly json: string;
}

/** @param sources those that the part was compiled from. */
export function packed({ modules, ...rest }: CompiledPart, sources: readonly Source[]): PackedPart {
  const indexes = new Map(sources.map((source, index) => [source, index]));
  const indexOf = (source: Source): number => indexes.get(source) as number;
  const counted = modules.map((module) => ({ ...module, files: module.files.length, traced: module.traced.length }));
  const json = JSON.stringify({ ...rest, modules: counted }, (_, value: unknown) =>
    value instanceof Source ? indexOf(value) : value,
  );
  const files = modules.flatMap((module) => [...module.files, ...module.traced]);
  return { json, ...packedFiles(files, indexOf) };
}

/** @param sources the same files as when it was packed. */
export function unpacked({ json, ...files }: PackedPart, sources: readonly Source[]): CompiledPart {
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
  };
}

/** A part with the numbers of files in place of the files. */
interface Counted extends Omit<CompiledPart, 'modules'> {
  readonly modules: readonly (Omit<CompiledPart['modules'][number], 'files' | 'traced'> & {
    readonly files: number;
    readonly traced: number;
  })[];
}

/** A value with sources where its JSON has their indexes. */
export function withSources(value: unknown, sources: readonly Source[], name = ''): unknown {
  if (name === 'source' && typeof value === 'number') return sources[value];
  if (Array.isArray(value)) return value.map((item) => withSources(item, sources));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([inner, item]) => [inner, withSources(item, sources, inner)]));
}
