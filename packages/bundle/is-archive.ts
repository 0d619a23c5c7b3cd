import { beginsAsZip } from './zip.js';

/** Whether bytes are those of an archive, and not of a module of JavaScript. */
export function isArchive(bytes: Uint8Array): boolean {
  return beginsAsZip(bytes);
}
