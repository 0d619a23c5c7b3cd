import { JsonError, Shape } from '../../../proto/wire/json-shape.js';
import { RpcError } from '../../service/rpc-error.js';
import { parseJson } from './parse.js';

/** Reads the message of a parsed document. Throws a JsonError. */
export type ReadMessage<Message> = (value: unknown, shape: Shape) => Message;

/**
 * A whole request body as a message. Throws an RpcError that says what is wrong and where
 * (docs/spec/server.md#json-mapping).
 */
export function readDocument<Message>(body: Buffer, read: ReadMessage<Message>): Message {
  const document = parseJson(body);
  const shape = new Shape();
  const message = readMessage(document.value, shape, read);
  document.checkKeys(shape.keys);
  return message;
}

/** The same, as a function of the body. */
export function documentReader<Message>(read: ReadMessage<Message>): (body: Buffer) => Message {
  return (body) => readDocument(body, read);
}

function readMessage<Message>(value: unknown, shape: Shape, read: ReadMessage<Message>): Message {
  try {
    return read(value, shape);
  } catch (error) {
    if (error instanceof JsonError) throw new RpcError('invalid_argument', `invalid request: ${error.message}`);
    throw error;
  }
}
