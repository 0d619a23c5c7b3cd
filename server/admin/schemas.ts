import type { GetSchemaRequest, ListSchemasResponse } from '../../proto/gen/messages.js';
import type { GetSchemaResponse } from '../../proto/gen/policy-messages.js';
import { getSchemaRequestViolations } from '../../proto/gen/validate/request.js';
import { NONE } from '../../proto/wire/violation.js';
import type { Call } from '../service/call.js';
import { accept } from '../service/check-resources.js';
import { RpcError } from '../service/rpc-error.js';
import { authenticated, type Services } from '../service/services.js';
import { requireBundle, NO_TEXTS } from './policies.js';

/**
 * ListSchemas (docs/spec/server.md#admin-messages): the ids of the schemas that policies in use refer to, sorted.
 * Authenticates the caller as the admin first. Rejects with an RpcError.
 */
export async function listSchemas(services: Services, call: Call): Promise<ListSchemasResponse> {
  await authenticated(services.admin, call);
  accept(services, call, NONE);
  const references = requireBundle(services).policies.resourcePolicies.flatMap(({ schemas }) => [
    schemas?.principal,
    schemas?.resource,
  ]);
  const ids = new Set(references.flatMap((reference) => (reference === undefined ? [] : [schemaId(reference.ref)])));
  return { schemaIds: [...ids].sort() };
}

/**
 * GetSchema (docs/spec/server.md#admin-messages): the schemas with these ids, sorted; without those that are not there.
 * Authenticates the caller as the admin first. Rejects with an RpcError, code 9 for a bundle without texts.
 */
export async function getSchema(services: Services, call: Call, request: GetSchemaRequest): Promise<GetSchemaResponse> {
  await authenticated(services.admin, call);
  accept(services, call, getSchemaRequestViolations(request));
  const texts = await requireBundle(services).policyTexts?.();
  if (texts === undefined) throw new RpcError('failed_precondition', NO_TEXTS);
  const paths = new Set(request.id.map((id) => SCHEMAS + id));
  const found = texts.filter(([path]) => paths.has(path));
  return { schemas: found.map(([path, text]) => ({ id: path.slice(SCHEMAS.length), definition: Buffer.from(text) })) };
}

/** The JSON form of a response: bytes are base64. */
export function printGetSchemaResponse({ schemas = [] }: GetSchemaResponse): string {
  return JSON.stringify({
    schemas: schemas.map(({ id, definition }) => ({ id, definition: definition?.toString('base64') })),
  });
}

/** The folder of schemas below that of the policies. */
const SCHEMAS = '_schemas/';

/** `album.json` for `authz:///album.json`: the file below `_schemas`. */
function schemaId(ref: string): string {
  return ref.slice(ref.indexOf(':///') + ':///'.length);
}
