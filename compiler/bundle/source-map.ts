import { join, relative, sep } from 'node:path';
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';

/** The folders that the source map of a bundle connects, as real paths. */
export interface BundlePlace {
  /** The folder that the bundle is in. */
  readonly folder: string;
  /** The folder of the policies. */
  readonly policies: string;
}

/** The URL of a policy in the maps of shards, which esbuild copies to the map of the bundle. */
export function policyUrl(path: string): string {
  return `${POLICY}${encoded(path)}`;
}

const POLICY = 'policy:';

/** A text whose lines are mapped. */
export interface MappedText {
  /** The text in parts, which end with a line. */
  readonly parts: readonly string[];
  /** The number of its lines. */
  readonly length: number;
  /** Segments of each line; undefined for a line that is not mapped. */
  readonly lines: readonly (SourceMapSegment[] | undefined)[];
  /** The URLs of the sources, by their numbers in the lines. */
  readonly sources: readonly string[];
}

/** The namespace of emitted files in esbuild. */
export const EMITTED = 'emitted';

/**
 * The map of a bundle as debuggers need it: its sources are relative to the folder of the bundle if that is known;
 * otherwise policies are relative to their folder. Code that belongs to no policy, such as tables of modules, is
 * unmapped. Debuggers can skip the files of the runtime.
 * @param map as esbuild writes it.
 * @param root the folder that the paths of the runtime are relative to.
 * @param head the text before that of the map.
 */
export function placedMap(map: string, root: string, place: BundlePlace | undefined, head?: MappedText): string {
  const { sources, names, mappings } = JSON.parse(map) as Pick<SourceMap, 'sources' | 'names' | 'mappings'>;
  // Those of the text before stay as they are: it may have hundreds of thousands of lines.
  const kept = [...(head?.sources ?? [])];
  const known = new Map(kept.map((source, index) => [source, index]));
  const indexes = sources.map((source) =>
    source.startsWith(`${EMITTED}:`) ? undefined : (known.get(source) ?? kept.push(source) - 1),
  );
  const toPolicies = place === undefined ? '' : pathBetween(place.folder, place.policies);
  const isPolicy = (source: string): boolean => source.startsWith(POLICY);
  const placed: SourceMap = {
    version: 3,
    sources: kept.map((source) => {
      if (isPolicy(source)) return `${toPolicies}${source.slice(POLICY.length)}`;
      return place === undefined ? source : pathBetween(place.folder, join(root, source)).slice(0, -1);
    }),
    names,
    mappings: encode([
      ...Array.from({ length: head?.length ?? 0 }, (_, line) => head?.lines[line] ?? []),
      ...decode(mappings).map((line) => line.map((segment) => renumbered(segment, indexes))),
    ]),
    ignoreList: kept.flatMap((source, index) => (isPolicy(source) ? [] : [index])),
  };
  return `${JSON.stringify(placed)}\n`;
}

/** A source map without the texts of its sources. */
interface SourceMap {
  readonly version: 3;
  readonly sources: readonly string[];
  readonly names: readonly string[];
  readonly mappings: string;
  /** Indexes of the sources that are not the author's own code. */
  readonly ignoreList: readonly number[];
}

/** The segment with another number for its source, or unmapped if there is none. */
function renumbered(segment: SourceMapSegment, indexes: readonly (number | undefined)[]): SourceMapSegment {
  if (segment.length === 1) return segment;
  const [column, source, line, sourceColumn, name] = segment;
  const index = indexes[source];
  if (index === undefined) return [column];
  return name === undefined ? [column, index, line, sourceColumn] : [column, index, line, sourceColumn, name];
}

/** The relative URL from a folder to a file or folder, with `/` at its end; empty if both are the same. */
function pathBetween(from: string, to: string): string {
  const path = relative(from, to);
  return path === '' ? '' : `${encoded(path.replaceAll(sep, '/'))}/`;
}

function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
