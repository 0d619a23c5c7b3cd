import type { DecisionLogEntry } from '../../proto/gen/audit-messages.js';
import type { Principal } from '../../proto/gen/messages.js';
import type { Call } from '../service/call.js';
import { provideDocuments } from '../service/tenants.js';
import type { AuditedBundle } from './audited-bundle.js';

/** The entry with the documents of tenants that took part, and the roles of the principal that they define. */
export function withTenants(
  entry: DecisionLogEntry,
  { rolesOfTenant }: AuditedBundle,
  call: Call,
  principal: Principal | undefined,
): DecisionLogEntry {
  const documents = provideDocuments(call);
  if (rolesOfTenant === undefined || documents === undefined || principal === undefined) return entry;
  const tenants = [...rolesOfTenant(principal, documents)].map(([tenant, roles]) => {
    const digest = call.tenants?.get(tenant)?.digest ?? '';
    return { tenant, ...(digest !== '' && { digest }), ...(roles.length > 0 && { roles }) };
  });
  return tenants.length === 0 ? entry : { ...entry, tenants };
}
