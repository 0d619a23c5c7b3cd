import { WireReader } from '../wire/reader.js';

/** ServerInfoRequest has no fields; what is sent must still be a message. Throws a WireError. */
export function decodeServerInfoRequest(bytes: Buffer): Record<string, never> {
  const reader = new WireReader(bytes);
  while (reader.at < bytes.length) reader.skip(reader.tag());
  return {};
}
