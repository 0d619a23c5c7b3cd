import type { AliasConfig } from '../config/aliases.js';
import { ADMIN_SERVICE, AUTHZ_SERVICE } from './services.js';

/** The full names of a service: its own first, then those of the aliases that rename it (docs/aliases.md). */
export function serviceNames(service: string, aliases: readonly AliasConfig[] = []): readonly string[] {
  return [service, ...aliases.flatMap((alias) => findAlias(service, alias) ?? [])];
}

/** The name of a service under an alias; undefined if the alias does not rename it. */
export function findAlias(service: string, { package: root, services }: AliasConfig): string | undefined {
  if (service === AUTHZ_SERVICE) return `${root}.svc.v1.${services.AuthzService}`;
  if (service === ADMIN_SERVICE) return `${root}.svc.v1.${services.AuthzAdminService}`;
  return undefined;
}
