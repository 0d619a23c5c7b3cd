import { append } from '../append.js';
import { Source } from '../diagnostics/source.js';
import type { Span } from '../diagnostics/span.js';
import type { JsonNode, JsonObject } from '../ir/json-node.js';
import { type Draft, findDraft, LATEST } from './dialect.js';
import { parseJson } from './json.js';
import { type Shape, findShape } from './keywords.js';
import { invalid, type SchemaProblem } from './problem.js';
import { misshape, schemasWithin } from './shapes.js';
import { resolveUri, splitUri, type UriParts, uriText } from './uri.js';

/** A schema that others can reference by URI: a whole document, or a part of one with its own `$id`. */
export interface Resource {
  readonly uri: UriParts;
  readonly draft: Draft;
  readonly node: JsonNode;
  readonly anchors: Map<string, JsonNode>;
  /** The anchors that `$dynamicRef` may find; `$recursiveAnchor` is stored as one of them. */
  readonly dynamicAnchors: Map<string, JsonNode>;
}

/** The location of a schema. */
export interface Position {
  readonly document: SchemaDocument;
  readonly node: JsonNode;
  /** The path from the root of the document. */
  readonly pointer: string;
  readonly resource: Resource;
}

/** A file in `_schemas`, with all of its schemas by location. */
export interface SchemaDocument {
  readonly file: string;
  readonly source: Source;
  readonly root: JsonNode;
  /** Resources, keyed by URI without fragment. */
  readonly resources: Map<string, Resource>;
  readonly positions: Map<JsonNode, Position>;
}

/** The name under which `$recursiveAnchor` is stored among dynamic anchors. */
export const RECURSIVE = '$recursiveAnchor';

/** Reads a schema file and checks all schemas in it, used or not. */
export function readDocument(file: string, text: string): SchemaDocument | SchemaProblem {
  const source = new Source(`_schemas/${file}`, text);
  const root = parseJson(text);
  if (root.kind === 'error')
    return invalid(`invalid json: ${root.message}`, {
      source,
      start: root.at,
      end: Math.min(root.at + 1, text.length),
    });
  const uri = splitUri(
    `authz:///${encodeURI(file.replace(/\p{Cs}/gu, '\ufffd')).replace(/[?#]/g, encodeURIComponent)}`,
  );
  const document: SchemaDocument = { file, source, root, resources: new Map(), positions: new Map() };
  const resource = { uri, draft: LATEST, node: root, anchors: new Map(), dynamicAnchors: new Map() };
  document.resources.set(uriText(uri), resource);
  return survey({ document, node: root, pointer: '', resource }) ?? document;
}

/**
 * Records the positions, resources and anchors of a schema and all of its subschemas; returns the first problem, if
 * any.
 */
export function survey(start: Position): SchemaProblem | undefined {
  const open: Position[] = [start];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const entered = enter(next);
    if (entered.kind === 'problem') return entered;
    const found = entered.position;
    next.document.positions.set(next.node, found);
    if (found.node.kind !== 'object') continue;
    const inner: Position[] = [];
    for (const [name, node] of found.node.members) {
      const shape = findShape(name, found.resource.draft);
      if (shape === undefined) continue;
      const wrong = misshape(node, shape) ?? (COMPARED.has(shape) ? badNumber(node) : undefined);
      const pointer = `${found.pointer}/${pointerToken(name)}`;
      if (wrong !== undefined) return invalid(`'${pointer}' ${wrong}`, makeSpan(found.document, node));
      for (const { steps, node: schema } of schemasWithin(node, shape)) {
        inner.push({ ...found, node: schema, pointer: [pointer, ...steps.map(pointerToken)].join('/') });
      }
    }
    append(open, inner.reverse());
  }
  return undefined;
}

/** A name as a segment of a JSON pointer. */
export function pointerToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function makeSpan({ source }: SchemaDocument, { start, end }: JsonNode): Span {
  return { source, start, end };
}

type Entered = { readonly kind: 'position'; readonly position: Position } | SchemaProblem;

