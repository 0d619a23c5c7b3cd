import { isAscii, isUtf8 } from 'node:buffer';
import { RpcError } from '../../service/rpc-error.js';
import { jsonProblem, MAX_JSON_DEPTH } from './problem.js';
import { scanJson } from './scan.js';

/** A request body that is read by its shape next. */
export interface JsonDocument {
  readonly value: unknown;
  /** After the shape was read: the reader met this many keys. Refuses the document when some were written twice. */
  readonly checkKeys: (met: number) => void;
}

/**
 * Parses a request body as strict JSON (docs/spec/server.md#json-mapping). JSON.parse makes the value; one scan of the
 * bytes and a count of the keys find what it lets pass. The scan comes first: a value that is nested too deep takes
 * seconds to make. Throws an RpcError. An empty body is an empty message.
 */
export function parseJson(bytes: Buffer): JsonDocument {
  const text = decode(bytes);
  const scan = scanJson(bytes, MAX_JSON_DEPTH);
  if (scan.depth > MAX_JSON_DEPTH) refuse(text);
  const value = parse(text);
  if (value === undefined) return { value: {}, checkKeys: () => {} };
  if (scan.surrogateEscapes) refuseIfBad(text);
  return {
    value,
    checkKeys: (met) => {
      if (met !== scan.keys) refuse(text);
    },
  };
}

function decode(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (!isUtf8(bytes)) throw new RpcError('invalid_argument', 'invalid JSON: not valid UTF-8');
  return bytes.toString('utf8');
}

/** Undefined for a body of nothing but white space. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (/^[ \t\r\n]*$/.test(text)) return undefined;
    return refuse(text);
  }
}

function refuseIfBad(text: string): void {
  const problem = jsonProblem(text);
  if (problem !== undefined) throw new RpcError('invalid_argument', problem);
}

function refuse(text: string): never {
  throw new RpcError('invalid_argument', jsonProblem(text) ?? 'invalid JSON');
}
