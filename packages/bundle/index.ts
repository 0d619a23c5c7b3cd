export {
  type Archive,
  type ArchiveParts,
  type FileName,
  MAX_FILE,
  readArchive,
  writeArchive,
} from './archive.js';
export { isArchive } from './zip.js';
export { ArchiveError, type Refusal } from './archive-error.js';
export { canonicalJson } from './canonical-json.js';
export { evaluateModule, type Exported } from './evaluate-module.js';
export { engineRange, engineVersion, requireEngine } from './engine.js';
export type { Coverage, FileDigest, Manifest, SourceRevision, TestSummary } from './manifest.js';
export { type Algorithm, type PublicKey, readPublicKeys, readSigningKey, type SigningKey } from './keys.js';
export { signDocument, verifyDocument } from './documents.js';
export { addSignatures, signArchive, type SignatureHeader, signatureHeaders } from './signatures.js';
export { type Accepted, requireTime, type Trust, type Verified, verifyArchive } from './trust.js';
