import { parseJson } from './parse.js';
import { Shape } from './shape.js';

/** ServerInfoRequest from its JSON form: an object without fields. Throws an RpcError. */
export function readServerInfoRequest(body: Buffer): Record<string, never> {
  const document = parseJson(body);
  const shape = new Shape();
  for (const key in shape.object(document.value, '')) shape.unknownField(key, '');
  return {};
}
