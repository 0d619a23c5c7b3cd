import { append } from '../append.js';
import type { JsonNode, JsonObject } from '../ir/json-node.js';
import { type Position, RECURSIVE } from './document.js';
import { findShape } from './keywords.js';
import type { Library } from './library.js';
import { invalid, type SchemaProblem } from './problem.js';
import { schemasWithin } from './shapes.js';

/** The keywords that refer to another schema. */
export const REFERENCES = ['$ref', '$recursiveRef', '$dynamicRef'] as const;

/**
 * The references between schemas: collected for all schemas before any is built, because a referenced schema is built
 * once.
 */
export interface Links {
  /** Targets, keyed by the value node of the reference keyword. */
  readonly targets: Map<JsonNode, Position>;
  /** The schemas that are referenced. */
  readonly definitions: Map<JsonNode, Position>;
}

/**
 * Follows all references of a schema, transitively, and adds them to the links.
 *
 * @param entry the policy's reference to it.
 */
export function followReferences(
  start: Position,
  entry: string,
  library: Library,
  links: Links,
): SchemaProblem | undefined {
  const followed = new Set<JsonNode>();
  const open: Position[] = [start];
  links.definitions.set(start.node, start);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (followed.has(next.node)) continue;
    followed.add(next.node);
    const position = next.document.positions.get(next.node) ?? next;
    for (const node of position.resource.dynamicAnchors.values()) {
      const anchored = position.document.positions.get(node);
      if (anchored !== undefined && !links.definitions.has(node)) open.push(define(anchored, links));
    }
    if (position.node.kind !== 'object') continue;
    for (const node of listReferences(position.node, position)) {
      const target = library.reference(node.value, position, entry);
      if ('kind' in target) return target;
      links.targets.set(node, target);
      open.push(define(target, links));
    }
    append(
      open,
      appliedWithin(position.node, position).map(({ position: inner }) => inner),
    );
  }
  return circleFrom(start, links);
}

function define(position: Position, { definitions }: Links): Position {
  definitions.set(position.node, position);
  return position;
}

function listReferences(node: JsonObject, { resource }: Position): readonly (JsonNode & { readonly kind: 'string' })[] {
  return REFERENCES.flatMap((name) => {
    const value = findShape(name, resource.draft) === undefined ? undefined : node.members.get(name);
    return value?.kind === 'string' ? [value] : [];
  });
}

interface Applied {
  readonly position: Position;
  /** Whether it applies to the value itself, and not to a part of it. */
  readonly inPlace: boolean;
}

/** The schemas that apply whenever this one does, apart from its references. */
function appliedWithin(node: JsonObject, { document, resource }: Position): readonly Applied[] {
  if (resource.draft < 2019 && node.members.has('$ref')) return [];
  return [...node.members].flatMap(([name, value]) => {
    const shape = findShape(name, resource.draft);
    if (shape === undefined || name === '$defs' || name === 'definitions') return [];
    return schemasWithin(value, shape).flatMap(({ node: inner }): Applied[] => {
      const position = document.positions.get(inner);
      return position === undefined ? [] : [{ position, inPlace: IN_PLACE.has(name) }];
    });
  });
}

const IN_PLACE: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
]);

/** A schema that applies itself to the same value, directly or indirectly, would recurse forever. */
function circleFrom(start: Position, links: Links): SchemaProblem | undefined {
  const done = new Set<JsonNode>();
  const roots = [start];
  for (let root = roots.pop(); root !== undefined; root = roots.pop()) {
    const path: { readonly position: Position; readonly next: Position[] }[] = [];
    const onPath = new Set<JsonNode>();
    const visit = (position: Position): SchemaProblem | undefined => {
      if (onPath.has(position.node))
        return invalid(`'${position.pointer}' refers to itself without end`, {
          source: position.document.source,
          start: position.node.start,
          end: position.node.end,
        });
      if (done.has(position.node)) return undefined;
      done.add(position.node);
      onPath.add(position.node);
      const { inPlace, below } = stepsFrom(position, links);
      append(roots, below);
      path.push({ position, next: [...inPlace] });
      return undefined;
    };
    const first = visit(root);
    if (first !== undefined) return first;
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.next.pop();
      const found = next && visit(next);
      if (found !== undefined) return found;
      if (next !== undefined) continue;
      onPath.delete(top.position.node);
      path.pop();
    }
  }
  return undefined;
}

function stepsFrom(
  position: Position,
  { targets }: Links,
): { readonly inPlace: readonly Position[]; readonly below: readonly Position[] } {
  const { node } = position;
  if (node.kind !== 'object') return { inPlace: [], below: [] };
  const referred = listReferences(node, position).flatMap((value) => targets.get(value) ?? []);
  const applied = appliedWithin(node, position);
  return {
    inPlace: [...referred, ...applied.filter(({ inPlace }) => inPlace).map(({ position: inner }) => inner)],
    below: applied.filter(({ inPlace }) => !inPlace).map(({ position: inner }) => inner),
  };
}

/**
 * The dynamic anchor to which a reference may be bound at validation time; undefined for a reference that always means
 * its target.
 */
export function readDynamicName(
  keyword: (typeof REFERENCES)[number],
  reference: string,
  target: Position,
): string | undefined {
  const { dynamicAnchors } = target.resource;
  if (keyword === '$ref') return undefined;
  const name = keyword === '$recursiveRef' ? RECURSIVE : (reference.split('#')[1] ?? '');
  return dynamicAnchors.get(name) === target.node ? name : undefined;
}
