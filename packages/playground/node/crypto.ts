import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * What the compiler uses of `node:crypto`, for browsers: those can only hash asynchronously. The build of the page puts
 * it in place of that module.
 */
export function createHash(algorithm: 'sha256') {
  if (algorithm !== 'sha256') throw new Error(`unknown hash: ${algorithm}`);
  const hash = sha256.create();
  const made = {
    update(text: string) {
      hash.update(utf8ToBytes(text));
      return made;
    },
    digest(encoding: 'hex') {
      if (encoding !== 'hex') throw new Error(`unknown encoding: ${encoding}`);
      return bytesToHex(hash.digest());
    },
  };
  return made;
}
