import type { ServerInfoResponse } from '../messages.js';
import { readFields, text } from './read-parts.js';
import { WireReader } from '../wire/reader.js';
import type { WireWriter } from '../wire/writer.js';

/** ServerInfoRequest has no fields; what is sent must still be a message. Throws a WireError. */
export function decodeServerInfoRequest(bytes: Buffer): Record<string, never> {
  const reader = new WireReader(bytes);
  while (reader.at < bytes.length) reader.skip(reader.tag());
  return {};
}

export function encodeServerInfoResponse(info: ServerInfoResponse, writer: WireWriter): Buffer {
  writer.begin();
  writer.stringField(100, info.bundleHash);
  writer.stringField(3, info.buildDate);
  writer.stringField(2, info.commit);
  writer.stringField(1, info.version);
  return writer.finish();
}

/** ServerInfoResponse from its protobuf encoding. Throws a WireError for what is no such message. */
export function decodeServerInfoResponse(bytes: Buffer): ServerInfoResponse {
  const reader = new WireReader(bytes);
  const info = { version: '', commit: '', buildDate: '', bundleHash: '' };
  readFields(reader, bytes.length, {
    1: text(() => {
      info.version = reader.string();
    }),
    2: text(() => {
      info.commit = reader.string();
    }),
    3: text(() => {
      info.buildDate = reader.string();
    }),
    100: text(() => {
      info.bundleHash = reader.string();
    }),
  });
  return info;
}
