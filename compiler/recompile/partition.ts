import { addTo } from '../append.js';
import type { Source } from '../diagnostics/source.js';

/** A set of policies, cut into parts that can be compiled one by one. */
export interface Partition {
  /** What the policies of every part may import. */
  readonly shared: readonly Source[];
  readonly parts: readonly (readonly Source[])[];
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
 * Cuts a set of policies into parts, in path order. All scopes of a policy are in one part.
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
  const parts: Source[][] = [];
  let room = { characters: 0, policies: 0 };
  for (const family of families.values()) {
    const characters = family.reduce((sum, { text }) => sum + text.length, 0);
    if (room.characters < characters || room.policies < family.length) {
      parts.push([]);
      room = size;
    }
    parts.at(-1)?.push(...family);
    room = { characters: room.characters - characters, policies: room.policies - family.length };
  }
  return { shared, parts };
}

/** What all scopes of a policy have in common; undefined for a document that is not a policy that decides. */
function familyIn(text: string): string | undefined {
  const [, kind] = POLICY.exec(text) ?? [];
  if (kind === undefined) return undefined;
  const [, name = ''] = new RegExp(`^\\s*["']?${kind}["']?\\s*:\\s*["']?([^"'\\s,#]*)`, 'm').exec(text) ?? [];
  return `${kind} ${name}`;
}

const ABOUT_ALL = /^\s*["']?(invariants|tenantRoles|tenant_roles)["']?\s*:/m;
const POLICY = /^\s*["']?(resource|principal|role)Policy["']?\s*:/m;
