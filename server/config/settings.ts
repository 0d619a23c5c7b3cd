import * as v from 'valibot';
import { nearestName } from '../../packages/cel/nearest-name.js';
import { ConfigError, unknownKey } from './config-error.js';
import { type ConfigKey, CONFIGURATION, KEYS, type Settings } from './keys.js';
import { type ConfigNode, findNode, type MapNode, plainValue } from './node.js';
import { describeIssue, describeType } from './schema-type.js';
import { blank, isSection, type Section, type UsedKey, usedKey } from './section.js';

/** A configuration held against the keys. */
export interface Settled {
  readonly settings: Settings;
  /** The values that are not defaults, as they were written. */
  readonly written: ReadonlyMap<string, unknown>;
  /** Where each key that is not a default, and each item of a list, was written: `file:line:column`, or the flag. */
  readonly places: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

/** A key with a value that the server must not start with. */
export interface Problem {
  /** The path of the key. */
  readonly key: string;
  readonly problem: string;
  readonly place: string;
}

/** Holds a configuration against the keys. Throws a ConfigError with all problems, in the order of the configuration. */
export function settle(root: MapNode): Settled {
  const { settled, problems } = examine(root);
  return settled ?? throwProblems(problems);
}

/** Throws the first problem, with the others in it. */
export function throwProblems(problems: readonly Problem[]): never {
  const [first, ...others] = problems.map(({ problem, place }) => new ConfigError(problem, place));
  throw new ConfigError(first?.problem ?? '', first?.place ?? '', others);
}

/**
 * What `settle` returns, or the problems that it throws: unknown keys, wrong values, and values that are refused.
 *
 * @param isOpen whether a value is not known yet: it stays as it is, and is no problem.
 */
export function examine(
  root: MapNode,
  isOpen: (node: ConfigNode) => boolean = () => false,
): { readonly settled?: Settled; readonly problems: readonly Problem[] } {
  const found: Found = { written: new Map(), places: new Map(), warnings: [], problems: [] };
  const result = v.safeParse(CONFIGURATION, readSection(CONFIGURATION, root, '', found));
  const keys = [...found.written.keys()];
  for (const issue of result.issues ?? []) {
    const path = (issue.path ?? []).map(({ key }) => key as string | number);
    const node = findNode(root, path);
    if (isOpen(node)) continue;
    const key = keys.find((known) => `${path.join('.')}.`.startsWith(`${known}.`)) ?? '';
    // What is missing may be there under the name that is unknown.
    const order = keys.indexOf(key) - (issue.expected === 'never' ? 0.25 : 0);
    report(found, key, describeIssue(issue), node.place, order);
  }
  const problems = found.problems.toSorted((one, other) => one.order - other.order);
  if (problems.length > 0) return { problems };
  const { written, places, warnings } = found;
  return { settled: { settings: result.output as Settings, written, places, warnings }, problems };
}

interface Found {
  readonly written: Map<string, unknown>;
  readonly places: Map<string, string>;
  readonly warnings: string[];
  readonly problems: (Problem & { readonly order: number })[];
}

/** A problem between the keys that were read before and after it, unless its order says otherwise. */
function report(
  { problems, written }: Found,
  key: string,
  problem: string,
  place: string,
  order = written.size - 0.5,
): void {
  problems.push({ key, problem, place, order });
}

/** The keys that the server reads, in the order of the documentation. */
export function usedKeys(): readonly (readonly [string, UsedKey])[] {
  return Object.entries(KEYS).filter((entry): entry is [string, UsedKey] => entry[1].kind === 'used');
}

/** The key at a path, `block` for a block of keys, or undefined. */
export function findKey(path: string): ConfigKey | 'block' | undefined {
  let entry: v.GenericSchema = CONFIGURATION;
  for (const name of path.split('.')) {
    if (!isSection(entry)) return undefined;
    const { entries, foreign: others }: Section = entry;
    if (!Object.hasOwn(entries, name)) return Object.hasOwn(others, name) ? others[name] : others['*'];
    entry = entries[name] as v.GenericSchema;
  }
  return isSection(entry) ? 'block' : usedKey(entry);
}

/** The plain values of a block, and of all blocks in it, for the schema. */
function readSection(section: Section, block: MapNode, path: string, found: Found): { [name: string]: unknown } {
  const input = blank(section);
  for (const [name, node] of block.entries) {
    const childPath = path === '' ? name : `${path}.${name}`;
    const entry = Object.hasOwn(section.entries, name) ? (section.entries[name] as v.GenericSchema) : undefined;
    const isNull = node.kind === 'scalar' && node.value === null;
    // A dot belongs to the path of a key, never to a name.
    if (name.includes('.'))
      report(found, childPath, `unknown key \`${name}\`; use nested maps instead of dots`, node.place);
    else if (entry === undefined || !isSection(entry)) {
      const key = entry === undefined ? findKey(childPath) : usedKey(entry);
      if (key === undefined || key === 'block')
        report(found, childPath, unknownKey(childPath, likelyKey(childPath)), node.place);
      else if (isNull) warnOfNull(childPath, key, node, found);
      else if (key.kind === 'used') input[name] = readValue(childPath, node, found);
      else checkForeign(key, childPath, node, found);
    } else if (node.kind === 'map') input[name] = readSection(entry, node, childPath, found);
    else if (isNull)
      found.warnings.push(
        `${node.place}: \`${childPath}\` is null, so it has no keys; remove it, or indent its keys below it`,
      );
    else report(found, childPath, `\`${childPath}\` must be a map`, node.place);
  }
  return input;
}

function warnOfNull(path: string, key: ConfigKey, { place }: ConfigNode, { warnings }: Found): void {
  const values = key.kind === 'used' ? `: ${describeType(key.type)}` : '';
  warnings.push(`${place}: \`${path}\` is null, which leaves it unset; remove the key, or write a value${values}`);
}

function readValue(path: string, node: ConfigNode, { written, places }: Found): unknown {
  const value = plainValue(node);
  written.set(path, value);
  places.set(path, node.place);
  if (node.kind === 'list')
    for (const [index, item] of node.items.entries()) places.set(`${path}[${index}]`, item.place);
  return value;
}

function checkForeign(key: Exclude<ConfigKey, UsedKey>, path: string, node: ConfigNode, found: Found): void {
  if (key.kind === 'quiet') return;
  const { output, issues = [] } = v.safeParse(key.type, plainValue(node));
  for (const { message } of issues) report(found, path, `\`${path}\` ${message}`, node.place);
  if (issues.length > 0 || key.harmless(output)) return;
  if (key.kind === 'refused') report(found, path, `\`${path}\`: ${key.why}`, node.place);
  else found.warnings.push(`${node.place}: \`${path}\` has no effect: ${key.why}`);
}

/**
 * The key that is probably meant: for a port or a host the address in the same block; else a key with a similar name in
 * it, else the only key of this name below it, or in any other block, else the one of the same block that shares most
 * words.
 */
export function likelyKey(path: string): string | undefined {
  const block = path.slice(0, path.lastIndexOf('.') + 1);
  const name = path.slice(block.length);
  const paths = usedKeys().map(([known]) => known);
  const names = paths.flatMap((known) =>
    known.startsWith(block) ? (known.slice(block.length).split('.')[0] ?? []) : [],
  );
  const address = nearestAddress(name, names);
  if (address !== undefined) return `${block}${address}`;
  const near = nearestName(name, names);
  if (near !== undefined) return `${block}${near}`;
  const named = paths.filter((known) => known.endsWith(`.${name}`));
  const below = named.filter((known) => known.startsWith(block));
  const [elsewhere, ...others] = below.length > 0 ? below : named;
  if (elsewhere !== undefined) return others.length === 0 ? elsewhere : undefined;
  const shared = mostSharedWords(name, names);
  return shared === undefined ? undefined : `${block}${shared}`;
}

/** `httpListenAddr` for `httpPort` and for `port`: an address is one key. */
function nearestAddress(written: string, names: readonly string[]): string | undefined {
  if (!splitWords(written).includes(ADDRESS)) return undefined;
  const addresses = names.filter((name) => splitWords(name).includes(ADDRESS));
  return mostSharedWords(written, addresses) ?? addresses[0];
}

/** The only name with the most words of the written one. */
function mostSharedWords(written: string, names: readonly string[]): string | undefined {
  const own = splitWords(written);
  const counted = [...new Set(names)].map((name) => ({
    name,
    count: splitWords(name).filter((word) => own.includes(word)).length,
  }));
  const most = Math.max(0, ...counted.map(({ count }) => count));
  const [first, ...others] = counted.filter(({ count }) => count === most);
  return most > 0 && others.length === 0 ? first?.name : undefined;
}

/** The words of a name such as `httpListenAddr`, in lower case; those of an address are one. */
function splitWords(name: string): readonly string[] {
  const words = name.split(/(?=[A-Z])|[_-]/).map((word) => word.toLowerCase());
  return words.map((word) => (ADDRESS_WORDS.has(word) ? ADDRESS : word));
}

const ADDRESS = 'addr';
const ADDRESS_WORDS: ReadonlySet<string> = new Set(['address', 'port', 'host', 'bind']);
