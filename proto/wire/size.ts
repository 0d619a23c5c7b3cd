/** The entries of a map from string to Value. An entry always carries both key and value. */
export function mapSize(map: { readonly [key: string]: unknown }): number {
  let size = 0;
  for (const key of Object.keys(map)) size += field(field(Buffer.byteLength(key)) + field(valueSize(map[key])));
  return size;
}

/** An open list or map of valueSize: the items left to visit, and the size of those visited. */
interface Frame {
  readonly keys: readonly string[] | undefined;
  readonly values: readonly unknown[];
  next: number;
  size: number;
}

/** Not recursive: JSON may be nested more deeply than the stack allows. */
function valueSize(root: unknown): number {
  const open: Frame[] = [];
  let value = root;
  for (;;) {
    let size = scalarSize(value);
    if (size === undefined) {
      open.push(makeFrame(value as object));
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

function makeFrame(value: object): Frame {
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

/** A list of strings, including their tags. */
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
