import { addTo } from '../append.js';
import type { Source } from '../diagnostics/source.js';

/** A set of policies, cut into parts that can be compiled one by one. */
export interface Partition {
  /** What the policies of every part may import. */
  readonly shared: readonly Source[];
  readonly parts: readonly Part[];
}

/** Policies that are compiled together. */
export interface Part {
  readonly policies: readonly Source[];
  /** Policies of other parts at ancestors of their scopes, which they cannot be compiled without. */
  readonly above: readonly Source[];
}

/** How a set is cut. */
export interface PartSize {
  /** Characters of the policies of a part. */
  readonly characters: number;
  readonly policies: number;
}

/** Small enough for ten thousand policies to occupy all cores, large enough for a part to repeat little. */
const USUAL: PartSize = { characters: 500_000, policies: 100 };

/**
 * Cuts a set of policies into parts, in path order. All scopes of a policy are in one part, unless they are too many:
 * then the policies below one scope are in one part, and those of the root are above it.
 *
 * The texts are not parsed for this: what a document is follows from the first lines that look like it. If such a guess
 * is wrong, the parts cannot be merged (`mergeParts`), and everything is compiled at once. A set with invariants or roles of tenants has no
 * parts, because they may name the rules of any policy.
 */
export function partition(sources: readonly Source[], size: PartSize = USUAL): Partition {
  const shared: Source[] = [];
  const families = new Map<string, Source[]>();
  for (const source of sources) {
    const family = familyIn(source.text);
    if (family === undefined) shared.push(source);
    else addTo(families, family, source);
  }
  if (shared.some(({ text }) => ABOUT_ALL.test(text))) return { shared: sources, parts: [] };
  return { shared, parts: makeParts(makeGroups(families, size), size) };
}

/** The groups of policies that must be in one part. */
function makeGroups(families: ReadonlyMap<string, readonly Source[]>, size: PartSize): readonly Part[] {
  const whole: Part[] = [];
  const below = new Map<string, { readonly policies: Source[]; readonly above: Set<Source> }>();
  for (const family of families.values()) {
    const atRoot = family.filter(({ text }) => firstScopeIn(text) === '');
    if (isWithin(size, family) || atRoot.length > MOST_AT_ROOT) {
      whole.push({ policies: family, above: [] });
      continue;
    }
    if (atRoot.length > 0) whole.push({ policies: atRoot, above: [] });
    for (const source of family) {
      const scope = firstScopeIn(source.text);
      if (scope === '') continue;
      const group = below.get(scope) ?? { policies: [], above: new Set() };
      below.set(scope, group);
      group.policies.push(source);
      for (const root of atRoot) group.above.add(root);
    }
  }
  return [...whole, ...[...below.values()].map(({ policies, above }) => ({ policies, above: [...above] }))];
}

/** The most versions of a policy at the root for which its scopes are separated. */
const MOST_AT_ROOT = 10;

function makeParts(groups: readonly Part[], size: PartSize): readonly Part[] {
  const parts: { readonly policies: Source[]; readonly above: Set<Source> }[] = [];
  let room = { characters: 0, policies: 0 };
  for (const { policies, above } of groups) {
    if (!isWithin(room, policies)) {
      parts.push({ policies: [], above: new Set() });
      room = size;
    }
    const part = parts.at(-1);
    part?.policies.push(...policies);
    for (const source of above) part?.above.add(source);
    room = { characters: room.characters - countCharacters(policies), policies: room.policies - policies.length };
  }
  return parts.map(({ policies, above }) => {
    const own = new Set(policies);
    return { policies, above: [...above].filter((source) => !own.has(source)) };
  });
}

function isWithin(room: PartSize, policies: readonly Source[]): boolean {
  return countCharacters(policies) <= room.characters && policies.length <= room.policies;
}

function countCharacters(policies: readonly Source[]): number {
  return policies.reduce((sum, { text }) => sum + text.length, 0);
}

/** What all scopes of a policy have in common; undefined for a document that is not a policy that decides. */
function familyIn(text: string): string | undefined {
  const [, kind] = POLICY.exec(text) ?? [];
  if (kind === undefined) return undefined;
  const [, name = ''] = new RegExp(`^\\s*["']?${kind}["']?\\s*:\\s*["']?([^"'\\s,#]*)`, 'm').exec(text) ?? [];
  return `${kind} ${name}`;
}

/** The first segment of the scope of a policy; empty at the root. */
function firstScopeIn(text: string): string {
  return SCOPE.exec(text)?.[1] ?? '';
}

const SCOPE = /^\s*["']?scope["']?\s*:\s*["']?([^"'\s,#.]*)/m;
const ABOUT_ALL = /^\s*["']?(invariants|tenantRoles|tenant_roles)["']?\s*:/m;
const POLICY = /^\s*["']?(resource|principal|role)Policy["']?\s*:/m;
