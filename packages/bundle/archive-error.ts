/** Why an archive is refused. The codes are labels of a metric and part of the public interface: do not rename one. */
export type Refusal =
  /** The file is not an archive, or not one that `authzc bundle` wrote: any byte beside its entries differs. */
  | 'malformed'
  /** A file is larger than an archive may contain. */
  | 'too_large'
  | 'manifest_invalid'
  /** A later authzc wrote the archive, in a form that this one does not know. */
  | 'format_unsupported'
  /** A file is not the one that the manifest describes. */
  | 'digest_mismatch'
  /** The bundle is for another version of the engine. */
  | 'engine_unsupported'
  /** Signatures are required, and there is none. */
  | 'unsigned'
  /** Fewer signatures by trusted keys than required. */
  | 'untrusted'
  /** A signature by a trusted key does not fit the manifest, and without it there are too few. */
  | 'signature_invalid'
  /** A signature is older than allowed, and without it there are too few. */
  | 'signature_expired'
  | 'expired'
  | 'not_yet_valid'
  /** A bundle with a higher sequence was accepted before. */
  | 'replayed'
  /** Another bundle with the same sequence was accepted before. */
  | 'sequence_conflict'
  | 'sequence_missing'
  /** A file with trusted keys cannot be used. */
  | 'keys_invalid'
  /** What was accepted before cannot be read. */
  | 'memory_invalid';

/** An archive that is refused. The message is one line without the name of the file, which the caller knows. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';

  constructor(
    readonly reason: Refusal,
    message: string,
  ) {
    super(message);
  }
}