function enter(position: Position): Entered {
  const { document, node, pointer, resource } = position;
  if (node.kind !== 'object') {
    if (node.kind === 'boolean' && (resource.draft !== 4 || /\/additional(?:Items|Properties)$/.test(pointer)))
      return { kind: 'position', position };
    const expected = resource.draft === 4 ? 'an object' : 'an object or a boolean';
    return invalid(`'${pointer}' must be a schema: ${expected}, but not ${node.kind}`, makeSpan(document, node));
  }
  const own = findResource(position, node);
  if (own.kind === 'problem') return own;
  noteAnchors(own.resource, node);
  return { kind: 'position', position: { ...position, resource: own.resource } };
}

/** The resource to which a schema object belongs: a new one if it has an `$id`. */
function findResource(
  { document, resource, pointer }: Position,
  node: JsonObject,
): { readonly kind: 'resource'; readonly resource: Resource } | SchemaProblem {
  const id = readText(node, '$id') ?? readText(node, 'id');
  const isRoot = pointer === '';
  let { draft } = resource;
  const schema = isRoot || id !== undefined ? readText(node, '$schema') : undefined;
  if (schema !== undefined) {
    const named = findDraft(schema);
    if (named === undefined)
      return invalid(
        `the meta-schema '${schema}' is unknown; schemas are never fetched`,
        makeSpan(document, node.members.get('$schema') ?? node),
      );
    draft = named;
  }
  const uri = ownUri(resource, node, draft);
  if (uri === undefined && !isRoot) return { kind: 'resource', resource };
  const own: Resource = { uri: uri ?? resource.uri, draft, node, anchors: new Map(), dynamicAnchors: new Map() };
  document.resources.set(uriText(own.uri), own);
  // A document can also be referenced by the path of its file.
  if (isRoot) document.resources.set(uriText(resource.uri), own);
  return { kind: 'resource', resource: own };
}

function ownUri(resource: Resource, node: JsonObject, draft: Draft): UriParts | undefined {
  const id = readText(node, draft === 4 ? 'id' : '$id');
  // Up to draft 7, keywords beside a `$ref` are ignored, and an `$id` that is a fragment is an anchor.
  if (id === undefined || id === '' || id.startsWith('#') || (draft < 2019 && node.members.has('$ref')))
    return undefined;
  return resolveUri(resource.uri, splitUri(id));
}

function noteAnchors(resource: Resource, node: JsonObject): void {
  const { draft } = resource;
  const id = readText(node, draft === 4 ? 'id' : '$id');
  if (draft < 2019 && id !== undefined && id.startsWith('#')) resource.anchors.set(id.slice(1), node);
  const anchor = draft >= 2019 ? readText(node, '$anchor') : undefined;
  if (anchor !== undefined) resource.anchors.set(anchor, node);
  const dynamicAnchor = draft >= 2020 ? readText(node, '$dynamicAnchor') : undefined;
  if (dynamicAnchor !== undefined) {
    resource.anchors.set(dynamicAnchor, node);
    resource.dynamicAnchors.set(dynamicAnchor, node);
  }
  const recursive = draft === 2019 ? node.members.get('$recursiveAnchor') : undefined;
  if (recursive?.kind === 'boolean' && recursive.value) resource.dynamicAnchors.set(RECURSIVE, node);
}

function readText(node: JsonObject, name: string): string | undefined {
  const member = node.members.get(name);
  return member?.kind === 'string' ? member.value : undefined;
}

const COMPARED: ReadonlySet<Shape> = new Set<Shape>(['value', 'values', 'number', 'positive-number']);

/** Numbers are compared by their digits, so the number of digits is limited. */
function badNumber(node: JsonNode): string | undefined {
  const open: JsonNode[] = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (
      next.kind === 'number' &&
      (next.text.length > 400 || Math.abs(Number(/e(.*)$/i.exec(next.text)?.[1] ?? 0)) > 400)
    )
      return 'must have fewer digits';
    if (next.kind === 'array') append(open, next.items);
    if (next.kind === 'object') append(open, next.members.values());
  }
  return undefined;
}
