import type { Attributes, Instant, Query, Request } from '../../../runtime/policy/index.js';
import * as residual from '../../../runtime/residual/index.js';
import { withoutDot } from '../../../runtime/engine/parts.js';
import type { AuxDataInput, ResourceInput } from '../../../runtime/engine/index.js';
import { isPlainObject, json, plainAttributes } from '../../cel/runtime/index.js';

/** What a plan of subjects knows of a request. */
export interface KnownOfRequest {
  readonly resource: ResourceInput;
  readonly auxData: AuxDataInput | undefined;
  /** The scope and the version that all principals have, as requests write them. */
  readonly principal: { readonly scope: string; readonly policyVersion: string };
  readonly globals: Attributes;
  readonly clock: () => Instant;
}

/** The request that conditions of a plan of subjects see: all but the id, the roles and the attributes of the principal. */
export class SubjectQuery implements Query {
  readonly principal: Request['principal'];
  readonly resource: Request['resource'];
  readonly auxData: Request['auxData'];
  readonly globals: Attributes;
  /** No row is unknown: conditions read the resource itself. */
  readonly row = residual.ANY_ROW;
  derivedRoles: Query['derivedRoles'] = NONE;
  readonly effectiveDerivedRoles = NONE;
  readonly failedDerivedRoles = NONE;
  private instant: Instant | undefined = undefined;
  private readonly clock: () => Instant;

  constructor({ resource, auxData, principal, globals, clock }: KnownOfRequest) {
    const { kind, id, attr, policyVersion = '', scope = '' } = resource;
    this.principal = {
      id: '',
      roles: NONE,
      attr: {},
      policyVersion: principal.policyVersion,
      scope: withoutDot(principal.scope),
    };
    this.resource = { kind, id, attr: attributes(attr, 'resource.attr'), policyVersion, scope: withoutDot(scope) };
    this.auxData = {
      jwt: attributes(auxData?.jwt, 'auxData.jwt'),
      jwts: attributes(auxData?.jwts, 'auxData.jwts') as Request['auxData']['jwts'],
    };
    this.globals = globals;
    this.clock = clock;
  }

  /** One instant for the whole plan, in UTC and whole milliseconds, which databases can compare. */
  get now(): Instant {
    if (this.instant === undefined) {
      const { seconds, nanos } = this.clock();
      this.instant = { seconds, nanos: nanos - (nanos % 1_000_000), offset: 0 };
    }
    return this.instant;
  }
}

const NONE: readonly never[] = [];

function attributes(attr: Attributes | undefined, path: string): Attributes {
  if (attr == null) return {};
  return isPlainObject(attr) ? json(attr) : plainAttributes(attr, path);
}
