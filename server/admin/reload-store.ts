import type { ReloadStoreRequest } from '../../proto/gen/messages.js';
import { NONE } from '../../proto/wire/violation.js';
import type { Call } from '../service/call.js';
import { accept } from '../service/check-resources.js';
import { RpcError } from '../service/rpc-error.js';
import { authenticated, type Services } from '../service/services.js';

/**
 * ReloadStore (docs/spec/server.md#admin-messages): checks the bundle file as SIGHUP does. With `wait`, resolves when
 * every process of the server uses the content of the file. Authenticates the caller as the admin first. Rejects with
 * an RpcError; it has the reason if `wait` is set and the bundle cannot be served.
 */
export async function reloadStore(services: Services, call: Call, { wait }: ReloadStoreRequest): Promise<object> {
  await authenticated(services.admin, call);
  accept(services, call, NONE);
  const { reload, report } = services;
  if (reload === undefined) throw new RpcError('failed_precondition', NO_FILE);
  const reloaded = reload();
  if (wait) {
    const refusal = await reloaded;
    if (refusal !== undefined)
      throw new RpcError(
        'failed_precondition',
        `the bundle cannot be served; still serving the last good one: ${refusal}`,
      );
  } else {
    reloaded.catch((error: unknown) => report('the bundle cannot be reloaded', error));
  }
  return {};
}

/** Reads the request of `GET /admin/store/reload`: `wait=true`. Other parameters are ignored. */
export function reloadRequestOfQuery(parameters: URLSearchParams): ReloadStoreRequest {
  const wait = parameters.get('wait') ?? 'false';
  if (wait !== 'true' && wait !== 'false')
    throw new RpcError('invalid_argument', `\`wait\` must be true or false: \`${wait}\``);
  return { wait: wait === 'true' };
}

const NO_FILE = 'the policies do not come from a bundle file: restart the server to use other policies';
