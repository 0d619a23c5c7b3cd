export {
  type Archive,
  type ArchiveParts,
  type FileName,
  isArchive,
  MAX_FILE,
  readArchive,
  writeArchive,
} from './archive.js';
export { ArchiveError, type Refusal } from './archive-error.js';
export { engineRange, engineVersion, requireEngine } from './engine.js';
export type { Coverage, FileDigest, Manifest, SourceRevision, TestSummary } from './manifest.js';
