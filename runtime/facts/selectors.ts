import type { PrincipalInput, ResourceInput } from '../engine/index.js';
import { sanitize } from '../policy/index.js';
import type { Need, Rows, UnknownFact, UsedFact } from './ask.js';
import type { Loader } from './loader.js';
import type { Selector } from './source.js';

/** Roles, scope and version, as far as sources say them. */
export interface SelectedFields {
  readonly roles?: readonly string[];
  readonly scope?: string;
  readonly policyVersion?: string;
}

/** What sources say of a principal or a resource by which policies are chosen. */
export interface Selected<Input> {
  /** The input with the roles, the scope and the version that sources say. */
  readonly input: Input;
  /** The fields that sources said. */
  readonly fields: SelectedFields;
  readonly used: readonly UsedFact[];
  readonly unknown: readonly UnknownFact[];
  /** The rows that are to be asked for before any of it is known. */
  readonly needs: readonly (Need & Pick<UnknownFact, 'fact' | 'source'>)[];
}

/** What sources say of a principal and its actors. */
export interface SelectedChain extends Omit<Selected<PrincipalInput>, 'fields'> {
  /** What is said of the principal, then of its actors. */
  readonly all: readonly Selected<unknown>[];
}

/** An input of which sources may say more. */
type Selectable = Pick<PrincipalInput, 'id' | 'scope' | 'policyVersion'> & { readonly roles?: readonly string[] };

/** The sources that say which policies decide: roles, scopes and versions. */
export class Selectors {
  private readonly byKind = new Map<string | undefined, readonly Loader[]>();

  constructor(loaders: readonly Loader[]) {
    for (const loader of loaders) {
      const { kind, selects } = loader.source;
      if (selects.size > 0) this.byKind.set(kind, [...(this.byKind.get(kind) ?? []), loader]);
    }
  }

  get isEmpty(): boolean {
    return this.byKind.size === 0;
  }

  /** Whether sources say anything of principals, or of resources of a kind. */
  isOf(kind: string | undefined): boolean {
    return this.byKind.has(kind === undefined ? undefined : sanitize(kind));
  }

  /** What sources say of principals, or of resources of a kind. */
  namesOf(kind: string | undefined): ReadonlySet<Selector> {
    const loaders = this.byKind.get(kind === undefined ? undefined : sanitize(kind)) ?? [];
    return new Set(loaders.flatMap(({ source }) => [...source.selects.keys()]));
  }

  /** What is known of a principal without its actors. */
  ofPrincipal<Input extends Omit<PrincipalInput, 'actors'>>(
    input: Input,
    rows: Rows,
    options: SelectOptions,
    label = 'principal',
  ): Selected<Input> {
    return select(input, this.byKind.get(undefined) ?? [], rows, label, options);
  }

  /** What is known of a principal and its actors. */
  ofChain(principal: PrincipalInput, rows: Rows, options: SelectOptions): SelectedChain {
    const own = this.ofPrincipal(principal, rows, options);
    const actors = principal.actors?.map((actor, index) =>
      this.ofPrincipal(actor, rows, options, `principal.actors[${index}]`),
    );
    const all = [own, ...(actors ?? [])];
    return {
      input: actors === undefined ? own.input : { ...own.input, actors: actors.map(({ input }) => input) },
      all,
      used: all.flatMap(({ used }) => used),
      unknown: all.flatMap(({ unknown }) => unknown),
      needs: all.flatMap(({ needs }) => needs),
    };
  }

  ofResource<Input extends ResourceInput>(input: Input, rows: Rows, options: SelectOptions): Selected<Input> {
    return select(input, this.byKind.get(sanitize(input.kind)) ?? [], rows, 'resource', options);
  }
}

/** When something is selected, and in which transaction. */
export interface SelectOptions {
  readonly now: number;
  readonly tx?: unknown;
  /** Rows that were asked for before this time are too old. Default: none is. */
  readonly oldest?: number;
}

/** Whether a fact is one by which policies are chosen: nothing can be decided while it is unknown. */
export function isSelector(fact: string): boolean {
  return /^(resource|principal(\.actors\[\d+\])?)\.(roles|scope|policyVersion)$/.test(fact);
}

/** The names of the selectors of a source, as facts. */
export function selectorNames({ source: { kind, selects } }: Loader): readonly string[] {
  return [...selects.keys()].map((selector) => `${kind === undefined ? 'principal' : 'resource'}.${selector}`);
}

function select<Input extends Selectable>(
  input: Input,
  loaders: readonly Loader[],
  rows: Rows,
  label: string,
  { now, tx, oldest = Number.NEGATIVE_INFINITY }: SelectOptions,
): Selected<Input> {
  const fields: { -readonly [Name in Selector]?: SelectedFields[Name] } = {};
  const used: UsedFact[] = [];
  const unknown: UnknownFact[] = [];
  const needs: (Need & Pick<UnknownFact, 'fact' | 'source'>)[] = [];
  for (const loader of loaders) {
    const { name: source, selects, takesSentSelectors } = loader.source;
    for (const [selector, attribute] of selects) {
      if (takesSentSelectors && (input[selector]?.length ?? 0) > 0) continue;
      const fact = `${label}.${selector}`;
      const loaded = rows.get(loader, input.id);
      if (loaded === undefined || loaded.at < oldest) {
        needs.push({ loader, key: input.id, isFresh: oldest > Number.NEGATIVE_INFINITY, fact, source });
        continue;
      }
      const { row, at, stale } = loaded;
      const found = typeof row === 'string' ? row : row.get(attribute);
      const value = typeof found === 'object' ? readSelector(selector, found.value) : undefined;
      if (value === undefined) {
        // Without roles, or in another scope, other policies would decide: neither is what a lacking value means.
        const reason = found === 'no row' ? 'not found' : typeof found === 'string' ? found : 'type';
        unknown.push({ fact, source, reason });
        continue;
      }
      fields[selector] = value as never;
      used.push({
        fact,
        from: source,
        at,
        age: Math.max(0, now - at),
        ...(stale === true && { stale }),
        ...(tx !== undefined && { snapshot: true }),
      });
    }
  }
  return { input: used.length === 0 ? input : { ...input, ...fields }, fields, used, unknown, needs };
}

/** Roles are strings, at least one; a scope or a version is a string. */
function readSelector(selector: Selector, value: unknown): string | readonly string[] | undefined {
  if (selector !== 'roles') return typeof value === 'string' ? value : undefined;
  if (!Array.isArray(value) || value.length === 0) return undefined;
  if (!value.every((role) => typeof role === 'string' && role !== '')) return undefined;
  return [...new Set(value as readonly string[])];
}
