/** The names of a set of definitions, sorted by their dependencies. */
export interface DependencyOrder {
  /** Each name after all its dependencies, ties by name; then the names that a cycle blocks, by name. */
  readonly order: readonly string[];
  /** Names that depend directly on themselves. */
  readonly selfReferences: readonly string[];
  /**
   * Groups of two or more names that depend on each other; each is sorted, and the groups are sorted by their first
   * name.
   */
  readonly cycles: readonly (readonly string[])[];
}

/** @param dependencies the dependencies of each name, by name; a name that is not a key is ignored. */
export function dependencyOrder(dependencies: ReadonlyMap<string, Iterable<string>>): DependencyOrder {
  const needs = new Map<string, readonly string[]>();
  for (const name of [...dependencies.keys()].sort()) {
    const known = [...(dependencies.get(name) ?? [])].filter((other) => dependencies.has(other));
    needs.set(name, [...new Set(known)].sort());
  }
  const selfReferences = [...needs].filter(([name, others]) => others.includes(name)).map(([name]) => name);
  const sorted = sortByNeed(needs);
  const placed = new Set(sorted);
  const stuck = [...needs.keys()].filter((name) => !placed.has(name));
  return { order: [...sorted, ...stuck], selfReferences, cycles: cyclesAmong(stuck, needs) };
}

/** Kahn's algorithm; names that are in a cycle or depend on one are left out. */
function sortByNeed(needs: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const neededBy = new Map<string, string[]>([...needs.keys()].map((name) => [name, []]));
  const open = new Map<string, number>();
  for (const [name, others] of needs) {
    open.set(name, others.length);
    for (const other of others) neededBy.get(other)?.push(name);
  }
  const order: string[] = [];
  const ready = [...needs.keys()].filter((name) => open.get(name) === 0).reverse();
  for (let name = ready.pop(); name !== undefined; name = ready.pop()) {
    order.push(name);
    for (const dependent of neededBy.get(name) ?? []) {
      const left = (open.get(dependent) as number) - 1;
      open.set(dependent, left);
      if (left === 0) insert(ready, dependent);
    }
  }
  return order;
}

/** Keeps a list sorted in descending order, so that the smallest name is popped first. */
function insert(list: string[], name: string): void {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] as string) > name) low = middle + 1;
    else high = middle;
  }
  list.splice(low, 0, name);
}

interface Visit {
  readonly name: string;
  readonly others: readonly string[];
  next: number;
}

/** Tarjan's strongly connected components of two or more names, with an explicit stack: chains may be long. */
function cyclesAmong(
  names: readonly string[],
  needs: ReadonlyMap<string, readonly string[]>,
): readonly (readonly string[])[] {
  const cycles: string[][] = [];
  const index = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const walk: Visit[] = [];

  const enter = (name: string): void => {
    lowest.set(name, index.size);
    index.set(name, index.size);
    open.push(name);
    isOpen.add(name);
    walk.push({ name, others: needs.get(name) ?? [], next: 0 });
  };
  const reach = (name: string, other: number): void => {
    lowest.set(name, Math.min(lowest.get(name) as number, other));
  };
  const leave = (name: string): void => {
    if (lowest.get(name) !== index.get(name)) return;
    const group = open.splice(open.lastIndexOf(name));
    for (const member of group) isOpen.delete(member);
    if (group.length > 1) cycles.push(group.sort());
  };

  for (const root of names) {
    if (!index.has(root)) enter(root);
    for (let visit = walk.at(-1); visit !== undefined; visit = walk.at(-1)) {
      const other = visit.others[visit.next];
      visit.next += 1;
      if (other === undefined) {
        walk.pop();
        leave(visit.name);
        const parent = walk.at(-1);
        if (parent !== undefined) reach(parent.name, lowest.get(visit.name) as number);
      } else if (!index.has(other)) enter(other);
      else if (isOpen.has(other)) reach(visit.name, index.get(other) as number);
    }
  }
  return cycles.sort((a, b) => ((a[0] as string) < (b[0] as string) ? -1 : 1));
}
