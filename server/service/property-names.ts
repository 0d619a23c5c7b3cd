/** The names that AuthZEN's properties and context have for this server (docs/spec/server.md#authzen), by prefix. */
export interface PropertyNames {
  readonly prefix: string;
  readonly roles: string;
  readonly policyVersion: string;
  readonly scope: string;
  readonly requestId: string;
  readonly includeMeta: string;
  readonly auxData: string;
  /** The attribute of the resource that is the properties of the action. */
  readonly actionProperties: string;
}

/** The names of one prefix. */
export function propertyNames(prefix: string): PropertyNames {
  return {
    prefix,
    roles: `${prefix}.roles`,
    policyVersion: `${prefix}.policyVersion`,
    scope: `${prefix}.scope`,
    requestId: `${prefix}.requestId`,
    includeMeta: `${prefix}.includeMeta`,
    auxData: `${prefix}.auxData`,
    actionProperties: `${prefix}.actionProperties`,
  };
}

/** The prefix of this server. */
export const OWN_PREFIX = 'authz';

/** The names of a server without aliases. */
export const OWN_NAMES: readonly PropertyNames[] = [propertyNames(OWN_PREFIX)];
