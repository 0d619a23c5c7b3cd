import type { RowLock } from './row-lock.js';
import { type FactTypes, sanitize } from '../policy/index.js';
import { readAttribute, factName, type FactRoot } from './fact-names.js';

/** Says in a request or in a row that there is no such attribute, as opposed to one that is not known. */
export const absent: unique symbol = Symbol('authz.absent');

/** What values of a fact must be. `any` accepts what JSON can represent. */
export type FactType = 'string' | 'number' | 'boolean' | 'timestamp' | 'list' | 'map' | 'any';

/** Whether a fact that the caller sent is used, replaced by that of the source, or an error. */
export type CallerPolicy = 'use' | 'ignore' | 'refuse';

/** What a source is asked for, besides the keys. */
export interface LoadContext<Transaction = unknown> {
  readonly wanted: Wanted;
  /** The transaction that the caller passed. */
  readonly tx: Transaction | undefined;
  /** How the rows that it returns are to be locked until the transaction ends, if at all. */
  readonly lock?: RowLock | undefined;
  /** Aborted at the deadline, and when the caller no longer waits. */
  readonly signal: AbortSignal;
}

/** The attributes that a source is asked for. */
export interface Wanted {
  readonly names: readonly string[];
  /** The same as a selection, with the field of the key: `{ id: true, owner: true }`. */
  readonly select: { readonly [name: string]: true };
}

/**
 * The rows that a source found: by key, or as a list whose items have the field of the key. A list without keys is
 * refused: a row that is missing would shift all others.
 */
export type Rows<Row extends object> =
  | ReadonlyMap<string, Row | null | undefined>
  | { readonly [key: string]: Row | null | undefined }
  | readonly (Row & object)[];

/** How long rows of a source are kept, in milliseconds. */
export interface CacheOptions {
  /** How long a row is used without asking again. Default: 0. */
  readonly maxAge?: number | undefined;
  /** How long a row is used if the source fails. Default: 0. */
  readonly maxStale?: number | undefined;
  /** Default: 10,000. */
  readonly maxEntries?: number | undefined;
}

/** What chooses the policies that decide, beside kind and id. */
export type Selector = 'roles' | 'scope' | 'policyVersion';

/** The attributes of rows that choose policies. */
export interface Selects {
  /** The roles of principals: a list of strings, at least one. */
  readonly roles?: string | undefined;
  /** The scope, as a string; empty for the root. */
  readonly scope?: string | undefined;
  readonly policyVersion?: string | undefined;
}

/** Where facts of resources of one kind, or of principals, come from. */
export interface FactSource {
  /** The kind of the resources, or `principal`. */
  readonly of: string;
  /** The attributes that it returns. Others are dropped. */
  readonly provides: readonly string[];
  /**
   * The attributes of its rows that are the roles of a principal, the scope or the version, in place of what callers send
   * (with `caller: 'use'`: if they send none). They need not be among `provides`. While one is unknown, nothing is decided.
   */
  readonly selects?: Selects | undefined;
  /** The type of each attribute, where no JSON schema of the policies says it. */
  readonly types?: { readonly [attribute: string]: FactType } | undefined;
  /** Finds the rows of some keys. */
  readonly load: (keys: readonly string[], context: LoadContext<never>) => Rows<object> | PromiseLike<Rows<object>>;
  /** Whether `load` locks rows if it is asked to. */
  readonly locks?: boolean | undefined;
  /** The name in `facts` and `unknown`. Default: `of`, with a number if there are several. */
  readonly name?: string | undefined;
  /** What rows are found by: the id, or another fact, such as `{ fact: 'resource.attr.folder' }`. */
  readonly key?: 'id' | { readonly fact: string } | undefined;
  /** The field of rows that has the key. Default: `id`. */
  readonly keyField?: string | undefined;
  /** What asking costs: 0 memory, 1 the database of the application, 2 another one (the default), 4 HTTP. */
  readonly cost?: number | undefined;
  /** The longest time of a request, in milliseconds. Default: that of the engine. */
  readonly deadline?: number | undefined;
  /** The most keys in one call. Default: 100. */
  readonly maxKeys?: number | undefined;
  readonly cache?: CacheOptions | undefined;
  /** What a key without a row means. Default: `unknown`, which denies unless the request is decided without the row. */
  readonly notFound?: 'unknown' | 'absent' | undefined;
  /** What null means: the attribute is null, or absent. Without it, null fails, except of an attribute of type `any`. */
  readonly nulls?: 'null' | 'absent' | undefined;
  /** The requests that it is for. */
  readonly when?: { readonly scope?: string | undefined; readonly version?: string | undefined } | undefined;
  /** Default: that of the engine. */
  readonly caller?: CallerPolicy | undefined;
}

/** A source of a server that may be asked on behalf of callers. */
export interface ServedSource extends FactSource {
  /** Whether it is asked with the credentials of the caller. What one caller may read must not be kept for others. */
  readonly forwards?: boolean | undefined;
  readonly load: (keys: readonly string[], context: ForwardingContext) => ReturnType<FactSource['load']>;
}

