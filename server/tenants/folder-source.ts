import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type FetchedTenant, MAX_DOCUMENT, type TenantSource, tooLarge } from './tenant-source.js';

/** How the names of documents in a folder end: the first file that is there counts. */
export const DOCUMENT_ENDINGS = ['json', 'yaml'];

/**
 * A folder with a file for each tenant: `acme.json`, else `acme.yaml`. To change one, write another file and rename it,
 * so that nobody reads half of it.
 */
export async function folderSource(folder: string): Promise<TenantSource> {
  if (!(await stat(folder)).isDirectory()) throw new Error('not a folder');
  return {
    name: folder,
    async fetch(tenant, known) {
      for (const ending of DOCUMENT_ENDINGS) {
        const file = await opened(join(folder, `${tenant}.${ending}`));
        if (file === undefined) continue;
        try {
          return await fetchedFrom(file, known);
        } finally {
          await file.close();
        }
      }
      return { kind: 'missing' };
    },
    close: async () => {},
  };
}

/** Undefined if there is no such file. A pipe must not make the open wait. */
async function opened(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function fetchedFrom(file: FileHandle, known: string | undefined): Promise<FetchedTenant> {
  const stats = await file.stat({ bigint: true });
  const version = `${stats.ino}-${stats.mtimeNs}-${stats.size}`;
  if (version === known) return { kind: 'unchanged' };
  if (!stats.isFile()) return { kind: 'refused', version, reason: 'not a regular file' };
  const bytes = Buffer.alloc(MAX_DOCUMENT + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read)
    read = (await file.read(bytes, length, bytes.length - length)).bytesRead;
  if (length > MAX_DOCUMENT) return tooLarge(version);
  return { kind: 'fetched', version, text: bytes.toString('utf8', 0, length) };
}
