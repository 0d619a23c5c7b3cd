/** The types and flags of HTTP/2 frames (RFC 9113 6). */
export const DATA = 0;
export const HEADERS = 1;
export const SETTINGS = 4;
export const PING = 6;
export const CONTINUATION = 9;
export const ACK = 1;
export const END_STREAM = 1;
export const END_HEADERS = 4;
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Header fields as literals that are not added to the dynamic table. */
export function headerBlock(fields: { readonly [name: string]: string }): Buffer {
  const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
  return Buffer.concat(Object.entries(fields).flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));
}

/** The headers of a check over gRPC. */
export const GRPC_CHECK = {
  ':method': 'POST',
  ':scheme': 'http',
  ':path': '/authz.svc.v1.AuthzService/CheckResources',
  ':authority': 'x',
  'content-type': 'application/grpc',
  te: 'trailers',
};
