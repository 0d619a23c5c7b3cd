const NAME = /^[A-Za-z_$][\w$]*$/;

/** A path as text: `resource.attr.address.city`, `resource.attr["a.b"]`, `resource.attr.list.*`. */
export function pathText(path: readonly string[]): string {
  if (path.length === 0) return 'request';
  const [first = '', ...rest] = path;
  return rest.reduce(
    (text, name) => `${text}${name === '*' || NAME.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`}`,
    first,
  );
}

/** The fact that a path is a part of; undefined for ids, which are no attributes. */
export function findFact(path: readonly string[]): string | undefined {
  const [root = '*', side = '*', name = '*'] = path;
  if (side !== '*' && side !== 'attr' && side !== 'jwt' && side !== 'jwts') return undefined;
  return pathText([root, side, name]);
}
