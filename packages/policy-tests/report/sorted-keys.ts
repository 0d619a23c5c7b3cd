/** The same JSON value with sorted map keys, so that two values can be compared by eye. */
export function sortedKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortedKeys);
  const sorted = Object.create(null) as Record<string, unknown>;
  for (const [key, inner] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    sorted[key] = sortedKeys(inner);
  return sorted;
}