/** What a source of a server is asked for. */
export interface ForwardingContext extends LoadContext<never> {
  /** The header `authorization` of the caller, for sources that forward it; undefined if there is none. */
  readonly authorization?: string | undefined;
}

/** A source with its defaults. */
export interface PreparedSource {
  readonly name: string;
  readonly root: FactRoot;
  /** The sanitised kind; undefined for principals. */
  readonly kind: string | undefined;
  readonly facts: ReadonlyMap<string, string>;
  /** The attribute of rows that each selector is. */
  readonly selects: ReadonlyMap<Selector, string>;
  /** Whether roles, scopes and versions that callers send are used. */
  readonly takesSentSelectors: boolean;
  /** The types of all attributes that it is asked for. */
  readonly types: ReadonlyMap<string, FactType>;
  /** The fact that is the key; undefined if it is the id. */
  readonly keyFact: string | undefined;
  readonly keyField: string;
  readonly cost: number;
  readonly deadline: number;
  readonly maxKeys: number;
  readonly cache: Required<{ readonly [Name in keyof CacheOptions]: number }>;
  readonly notFound: 'unknown' | 'absent';
  readonly nullsOf: (attribute: string) => FactSource['nulls'];
  readonly when: NonNullable<FactSource['when']>;
  readonly caller: CallerPolicy;
  readonly wanted: Wanted;
  readonly locks: boolean;
  readonly forwards: boolean;
  readonly load: (
    keys: readonly string[],
    context: LoadContext<unknown> & Pick<ForwardingContext, 'authorization'>,
  ) => unknown;
}

/** What sources take from their engine. */
export interface SourceDefaults {
  readonly deadline: number;
  readonly caller: CallerPolicy;
  /** The types of attributes by JSON schemas of the policies. */
  readonly types: FactTypes | undefined;
}

const PRINCIPAL = 'principal';
/** How many sources a key may need before its own. */
const MOST_KEYS_IN_A_CHAIN = 4;

/** Checks sources, and fills in their defaults. Throws a TypeError for what is wrong. */
export function prepareSources(sources: readonly ServedSource[], defaults: SourceDefaults): readonly PreparedSource[] {
  const names = new Set<string>();
  const prepared = sources.map((source) => {
    const made = prepare(source, freeName(source.name ?? source.of, names), defaults);
    names.add(made.name);
    return made;
  });
  requireOneSourceEach(prepared);
  requireOneSelectorEach(prepared);
  const keyFacts = new Set(prepared.flatMap(({ keyFact }) => keyFact ?? []));
  for (const source of prepared) requireChain(source, prepared);
  // Otherwise a caller who sends the key chooses whose facts are read.
  return prepared.map((source) =>
    [...source.facts.values()].some((fact) => keyFacts.has(fact)) &&
    sources[prepared.indexOf(source)]?.caller === undefined
      ? { ...source, caller: 'ignore' as const }
      : source,
  );
}

function prepare(source: ServedSource, name: string, defaults: SourceDefaults): PreparedSource {
  const { of, provides, key = 'id', keyField = 'id', cost = 2, maxKeys = 100, load } = source;
  const refuse = (problem: string): never => {
    throw new TypeError(`source \`${name}\`: ${problem}`);
  };
  if (typeof of !== 'string' || of === '') refuse('`of` must be a kind or `principal`');
  const selects = readSelects(source, refuse);
  if (!Array.isArray(provides) || (provides.length === 0 && selects.size === 0))
    refuse('`provides` must list at least one attribute');
  if (typeof load !== 'function') refuse('`load` must be a function');
  if (!Number.isInteger(maxKeys) || maxKeys < 1) refuse('`maxKeys` must be a positive integer');
  if (!(cost >= 0)) refuse('`cost` must be a number of at least 0');
  const cache = { maxAge: 0, maxStale: 0, maxEntries: 10_000, ...defined(source.cache ?? {}) };
  const forwards = source.forwards === true;
  if (forwards && (cache.maxAge > 0 || cache.maxStale > 0))
    refuse('rows that are fetched with the credentials of a caller must not be kept: leave out `cache`');
  const root = of === PRINCIPAL ? 'principal.attr' : 'resource.attr';
  const kind = of === PRINCIPAL ? undefined : sanitize(of);
  const declared = kind === undefined ? defaults.types?.principal : ownValue(defaults.types?.resources, kind);
  const jsonTypes = (attribute: string): readonly string[] => ownValue(declared, attribute) ?? [];
  const typeOf = (attribute: string): FactType =>
    ownValue(source.types, attribute) ??
    factType(jsonTypes(attribute)) ??
    refuse(`the type of \`${attribute}\` is not known: add it to \`types\`, or \`any\``);
  const keyFact = key === 'id' ? undefined : key.fact;
  if (keyFact !== undefined && readAttribute(keyFact, root) === undefined)
    refuse(`\`key.fact\` must be one of \`${root}\`, not \`${keyFact}\``);
  const selected = [...selects].filter(([, attribute]) => !provides.includes(attribute));
  const wanted = [...provides, ...new Set(selected.map(([, attribute]) => attribute))];
  return {
    name,
    root,
    kind,
    facts: new Map(provides.map((attribute) => [attribute, factName(root, attribute)])),
    selects,
    takesSentSelectors: source.caller === 'use',
    types: new Map([
      ...selected.map(([, attribute]) => [attribute, 'any'] as const),
      ...provides.map((attribute) => [attribute, typeOf(attribute)] as const),
    ]),
    keyFact,
    keyField,
    cost,
    deadline: source.deadline ?? defaults.deadline,
    maxKeys,
    cache,
    notFound: source.notFound ?? 'unknown',
    nullsOf: (attribute) => source.nulls ?? (jsonTypes(attribute).includes('null') ? 'null' : undefined),
    when: source.when ?? {},
    caller: source.caller ?? defaults.caller,
    wanted: {
      names: wanted,
      select: Object.fromEntries([keyField, ...wanted].map((attribute) => [attribute, true])),
    },
    locks: source.locks === true,
    forwards,
    load: load as PreparedSource['load'],
  };
}

