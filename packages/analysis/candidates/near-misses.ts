import type { Change, NearMisses, SearchOptions } from '../../../runtime/engine/parts.js';
import type { AccessRequest } from '../../../runtime/engine/index.js';
import type { Candidates, Path } from './candidates.js';

const MOST_CHANGES = 3;
const MOST_TRIES = 200_000;

/**
 * Tries sets of changes, the smallest first, each with the decision itself, so that what it returns is always true.
 *
 * @param roles the names that the principal may gain or lose.
 */
export function nearMisses(
  request: AccessRequest,
  isAllowed: (request: AccessRequest) => boolean,
  { candidates, roles }: { readonly candidates: readonly Candidates[]; readonly roles: readonly string[] },
  { near, keep, tries = MOST_TRIES, isOver = () => false }: SearchOptions,
): NearMisses {
  const groups = [roleGroup(request, roles), ...candidates.map((entry) => attributeGroup(request, entry))]
    .filter(({ path, options }) => path[0] !== keep && options.length > 0)
    // Another attribute is what a caller can rather have than another role.
    .sort((a, b) => Number(isRoles(a)) - Number(isRoles(b)) || (a.path.join('.') < b.path.join('.') ? -1 : 1));
  const search = new Search(groups, isAllowed, isAllowed(request), { near, tries, isOver });
  for (let size = 1; size <= MOST_CHANGES; size += 1) {
    search.visit(request, 0, size, []);
    if (search.found.length > 0 || !search.isComplete) break;
  }
  return { changes: search.found, isComplete: search.isComplete };
}

/** A part of the request, and the changes that it could have: a set has at most one of them. */
interface Group {
  readonly path: Path;
  readonly options: readonly Option[];
}

interface Option {
  readonly change: Change;
  readonly apply: (request: AccessRequest) => AccessRequest;
}

class Search {
  readonly found: (readonly Change[])[] = [];
  isComplete = true;
  private tries = 0;

  constructor(
    private readonly groups: readonly Group[],
    private readonly isAllowed: (request: AccessRequest) => boolean,
    private readonly before: boolean,
    private readonly limits: Required<Pick<SearchOptions, 'near'>> & {
      readonly tries: number;
      readonly isOver: () => boolean;
    },
  ) {}

  /** Tries all sets of `size` more changes in the groups from `first` on. */
  visit(request: AccessRequest, first: number, size: number, changes: readonly Change[]): void {
    for (let index = first; index <= this.groups.length - size; index += 1) {
      for (const { change, apply } of (this.groups[index] as Group).options) {
        if (this.found.length >= this.limits.near || !this.isComplete) return;
        const changed = apply(request);
        const all = [...changes, change];
        if (size > 1) this.visit(changed, index + 1, size - 1, all);
        else if (!this.isKnown(all) && this.turns(changed)) this.found.push(all);
      }
    }
  }

  /** Whether a set that turns the decision changes one of the parts. */
  private isKnown(changes: readonly Change[]): boolean {
    return this.found.some((known) => known.some(({ path }) => changes.some((change) => change.path === path)));
  }

  private turns(request: AccessRequest): boolean {
    this.tries += 1;
    if (this.tries > this.limits.tries || this.limits.isOver()) this.isComplete = false;
    return this.isComplete && this.isAllowed(request) !== this.before;
  }
}

function isRoles({ path }: Group): boolean {
  return path.join('.') === 'principal.roles';
}

function roleGroup({ principal }: AccessRequest, names: readonly string[]): Group {
  const from = principal.roles;
  const lists = [...new Set(names)]
    .sort()
    .map((name) => (from.includes(name) ? from.filter((role) => role !== name) : [...from, name]))
    // Servers refuse requests of principals without roles.
    .filter((list) => list.length > 0);
  return {
    path: ['principal', 'roles'],
    options: lists.map((to) => ({
      change: { path: 'principal.roles', from, to },
      apply: (request) => ({ ...request, principal: { ...request.principal, roles: to } }),
    })),
  };
}

function attributeGroup(request: AccessRequest, { path, values }: Candidates): Group {
  const from = valueAt(request, path);
  const different = values.filter((value) => JSON.stringify(value) !== JSON.stringify(from));
  return {
    path,
    options: different.map((to) => ({
      change: { path: path.join('.'), from, to },
      apply: (asked) => withValueAt(asked, path, to) as AccessRequest,
    })),
  };
}

export function valueAt(object: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined) return object;
  return isMap(object) && Object.hasOwn(object, name) ? valueAt(object[name], rest) : undefined;
}

/** A copy with another value at a path, or without one; what lies on the way and is no map becomes one. */
export function withValueAt(object: unknown, path: Path, value: unknown, depth = 0): unknown {
  const name = path[depth];
  if (name === undefined) return value;
  const members = isMap(object) ? object : {};
  const inner = withValueAt(Object.hasOwn(members, name) ? members[name] : undefined, path, value, depth + 1);
  // Spread: searches make millions of copies, and maps of entries take ten times as long.
  if (inner !== undefined) return { ...members, [name]: inner };
  const { [name]: _, ...others } = members;
  return others;
}

function isMap(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
