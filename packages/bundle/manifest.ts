import { ArchiveError } from './archive-error.js';
import { canonicalJson, parseCanonicalJson } from './canonical-json.js';

/** What an archive says about its bundle. Signatures cover it, and it covers the files by their digests. */
export interface Manifest {
  /** The form of the archive. */
  readonly format: 1;
  /** The hash of the policies, as the bundle exports it (`policies.hash`). */
  readonly hash: string;
  /** The files besides the manifest and the signatures, by name. */
  readonly files: { readonly [name: string]: FileDigest };
  /** The version of authzc that compiled the policies. */
  readonly compiler: string;
  /** The versions of the engine that may run the bundle: a range of semantic versions, such as `^1.2.0`. */
  readonly engine: string;
  readonly source?: SourceRevision;
  /** Who built it: a name, or the URL of a CI job. */
  readonly builder?: string;
  /** Increases with each build. Servers that were told to trust signatures refuse to go back. */
  readonly sequence?: number;
  /** RFC 3339, in UTC. The bundle is refused before this time. */
  readonly notBefore?: string;
  /** RFC 3339, in UTC. The bundle is refused after this time. */
  readonly notAfter?: string;
  readonly tests?: TestSummary;
}

export interface FileDigest {
  /** Hexadecimal. */
  readonly sha256: string;
  /** Size in bytes. */
  readonly size: number;
}

/** Where the policies come from. */
export interface SourceRevision {
  /** The URL of the repository, without credentials. */
  readonly repository?: string;
  /** The commit. */
  readonly revision?: string;
  /** The folder of the policies in the repository, with slashes. */
  readonly path?: string;
  /** Whether files of the folder differ from the commit. */
  readonly dirty?: boolean;
}

/** The results of the policy tests, when the archive was built. */
export interface TestSummary {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly coverage?: Coverage;
}

/** How many rules and conditions the tests reached. */
export interface Coverage {
  readonly [item: string]: { readonly covered: number; readonly total: number };
}

/** The largest manifest, in bytes. */
export const MAX_MANIFEST = 64 * 1024;

/** The bytes of a manifest in an archive: JSON with sorted keys and without blanks. */
export function writeManifest(manifest: Manifest): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(canonicalJson(manifest)));
}

/**
 * Reads a manifest. Fields that this version does not know are ignored: what changes the meaning of others gets another
 * `format`. Throws an ArchiveError.
 */
export function readManifest(bytes: Uint8Array): Manifest {
  const value = parseCanonicalJson(bytes);
  if (!isObject(value)) throw invalid('is not JSON with sorted keys and without blanks');
  if (value['format'] !== 1) {
    throw new ArchiveError(
      'format_unsupported',
      `\`manifest.json\` has the format ${JSON.stringify(value['format'])?.slice(0, 20)}; this version reads format 1`,
    );
  }
  const wrong = Object.entries(FIELDS).find(([field, isRight]) => !isRight(getOwn(value, field)));
  if (wrong !== undefined) throw invalid(`has an invalid \`${wrong[0]}\``);
  return value as unknown as Manifest;
}

/** Whether the value of each field is valid; undefined if there is none. */
const FIELDS: { readonly [field in Exclude<keyof Manifest, 'format'>]: (value: unknown) => boolean } = {
  hash: isName,
  files: (value) => isObject(value) && Object.values(value).every(isFileDigest),
  compiler: isName,
  engine: isName,
  source: optional(
    (value) =>
      isObject(value) &&
      ['repository', 'revision', 'path'].every((field) => optional(isText)(getOwn(value, field))) &&
      optional((dirty) => typeof dirty === 'boolean')(getOwn(value, 'dirty')),
  ),
  builder: optional(isText),
  sequence: optional(isCount),
  notBefore: optional(isTime),
  notAfter: optional(isTime),
  tests: optional(
    (value) =>
      isObject(value) &&
      ['passed', 'failed', 'skipped'].every((field) => isCount(getOwn(value, field))) &&
      optional(
        (coverage) =>
          isObject(coverage) &&
          Object.values(coverage).every(
            (item) => isObject(item) && isCount(getOwn(item, 'covered')) && isCount(getOwn(item, 'total')),
          ),
      )(getOwn(value, 'coverage')),
  ),
};

function isFileDigest(value: unknown): boolean {
  const sha256 = isObject(value) ? getOwn(value, 'sha256') : undefined;
  return typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256) && isCount(getOwn(value as object, 'size'));
}

function optional(isRight: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || isRight(value);
}

/** The longest string of a manifest, in UTF-16 units: metrics, logs and audit entries have some. */
const LONGEST = 1024;

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= LONGEST;
}

function isName(value: unknown): boolean {
  return isText(value) && value !== '';
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

function isTime(value: unknown): boolean {
  return typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value));
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function getOwn(value: object, field: string): unknown {
  return Object.hasOwn(value, field) ? (value as { readonly [key: string]: unknown })[field] : undefined;
}

function invalid(problem: string): ArchiveError {
  return new ArchiveError('manifest_invalid', `\`manifest.json\` ${problem}`);
}
