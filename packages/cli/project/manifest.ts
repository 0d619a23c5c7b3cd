import {
  applyEdits,
  type FormattingOptions,
  modify,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';

/** Keys of a package.json: a value, or one level of names with values, such as scripts. */
export interface Manifest {
  readonly [key: string]: string | boolean | { readonly [name: string]: string };
}

/** A package.json with more keys. */
export interface ExtendedManifest {
  readonly text: string;
  /** The keys that were added: `scripts.test`. */
  readonly added: readonly ManifestKey[];
  /** The keys that were there with other values, and stayed. */
  readonly kept: readonly ManifestKey[];
}

export interface ManifestKey {
  /** `['scripts', 'test']`. */
  readonly path: readonly string[];
  readonly value: unknown;
}

/** A package.json that cannot be extended. */
export class ManifestError extends Error {}

/**
 * Adds keys to the text of a package.json. What is there keeps its value, its order and its formatting.
 * @throws ManifestError if the text is not JSON, or a key that must be an object is something else.
 */
export function extendManifest(text: string, manifest: Manifest): ExtendedManifest {
  const present = parseManifest(text);
  const formattingOptions = detectFormatting(text);
  let result = text;
  const added: ManifestKey[] = [];
  const kept: ManifestKey[] = [];
  for (const { path, value } of listKeys(manifest)) {
    const [key = '', name] = path;
    const group = Object.hasOwn(present, key) ? present[key] : undefined;
    if (
      name !== undefined &&
      group !== undefined &&
      (typeof group !== 'object' || group === null || Array.isArray(group))
    )
      throw new ManifestError(`\`${key}\` must be an object`);
    const before = name === undefined ? group : ownValue(group, name);
    if (before === undefined && !hasDependency(present, path)) {
      const isNewGroup = name !== undefined && group === undefined && !added.some((other) => other.path[0] === key);
      const edits = isNewGroup
        ? modify(result, [key], { [name]: value }, { formattingOptions, getInsertionIndex: placeOfGroup(key) })
        : modify(result, [...path], value, { formattingOptions, getInsertionIndex: placeOfName(key, name) });
      result = applyEdits(result, edits);
      added.push({ path, value });
    } else if (before !== undefined && before !== value) {
      kept.push({ path, value: before });
    }
  }
  return { text: result, added, kept };
}

/** Where a new group goes: after the one that it usually follows, otherwise to the end. */
function placeOfGroup(key: string): (keys: readonly string[]) => number {
  const above = ORDER.slice(0, ORDER.indexOf(key)).at(-1);
  return (keys) => (above !== undefined && keys.includes(above) ? keys.indexOf(above) + 1 : keys.length);
}

/** Where a new name goes: npm sorts dependencies, scripts stay in the order of their authors. */
function placeOfName(key: string, name: string | undefined): (names: readonly string[]) => number {
  const isSorted = name !== undefined && DEPENDENCIES.includes(key);
  return (names) => (isSorted ? names.filter((other) => other < name).length : names.length);
}

/** A new package.json with these keys. */
export function newManifest(manifest: Manifest): string {
  const keys = Object.entries(manifest).sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b));
  const sorted = keys.map(([key, value]) => [
    key,
    typeof value === 'object' && DEPENDENCIES.includes(key)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  ]);
  return `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`;
}

/** The keys of a new package.json, in their usual order. */
const ORDER = [
  'name',
  'version',
  'private',
  'type',
  'engines',
  'scripts',
  'dependencies',
  'devDependencies',
  'overrides',
];

/** The object in the text of a package.json. */
export function parseManifest(text: string): { readonly [key: string]: unknown } {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors);
  const [first] = errors;
  if (first !== undefined) {
    const before = text.slice(0, first.offset).split('\n');
    throw new ManifestError(
      `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${printParseErrorCode(first.error)}`,
    );
  }
  if (tree?.type !== 'object') throw new ManifestError('expected a JSON object');
  return JSON.parse(text.replace(BYTE_ORDER_MARK, '')) as { readonly [key: string]: unknown };
}

const BYTE_ORDER_MARK = /^\uFEFF/;

/** Whether a package is among the dependencies of either kind, in whatever version. */
function hasDependency(present: { readonly [key: string]: unknown }, [key = '', name]: readonly string[]): boolean {
  if (name === undefined || !DEPENDENCIES.includes(key)) return false;
  return DEPENDENCIES.some((kind) => ownValue(present[kind], name) !== undefined);
}

const DEPENDENCIES: readonly string[] = ['dependencies', 'devDependencies'];

/** A value of a group of a package.json, such as `engines`. */
export function ownValue(group: unknown, name: string): unknown {
  if (typeof group !== 'object' || group === null) return undefined;
  return Object.hasOwn(group, name) ? (group as { readonly [name: string]: unknown })[name] : undefined;
}

function listKeys(manifest: Manifest): readonly ManifestKey[] {
  return Object.entries(manifest).flatMap(([key, value]) =>
    typeof value === 'object'
      ? Object.entries(value).map(([name, inner]) => ({ path: [key, name], value: inner }))
      : [{ path: [key], value }],
  );
}

/** The indentation and the ends of lines of a text. */
function detectFormatting(text: string): FormattingOptions {
  const [, indent = '  '] = /^([ \t]+)"/m.exec(text) ?? [];
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}

/** The keys of several manifests; of a key that several have, the value of the first. */
export function combined(manifests: readonly Manifest[]): Manifest {
  const result: Record<string, Manifest[string]> = {};
  for (const [key, value] of manifests.flatMap((manifest) => Object.entries(manifest))) {
    const before = result[key];
    if (before === undefined) result[key] = value;
    else if (typeof before === 'object' && typeof value === 'object') result[key] = { ...before, ...value, ...before };
  }
  return result;
}
