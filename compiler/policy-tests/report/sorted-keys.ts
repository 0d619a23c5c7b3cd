/** The same JSON value with the keys of its maps in order, so that two can be compared by eye. */
export function sortedKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortedKeys);
  const sorted = Object.create(null) as Record<string, unknown>;
  for (const [key, inner] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    sorted[key] = sortedKeys(inner);
  return sorted;
}
