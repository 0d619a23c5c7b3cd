import { fromBinary, fromJson, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { Client, credentials } from '@grpc/grpc-js';
import { findMessage } from '../protobuf.js';

const REQUEST = findMessage('authz.request.v1.CheckResourcesRequest');
const RESPONSE = findMessage('authz.response.v1.CheckResourcesResponse');

/** The protobuf form of a check. */
export function encodeCheckRequest(request: JsonValue): Buffer {
  return Buffer.from(toBinary(REQUEST, fromJson(REQUEST, request)));
}

/** Sends a check over gRPC with a client that uses only the proto files of this project. */
export async function checkOverGrpc(address: string, request: JsonValue): Promise<JsonValue> {
  const client = new Client(address, credentials.createInsecure());
  const same = (bytes: Buffer): Buffer => bytes;
  try {
    const bytes = encodeCheckRequest(request);
    const reply = await new Promise<Buffer>((resolve, reject) => {
      client.makeUnaryRequest('/authz.svc.v1.AuthzService/CheckResources', same, same, bytes, (error, answer) => {
        if (error !== null) reject(error);
        else resolve(answer as Buffer);
      });
    });
    return toJson(RESPONSE, fromBinary(RESPONSE, reply));
  } finally {
    client.close();
  }
}
