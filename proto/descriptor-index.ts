import { BYTES, WireReader } from './wire/reader.js';
import { type Renaming, renamedFile } from './renamed-descriptors.js';
import { descriptorSet } from './gen/descriptors.js';

/** The descriptors of the module, as reflection asks for them: encoded files by path and by the symbols they define. */
export interface DescriptorIndex {
  /** A file and all it imports, directly or not, the file first; undefined when there is no such file. */
  readonly filesOf: (path: string) => readonly Buffer[] | undefined;
  /** The path of the file that defines a message, enum, service or method. */
  readonly fileDefining: (symbol: string) => string | undefined;
}

/** Reads the descriptor set that was generated with the module, under other names if there is a renaming. */
export function descriptorIndex(renaming?: Renaming): DescriptorIndex {
  const files = new Map<string, DescriptorFile>();
  const symbols = new Map<string, string>();
  for (const [, bytes] of listFields(Buffer.from(descriptorSet, 'base64'), FILE)) {
    const file = readFile(renaming === undefined ? bytes : renamedFile(bytes, renaming));
    files.set(file.path, file);
    for (const symbol of file.symbols) symbols.set(symbol, file.path);
  }
  return {
    filesOf: (path) => (files.has(path) ? [...withImports(path, files).values()] : undefined),
    fileDefining: (symbol) => symbols.get(symbol),
  };
}

interface DescriptorFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly imports: readonly string[];
  readonly symbols: readonly string[];
}

/** Field numbers of google.protobuf.FileDescriptorSet and what is in it. */
const FILE = [1];
const FILE_PATH = 1;
const FILE_PACKAGE = 2;
const FILE_IMPORT = 3;
const FILE_MESSAGE = 4;
const FILE_ENUM = 5;
const FILE_SERVICE = 6;
const MESSAGE_NESTED = 3;
const MESSAGE_ENUM = 4;
const SERVICE_METHOD = 2;
const NAME = 1;

function readFile(bytes: Buffer): DescriptorFile {
  const text = (field: number): readonly string[] =>
    listFields(bytes, [field]).map(([, content]) => content.toString('utf8'));
  const prefix = text(FILE_PACKAGE).map((name) => `${name}.`)[0] ?? '';
  const symbols = listFields(bytes, [FILE_MESSAGE, FILE_ENUM, FILE_SERVICE]).flatMap(([field, content]) =>
    listSymbols(
      content,
      prefix,
      field === FILE_MESSAGE ? [MESSAGE_NESTED, MESSAGE_ENUM] : field === FILE_SERVICE ? [SERVICE_METHOD] : [],
    ),
  );
  return { path: text(FILE_PATH)[0] ?? '', bytes, imports: text(FILE_IMPORT), symbols };
}

/** The full name of a definition and of those within it. */
function listSymbols(bytes: Buffer, prefix: string, within: readonly number[]): readonly string[] {
  const name = prefix + (listFields(bytes, [NAME])[0]?.[1].toString('utf8') ?? '');
  const inner = listFields(bytes, within).flatMap(([field, content]) =>
    listSymbols(content, `${name}.`, within.includes(MESSAGE_NESTED) && field === MESSAGE_NESTED ? within : []),
  );
  return [name, ...inner];
}

/** The contents of some length-delimited fields, in order. */
function listFields(bytes: Buffer, wanted: readonly number[]): readonly (readonly [number, Buffer])[] {
  const found: [number, Buffer][] = [];
  const reader = new WireReader(bytes);
  while (reader.at < bytes.length) {
    const tag = reader.tag();
    const field = tag >>> 3;
    if ((tag & 7) === BYTES && wanted.includes(field)) found.push([field, reader.bytesField()]);
    else reader.skip(tag);
  }
  return found;
}

function withImports(
  path: string,
  files: ReadonlyMap<string, DescriptorFile>,
  found = new Map<string, Buffer>(),
): ReadonlyMap<string, Buffer> {
  const file = files.get(path);
  if (file === undefined || found.has(path)) return found;
  found.set(path, file.bytes);
  for (const imported of file.imports) withImports(imported, files, found);
  return found;
}
