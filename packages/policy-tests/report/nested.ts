/** Groups items by name, in the order of first appearance. */
export function nested<T, R>(
  items: readonly T[],
  nameOf: (item: T) => string,
  build: (name: string, items: readonly T[]) => R,
): readonly R[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return [...groups].map(([name, members]) => build(name, members));
}
