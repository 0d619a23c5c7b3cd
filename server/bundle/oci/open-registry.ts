import type { BundleConfig, BundleCredentials, OciConfig } from '../../config/bundle-config.js';
import type { OciReference } from '../../config/oci-reference.js';
import { isPlainHttp } from '../../config/plain-http.js';
import { readBasic, readSecret } from '../credentials.js';
import { HttpClient, type HttpClientOptions } from '../../outgoing/http-client.js';
import { dockerCredentials } from './docker-config.js';
import { OriginError } from '../origin.js';
import { readTlsFiles } from '../tls-files.js';
import { OciRegistry, type RegistryCredentials, type RegistryOptions } from './registry.js';

export interface OpenRegistryOptions
  extends Pick<BundleConfig, 'credentials' | 'oci' | 'tls' | 'proxy'>,
    Pick<HttpClientOptions, 'limits'> {
  readonly reference: OciReference;
  readonly actions: RegistryOptions['actions'];
}

/** The repository of a reference, and the client to close. Throws a ConfigError for a certificate that cannot be read. */
export function openRegistry({ reference, actions, credentials, oci, tls, limits, proxy }: OpenRegistryOptions): {
  readonly registry: OciRegistry;
  readonly client: HttpClient;
} {
  const { host, repository } = reference;
  const url = new URL(`${oci.plainHttp ? 'http' : 'https'}://${host}`);
  const client = new HttpClient({ origin: url.origin, limits, tls: readTlsFiles(tls), proxy });
  const registry = new OciRegistry({
    url,
    repository,
    actions,
    client,
    credentials: async () => {
      const found = await registryCredentials(credentials, oci, host);
      if (found !== undefined && isPlainHttp(url))
        throw new OriginError('credentials', 'credentials would be sent in plain text; use TLS');
      return found;
    },
  });
  return { registry, client };
}

/** Those of the configuration, or else those of docker. */
async function registryCredentials(
  credentials: BundleCredentials,
  { dockerConfig }: OciConfig,
  host: string,
): Promise<RegistryCredentials | undefined> {
  if (credentials.token !== undefined) return { kind: 'bearer', token: await readSecret(credentials.token) };
  const basic = await readBasic(credentials);
  if (basic !== undefined) return { kind: 'basic', ...basic };
  return dockerConfig === undefined ? undefined : dockerCredentials(dockerConfig, host);
}
