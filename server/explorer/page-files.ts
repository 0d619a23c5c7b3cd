import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** A file of the page with playground and explorer. */
export interface PageFile {
  /** Where it is served: `/explorer/explorer.css`. */
  readonly path: string;
  readonly mediaType: string;
  /** Whether its name changes with its content. */
  readonly isHashed: boolean;
  /** Read, and compressed, when they are first asked for. */
  readonly bytes: () => Buffer;
  readonly gzipped: () => Buffer;
}

/**
 * The files of the page, which the build puts beside the program; none if it was not built.
 * @param isLocal whether the server shows its policies without credentials.
 */
export function pageFiles(isLocal = false): readonly PageFile[] {
  const folder = builtFolder();
  if (folder === undefined) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => fileAt(join(parentPath, name), folder, isLocal));
}

const PAGE = 'index.html';

function fileAt(file: string, folder: string, isLocal: boolean): PageFile {
  const path = file.slice(folder.length).replaceAll('\\', '/');
  const isPage = path === `/${PAGE}`;
  const bytes = once(() => (isPage ? marked(readFileSync(file, 'utf8'), isLocal) : readFileSync(file)));
  return {
    path: isPage ? '/' : path,
    mediaType: MEDIA_TYPES[path.slice(path.lastIndexOf('.'))] ?? 'application/octet-stream',
    isHashed: HASHED.test(path),
    bytes,
    gzipped: once(() => gzipSync(bytes())),
  };
}

const MEDIA_TYPES: { readonly [extension: string]: string | undefined } = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** `chunk-QSQ6VUP5.js`, as esbuild names what it splits. */
const HASHED = /-[0-9A-Z]{8}\.js$/;

/** The page of a server offers that server's operations, too, and begins with its policies if anybody may see them. */
function marked(html: string, isLocal: boolean): Buffer {
  const marks = isLocal ? 'data-server data-local' : 'data-server';
  return Buffer.from(html.replace('<html lang="en">', `<html lang="en" ${marks}>`));
}

/** `dist/explorer`, seen from a program in `dist` or from its sources. */
function builtFolder(): string | undefined {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    for (const below of ['explorer', 'dist/explorer'])
      if (isFolderOfPage(join(folder, below))) return join(folder, below);
    if (folder === dirname(folder)) return undefined;
  }
}

/** The sources have a page, too, but no folder of scripts beside it. */
function isFolderOfPage(folder: string): boolean {
  try {
    return readdirSync(join(folder, 'explorer')).length > 0;
  } catch {
    return false;
  }
}

function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
