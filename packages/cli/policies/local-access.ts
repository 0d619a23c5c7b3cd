import type { Config, LoadedConfig } from '../../../server/config.js';
import { writeAddress } from '../../../server/config/address.js';
import { isLoopbackHost } from '../../../server/config/plain-http.js';
import type { LocalAccess } from '../../../server/service/services.js';
import { loadSuites, type TestFile } from '../../../compiler/load/index.js';

/**
 * Whether a server that compiles shows its policies and explains decisions without credentials: only programs on this
 * machine reach it, and the configuration says nothing about the admin or explanations.
 */
export function isOpenToThisMachine({ config: { server }, places }: LoadedConfig): boolean {
  return (
    [server.httpListenAddr, server.grpcListenAddr].every(isLoopbackAddress) &&
    server.adminAPI === undefined &&
    !places.has('server.explain.enabled')
  );
}

/** The configuration of a server that explains. */
export function explaining(config: Config): Config {
  return { ...config, server: { ...config.server, explain: true } };
}

/** Shows the tests in a folder beside the policies. */
export function localAccess(folder: string): LocalAccess {
  return { tests: () => loadSuites(folder).flatMap(listTexts) };
}

function listTexts({ file, principals, resources, auxData }: ReturnType<typeof loadSuites>[number]) {
  return [file, principals, resources, auxData].flatMap((each: TestFile | undefined) =>
    each === undefined || 'unreadable' in each ? [] : [[each.source.path, each.source.text] as const],
  );
}

function isLoopbackAddress(address: Config['server']['httpListenAddr']): boolean {
  return address.kind === 'tcp' && address.host !== undefined && isLoopbackHost(writeAddress(address));
}
