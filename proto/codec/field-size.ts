import type { AuxData, Principal, Resource, ResourceEntry, Token } from '../messages.js';

/** authz.engine.v1.Principal, without tag and length, like all that follow. */
/** authz.engine.v1.Principal in bytes; like all here without its own tag and length. */
export function principalSize(principal: Principal): number {
  return text(principal.id) + text(principal.policyVersion) + texts(principal.roles) + mapSize(principal.attr) + text(principal.scope);
}

/** An entry of a check of several resources. */
/** An entry of a check of several resources. */
export function entrySize(entry: ResourceEntry): number {
  return texts(entry.actions) + (entry.resource === undefined ? 0 : field(resourceSize(entry.resource)));
}

function resourceSize(resource: Resource): number {
  return text(resource.kind) + text(resource.policyVersion) + text(resource.id) + mapSize(resource.attr) + text(resource.scope);
}

/** authz.request.v1.AuxData. */
/** authz.request.v1.AuxData. */
export function auxDataSize(auxData: AuxData): number {
  let size = auxData.jwt === undefined ? 0 : field(tokenSize(auxData.jwt));
  for (const [name, token] of auxData.jwts) size += field(field(Buffer.byteLength(name)) + field(tokenSize(token)));
  return size;
}

function tokenSize(token: Token): number {
  return text(token.token) + text(token.keySetId);
}

/** The entries of a map from string to Value. An entry always carries both key and value. */
export function mapSize(map: { readonly [key: string]: unknown }): number {
  let size = 0;
  for (const key of Object.keys(map)) size += field(field(Buffer.byteLength(key)) + field(valueSize(map[key])));
  return size;
}

/** An open list or map of valueSize: what is left to visit, and the bytes of what was visited. */
interface Frame {
  readonly keys: readonly string[] | undefined;
  readonly values: readonly unknown[];
  next: number;
  size: number;
}

/** Without recursion: JSON may be nested deeper than the stack is. */
function valueSize(root: unknown): number {
  const open: Frame[] = [];
  let value = root;
  for (;;) {
    let size = scalarSize(value);
    if (size === undefined) {
      open.push(frameOf(value as object));
      size = -1;
    }
    for (;;) {
      const frame = open.at(-1);
      if (frame === undefined) return size;
      if (size >= 0) addItem(frame, size);
      if (frame.next < frame.values.length) {
        value = frame.values[frame.next];
        break;
      }
      open.pop();
      size = field(frame.size);
    }
  }
}

function frameOf(value: object): Frame {
  if (Array.isArray(value)) return { keys: undefined, values: value, next: 0, size: 0 };
  return { keys: Object.keys(value), values: Object.values(value), next: 0, size: 0 };
}

function addItem(frame: Frame, valueBytes: number): void {
  const key = frame.keys?.[frame.next];
  frame.size += key === undefined ? field(valueBytes) : field(field(Buffer.byteLength(key)) + field(valueBytes));
  frame.next += 1;
}

function scalarSize(value: unknown): number | undefined {
  if (value === null || typeof value === 'boolean') return 2;
  if (typeof value === 'number') return 9;
  if (typeof value === 'string') return field(Buffer.byteLength(value));
  return undefined;
}

/** A list of strings, with tags. */
/** A list of strings, with their tags. */
export function texts(list: readonly string[]): number {
  let size = 0;
  for (const item of list) size += field(Buffer.byteLength(item));
  return size;
}

/** A singular string field: absent when empty. */
export function text(value: string): number {
  return value === '' ? 0 : field(Buffer.byteLength(value));
}

/** A length-delimited field whose tag takes one byte, as all of these do. */
export function field(length: number): number {
  let prefix = 2;
  for (let rest = length; rest >= 0x80; rest = Math.floor(rest / 128)) prefix += 1;
  return prefix + length;
}
