import type { Config } from '../config.js';
import type { Bundle } from '../service/bundle.js';
import { ThrottledReporter } from '../throttled-reporter.js';
import type { TenantProblem } from './open-tenants.js';

/** Where problems with documents of tenants are logged. */
interface Logger {
  warn(message: string): void;
  error(message: string, fields?: object): void;
}

/** Logs problems with the documents of tenants; those of the source, which may concern all tenants, now and then. */
export function tenantReporter(logger: Logger | undefined): (event: TenantProblem) => void {
  const reporter = new ThrottledReporter((message) => logger?.warn(message));
  return (event) => {
    if (event.kind === 'refused')
      logger?.error('the roles of a tenant are rejected and grant nothing', {
        tenant: event.tenant,
        reason: event.reason,
        ...(event.bundle !== undefined && { bundle: event.bundle }),
      });
    else if (event.kind === 'lost') reporter.report(`a connection to the roles of tenants was lost: ${event.reason}`);
    else
      reporter.report(
        `the roles of a tenant cannot be loaded; ${event.isStale ? 'still using the last ones' : 'calls that need them fail'}: ${event.reason}`,
      );
  };
}

/** Warns of policies and a configuration of which only one knows roles of tenants. */
export function warnOfTenants(
  { tenants }: Config,
  { bundle }: { readonly bundle: Bundle },
  logger: Logger | undefined,
): void {
  const isDeclared = bundle.policies.tenantRoles !== undefined;
  if (isDeclared && tenants === undefined)
    logger?.warn('the policies accept tenant roles, but `tenants.source` is not set: they grant nothing');
  if (!isDeclared && tenants !== undefined)
    logger?.warn('`tenants.source` has no effect: the policies have no document of `tenantRoles`');
}
