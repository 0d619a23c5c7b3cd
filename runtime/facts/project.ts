import { isPlainObject, json, NotJsonError, plainAttributes } from '../../packages/cel/runtime/index.js';
import type { AccessRequest, ActorInput, AuxDataInput, ResourceInput } from '../engine/index.js';
import type { Attributes, Leaf, ReadSet } from '../policy/index.js';

/** The parts of a request that have attributes, about one resource. */
export type Projectable = Pick<AccessRequest, 'principal' | 'auxData'> & {
  readonly resource: Omit<ResourceInput, 'id'> & { readonly id?: string | undefined };
};

/**
 * A request with the attributes and claims that a read set names, and everything else as it is. It decides as the whole
 * request does. Values are converted to JSON, as the engine does.
 *
 * @example
 * import { project } from 'authz/facts';
 *
 * const principal = { id: 'ann', roles: ['user'] };
 * const album = { kind: 'album', id: 'a1', attr: { owner: 'ann', title: 'Holidays' } };
 * const owner = { path: ['resource', 'attr', 'owner'], leaf: 'value', lines: [] } as const;
 * const readSet = { paths: [owner], facts: new Set(['resource.attr.owner']), now: false, whole: [] };
 * console.log(project({ principal, resource: album }, readSet).resource.attr); // => { owner: 'ann' }
 *
 * @throws {NotJsonError} for a value in the read set that JSON cannot represent.
 */
export function project<Request extends Projectable>(request: Request, readSet: ReadSet): Request {
  const tree = buildTree(readSet);
  const { principal, resource, auxData } = request;
  const actors = principal.actors?.map((actor, index) => projectActor(actor, tree, `principal.actors[${index}].attr`));
  return {
    ...request,
    principal: { ...projectActor(principal, tree, 'principal.attr'), ...(actors && { actors }) },
    resource: {
      ...resource,
      attr: projectSide(resource.attr, nodesAt(tree, ['resource', 'attr']), 'resource.attr'),
    },
    ...(auxData && { auxData: projectClaims(auxData, tree) }),
  };
}

function projectActor(actor: ActorInput, tree: Node, path: string): ActorInput {
  return { ...actor, attr: projectSide(actor.attr, nodesAt(tree, ['principal', 'attr']), path) };
}

function projectClaims({ jwt, jwts }: AuxDataInput, tree: Node): AuxDataInput {
  const kept = (claims: Attributes, name: 'jwt' | 'jwts'): Attributes =>
    projectSide(claims, nodesAt(tree, ['auxData', name]), `auxData.${name}`);
  return {
    ...(jwt && { jwt: kept(jwt, 'jwt') }),
    ...(jwts && { jwts: kept(jwts, 'jwts') as NonNullable<typeof jwts> }),
  };
}

/** What is kept at a place, as a tree of names. */
interface Node extends Record<Leaf, boolean> {
  readonly names: Map<string, Node>;
  /** What is kept of each element or entry. */
  each: Node | undefined;
}

const trees = new WeakMap<ReadSet, Node>();

function buildTree(readSet: ReadSet): Node {
  const known = trees.get(readSet);
  if (known !== undefined) return known;
  const root = createNode();
  for (const { path, leaf } of readSet.paths) {
    let at = root;
    for (const name of path) at = name === '*' ? each(at) : member(at, name);
    at[leaf] = true;
  }
  trees.set(readSet, root);
  return root;
}

function createNode(): Node {
  return { value: false, shape: false, has: false, names: new Map(), each: undefined };
}

function each(node: Node): Node {
  node.each ??= createNode();
  return node.each;
}

function member({ names }: Node, name: string): Node {
  const known = names.get(name) ?? createNode();
  names.set(name, known);
  return known;
}

/** The nodes that are about a place; one that keeps everything if the place is in something that is kept whole. */
function nodesAt(tree: Node, path: readonly string[]): readonly Node[] {
  let nodes: readonly Node[] = [tree];
  for (const name of path) {
    const whole = nodes.find(({ value }) => value);
    if (whole !== undefined) return [whole];
    nodes = nodes.flatMap(({ names, each }) => [
      ...(names.has(name) ? [names.get(name) as Node] : []),
      ...(each ? [each] : []),
    ]);
  }
  return nodes;
}

/** What nodes keep of the attributes of a principal or a resource, or of claims. */
function projectSide(attributes: Attributes | undefined, nodes: readonly Node[], path: string): Attributes {
  const source = isPlainObject(attributes ?? {}) ? (attributes ?? {}) : plainAttributes(attributes, path);
  const whole = nodes.some(({ value }) => value);
  const kept = listEntries(source, nodes, whole).flatMap(([name, of]) => {
    const value = convert(source[name], `${path}.${name}`);
    // The engine drops members that are undefined, too.
    return value === undefined ? [] : [[name, whole ? value : keep(value, of)] as const];
  });
  return Object.fromEntries(kept);
}

function convert(value: unknown, path: string): unknown {
  try {
    return json(value);
  } catch (error) {
    // Names the attribute: the conversion knows only what is in it.
    throw error instanceof NotJsonError ? new NotJsonError(`${path}${error.message}`) : error;
  }
}

/** What nodes keep of a value. Scalars stay even where a map is expected: reading their members fails otherwise. */
function keep(value: unknown, nodes: readonly Node[]): unknown {
  if (typeof value !== 'object' || value === null || nodes.some((node) => node.value)) return value;
  if (Array.isArray(value)) {
    const elements = nodes.flatMap(({ each }) => each ?? []);
    return isOpen(nodes) ? value.map((element) => keep(element, elements)) : [];
  }
  const map = value as { readonly [name: string]: unknown };
  return Object.fromEntries(listEntries(map, nodes, false).map(([name, of]) => [name, keep(map[name], of)] as const));
}

/** Whether the length or the keys of a value matter. */
function isOpen(nodes: readonly Node[]): boolean {
  return nodes.some(({ shape, each }) => shape || each !== undefined);
}

/** The members that are kept, with the nodes about each, in the order of the map: macros over maps see it. */
function listEntries(
  map: { readonly [name: string]: unknown },
  nodes: readonly Node[],
  whole: boolean,
): readonly (readonly [string, readonly Node[]])[] {
  const open = whole || isOpen(nodes);
  const each = nodes.flatMap((node) => node.each ?? []);
  return Object.keys(map).flatMap((name) => {
    const named = nodes.flatMap(({ names }) => names.get(name) ?? []);
    return open || named.length > 0 ? [[name, [...each, ...named]] as const] : [];
  });
}
