import type { TenantsConfig } from '../config.js';
import { ConfigError } from '../config/config-error.js';
import { kindOfSource } from '../config/tenants.js';
import { folderSource } from './folder-source.js';
import type { TenantSource } from './tenant-source.js';
import { type TenantEvent, TenantStore } from './tenant-store.js';

/** A problem with documents, or with a connection that was idle. */
export type TenantProblem = TenantEvent | { readonly kind: 'lost'; readonly reason: string };

/**
 * Opens the store of a configuration; problems are told. Rejects with a ConfigError if its source cannot be there. A
 * database or server that does not answer yet is no reason: calls that need it fail until it does.
 */
export async function openTenants(config: TenantsConfig, tell: (event: TenantProblem) => void): Promise<TenantStore> {
  const source = await openSource(config, (error) => tell({ kind: 'lost', reason: error.message }));
  return new TenantStore(source, { ...config, tell });
}

async function openSource(config: TenantsConfig, onProblem: (error: Error) => void): Promise<TenantSource> {
  const { source, tokenFile, timeout, s3, postgresql } = config;
  switch (kindOfSource(source)) {
    case 'http': {
      const { httpSource } = await import('./http-source.js');
      return httpSource({ url: source, tokenFile, timeout });
    }
    case 's3': {
      const { s3Source } = await import('./s3-source.js');
      return s3Source({ url: source, s3, timeout });
    }
    case 'postgresql': {
      const { postgresqlSource } = await import('./postgresql-source.js');
      return postgresqlSource({ url: source, timeout, onProblem, ...postgresql });
    }
    case 'folder':
      return folderSource(source).catch((error: Error) => {
        throw new ConfigError(`\`${source}\` cannot be read: ${error.message}`, 'tenants.source');
      });
  }
}
