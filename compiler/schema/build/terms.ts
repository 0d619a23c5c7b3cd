import { decimal } from '#runtime/schema';
import type { JsonNode } from '../../ir/json-node.js';
import type { SchemaTerm } from '../../ir/schema.js';

/** A call of a function of `runtime/schema`. */
export function call(name: string, ...args: readonly SchemaTerm[]): SchemaTerm {
  return { kind: 'call', name, args };
}

/** A constant of `runtime/schema`. */
export function constant(name: string): SchemaTerm {
  return { kind: 'name', name };
}

export function list(items: readonly SchemaTerm[]): SchemaTerm {
  return { kind: 'list', items };
}

/** An object; members that are undefined are left out. */
export function record(members: readonly (readonly [name: string, term: SchemaTerm | undefined])[]): SchemaTerm {
  return {
    kind: 'record',
    members: members.flatMap(([name, term]) => (term === undefined ? [] : [[name, term] as const])),
  };
}

export function value(node: JsonNode): SchemaTerm {
  return { kind: 'value', node };
}

/** A number of things: `2.0` is 2. */
export function count(node: JsonNode): SchemaTerm {
  return value(node.kind === 'number' ? { ...node, text: String(Number(node.text)) } : node);
}

/** A number whose writing does not matter. */
export function number(node: JsonNode): SchemaTerm {
  const isDouble = node.kind === 'number' && decimal(node.text).equals(Number(node.text));
  return isDouble ? count(node) : value(node);
}

export function text(content: string): SchemaTerm {
  return value({ kind: 'string', value: content, start: 0, end: 0 });
}

export function flag(holds: boolean): SchemaTerm {
  return value({ kind: 'boolean', value: holds, start: 0, end: 0 });
}
