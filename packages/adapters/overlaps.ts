/**
 * Checks that no attribute of a mapping is within another one, when an adapter is created: conditions would read the inner
 * one, and check would receive whichever is written last.
 *
 * @param isAlike whether the inner attribute is stored where the outer one has it.
 * @throws {TypeError} for an attribute that is mapped as a whole, and of which a field is stored elsewhere.
 */
export function refuseOverlaps<Stored>(
  attributes: { readonly [path: string]: Stored },
  before = 'R.attr.',
  isAlike: (inner: Stored, outer: Stored, below: string) => boolean = () => false,
): void {
  for (const [path, inner] of Object.entries(attributes))
    for (let end = path.indexOf('.'); end >= 0; end = path.indexOf('.', end + 1)) {
      const whole = path.slice(0, end);
      if (Object.hasOwn(attributes, whole) && !isAlike(inner, attributes[whole] as Stored, path.slice(end)))
        throw new TypeError(
          `\`${before}${path}\` is a field of \`${before}${whole}\`, which is mapped too: check and conditions would read different values. Map the whole, or each of its fields`,
        );
    }
}
