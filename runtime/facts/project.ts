import { isPlainObject, json, NotJsonError, plainAttributes } from '../../packages/cel/runtime/index.js';
import { setOwn } from '../../packages/cel/runtime/own-property.js';
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
  const { principal, resource, auxData } = request;
  const actors = principal.actors?.map((actor, index) =>
    projectActor(actor, readSet, `principal.actors[${index}].attr`),
  );
  return {
    ...request,
    principal: { ...projectActor(principal, readSet, 'principal.attr'), ...(actors && { actors }) },
    resource: { ...resource, attr: projectAttributes(resource.attr, readSet, 'resource.attr') },
    ...(auxData && { auxData: projectClaims(auxData, readSet) }),
  };
}

function projectActor(actor: ActorInput, readSet: ReadSet, path: string): ActorInput {
  return { ...actor, attr: projectAttributes(actor.attr, readSet, 'principal.attr', path) };
}

/** The claims that a read set names. */
export function projectClaims({ jwt, jwts }: AuxDataInput, readSet: ReadSet): AuxDataInput {
  return {
    ...(jwt && { jwt: projectAttributes(jwt, readSet, 'auxData.jwt') }),
    ...(jwts && { jwts: projectAttributes(jwts, readSet, 'auxData.jwts') as NonNullable<typeof jwts> }),
  };
}

/** Where attributes and claims are. */
const SIDES = ['principal.attr', 'resource.attr', 'auxData.jwt', 'auxData.jwts'] as const;

type Side = (typeof SIDES)[number];

/**
 * The attributes of one side that a read set names.
 *
 * @param path where they are, for errors.
 * @throws {NotJsonError} for a value in the read set that JSON cannot represent.
 */
export function projectAttributes(
  attributes: Attributes | undefined,
  readSet: ReadSet,
  side: Side,
  path: string = side,
): Attributes {
  return projectSide(attributes, findSides(readSet)[side], path);
}

/** What is kept at a place, as a tree of names. */
interface Node extends Record<Leaf, boolean> {
  readonly names: Map<string, Node>;
  /** What is kept of each element or entry. */
  each: Node | undefined;
}

/** The nodes about a side, and what follows from all of them. */
interface SideNodes {
  readonly nodes: readonly Node[];
  /** Whether all is kept. */
  readonly whole: boolean;
  /** Whether every attribute is kept, at least in part. */
  readonly open: boolean;
  /** The names of other attributes that are kept, with what is kept of each. */
  readonly named: ReadonlyMap<string, readonly Node[]>;
}

const known = new WeakMap<ReadSet, { readonly [S in Side]: SideNodes }>();

/** Read sets are few and requests many, so that each is prepared once. */
function findSides(readSet: ReadSet): { readonly [S in Side]: SideNodes } {
  const prepared = known.get(readSet);
  if (prepared !== undefined) return prepared;
  const tree = buildTree(readSet);
  const made = Object.fromEntries(SIDES.map((side) => [side, prepareSide(nodesAt(tree, side.split('.')))])) as {
    readonly [S in Side]: SideNodes;
  };
  known.set(readSet, made);
  return made;
}

function prepareSide(nodes: readonly Node[]): SideNodes {
  const whole = nodes.some(({ value }) => value);
  const names = new Set(nodes.flatMap((node) => [...node.names.keys()]));
  const named = new Map([...names].map((name) => [name, findNodes(nodes, name)]));
  return { nodes, whole, open: whole || isOpen(nodes), named };
}

function buildTree(readSet: ReadSet): Node {
  const root = createNode();
  for (const { path, leaf } of readSet.paths) {
    let at = root;
    for (const name of path) at = name === '*' ? each(at) : member(at, name);
    at[leaf] = true;
  }
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
function projectSide(attributes: Attributes | undefined, side: SideNodes, path: string): Attributes {
  const source = isPlainObject(attributes ?? {}) ? (attributes ?? {}) : plainAttributes(attributes, path);
  const { whole, open, named } = side;
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(source)) {
    const nodes = named.get(name);
    if (!open && nodes === undefined) continue;
    const given = source[name];
    const value = typeof given === 'string' ? given : convert(given, path, name);
    // The engine drops members that are undefined, too.
    if (value === undefined) continue;
    setOwn(kept, name, whole || typeof value !== 'object' ? value : keep(value, nodes ?? findNodes(side.nodes, name)));
  }
  return kept;
}

function convert(value: unknown, path: string, name: string): unknown {
  try {
    return json(value);
  } catch (error) {
    // Names the attribute: the conversion knows only what is in it.
    throw error instanceof NotJsonError ? new NotJsonError(`${path}.${name}${error.message}`) : error;
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
  const open = isOpen(nodes);
  const kept: Record<string, unknown> = {};
  // In the order of the map: macros over maps see it.
  for (const name of Object.keys(map))
    if (open || isNamed(nodes, name)) setOwn(kept, name, keep(map[name], findNodes(nodes, name)));
  return kept;
}

/** Whether the length or the keys of a value matter. */
function isOpen(nodes: readonly Node[]): boolean {
  return nodes.some(({ shape, each }) => shape || each !== undefined);
}

function isNamed(nodes: readonly Node[], name: string): boolean {
  for (const { names } of nodes) if (names.has(name)) return true;
  return false;
}

/** The nodes about a member. */
function findNodes(nodes: readonly Node[], name: string): readonly Node[] {
  return [...nodes.flatMap(({ each }) => each ?? []), ...nodes.flatMap(({ names }) => names.get(name) ?? [])];
}