/** What a source says of the policies that decide. Refuses one that could be asked only once they are known. */
function readSelects(
  { of, selects = {}, key = 'id', when }: FactSource,
  refuse: (problem: string) => never,
): ReadonlyMap<Selector, string> {
  const found = new Map<Selector, string>();
  for (const [selector, attribute] of Object.entries(selects)) {
    if (attribute === undefined) continue;
    if (selector !== 'scope' && selector !== 'policyVersion' && (selector !== 'roles' || of !== PRINCIPAL))
      refuse(
        `\`selects.${selector}\`: must be \`selects.scope\` or \`selects.policyVersion\`, or \`selects.roles\` for principals`,
      );
    if (typeof attribute !== 'string' || attribute === '') refuse(`\`selects.${selector}\` must name an attribute`);
    found.set(selector as Selector, attribute as string);
  }
  if (found.size > 0 && key !== 'id') refuse('`selects` needs rows that are found by their id');
  if (found.size > 0 && when !== undefined)
    refuse('`when` contradicts `selects`: the source sets the scope and the version that `when` compares');
  return found;
}

function ownValue<Value>(of: { readonly [name: string]: Value } | undefined, name: string): Value | undefined {
  return of !== undefined && Object.hasOwn(of, name) ? of[name] : undefined;
}

/** The type of values that have one of some types of JSON; undefined if nothing is known. */
function factType(types: readonly string[]): FactType | undefined {
  const others = types.filter((type) => type !== 'null');
  const [type] = others;
  if (types.length === 0) return undefined;
  if (others.length !== 1 || type === undefined) return 'any';
  return ownValue<FactType>(OF_JSON, type);
}

const OF_JSON = { string: 'string', number: 'number', boolean: 'boolean', array: 'list', object: 'map' } as const;

function defined(cache: CacheOptions): { readonly [name: string]: number } {
  return Object.fromEntries(Object.entries(cache).filter(([, value]) => value !== undefined));
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name} ${number}`;
  return free;
}

/** Whether two sources can be for the same request. */
function overlap(a: PreparedSource, b: PreparedSource): boolean {
  const differ = (one: string | undefined, other: string | undefined): boolean =>
    one !== undefined && other !== undefined && one !== other;
  return a.kind === b.kind && !differ(a.when.scope, b.when.scope) && !differ(a.when.version, b.when.version);
}

function requireOneSourceEach(sources: readonly PreparedSource[]): void {
  for (const [index, one] of sources.entries())
    for (const other of sources.slice(index + 1))
      for (const fact of overlap(one, other) ? one.facts.values() : [])
        if ([...other.facts.values()].includes(fact))
          throw new TypeError(`\`${fact}\` has two sources: \`${one.name}\` and \`${other.name}\``);
}

function requireOneSelectorEach(sources: readonly PreparedSource[]): void {
  const seen = new Map<string, PreparedSource>();
  for (const source of sources)
    for (const selector of source.selects.keys()) {
      const key = JSON.stringify([source.kind, selector]);
      const other = seen.get(key);
      if (other !== undefined)
        throw new TypeError(`\`${selector}\` has two sources: \`${other.name}\` and \`${source.name}\``);
      seen.set(key, source);
    }
}

/** Requires that the keys of a source can be found. */
function requireChain(source: PreparedSource, sources: readonly PreparedSource[]): void {
  let current: PreparedSource | undefined = source;
  for (let length = 0; current?.keyFact !== undefined; length += 1) {
    if (length > MOST_KEYS_IN_A_CHAIN)
      throw new TypeError(`source \`${source.name}\`: its key needs itself, or more than ${MOST_KEYS_IN_A_CHAIN} keys`);
    const { keyFact, kind }: PreparedSource = current;
    current = sources.find((other) => other.kind === kind && [...other.facts.values()].includes(keyFact));
  }
}
