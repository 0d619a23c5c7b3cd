/** A part of the engine that the bundle needs. Without it a policy would not count, which must not happen silently. */
export function brought<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('the policies were compiled by another authzc: compile them again');
  return part;
}
