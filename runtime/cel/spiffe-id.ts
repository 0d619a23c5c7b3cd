import { compareText } from './code-points.js';
import { NO_SUCH_OVERLOAD } from './failures.js';
import { charge, chargeRead } from './meter.js';
import { CelError, Opaque, type Value } from './values.js';

/** A trust domain, by its bare name (docs/spec/conditions.md#spiffe-identities). */
export class SpiffeTrustDomainValue extends Opaque {
  readonly typeName = 'authz.lib.spiffeTrustDomain';

  constructor(readonly trustDomain: string) {
    super();
  }

  /** A string equals it when it parses to the same trust domain (docs/spec/conditions.md#equality). */
  override equalTo(other: Value): boolean | CelError {
    if (other === null) return false;
    chargeRead(this.trustDomain.length);
    if (other instanceof SpiffeTrustDomainValue) return other.trustDomain === this.trustDomain;
    return typeof other === 'string' ? parseTrustDomain(other) === this.trustDomain : NO_SUCH_OVERLOAD;
  }

  override compareTo(other: Value): number | undefined {
    return other instanceof SpiffeTrustDomainValue ? compareText(this.trustDomain, other.trustDomain) : undefined;
  }

  /** A variable cannot keep it (docs/spec/conditions.md#stored-values). */
  override stored(): CelError {
    return new CelError(`unsupported conversion to ref.Val: (spiffeid.TrustDomain)${this.trustDomain}`);
  }
}

/** A SPIFFE ID. */
export class SpiffeIdValue extends Opaque {
  readonly typeName = 'authz.lib.spiffeID';

  /** @param path with its leading slash, or empty. */
  constructor(
    readonly trustDomain: string,
    readonly path: string,
  ) {
    super();
  }

  /** The URI. */
  get uri(): string {
    return `${SCHEME}${this.trustDomain}${this.path}`;
  }

  /** A string equals it when it is its URI (docs/spec/conditions.md#equality). */
  override equalTo(other: Value): boolean | CelError {
    if (other === null) return false;
    charge(4 + (this.trustDomain.length + this.path.length) / 8);
    if (other instanceof SpiffeIdValue) return other.uri === this.uri;
    return typeof other === 'string' ? other === this.uri : NO_SUCH_OVERLOAD;
  }

  /** A variable cannot keep it (docs/spec/conditions.md#stored-values). */
  override stored(): CelError {
    return new CelError(`unsupported conversion to ref.Val: (spiffeid.ID)${this.uri}`);
  }
}

/** The ID that a URI says, or what is wrong with it, without the prefix of the function that asked. */
export function parseSpiffeId(uri: string): SpiffeIdValue | CelError {
  charge(20 + 2 * uri.length);
  if (uri === '') return new CelError('cannot be empty');
  if (!uri.startsWith(SCHEME)) return new CelError('scheme is missing or invalid');
  const slash = uri.indexOf('/', SCHEME.length);
  const end = slash < 0 ? uri.length : slash;
  const trustDomain = uri.slice(SCHEME.length, end);
  if (!TRUST_DOMAIN.test(trustDomain)) return BAD_TRUST_DOMAIN;
  if (trustDomain === '') return MISSING_TRUST_DOMAIN;
  const path = uri.slice(end);
  const trouble = path === '' ? undefined : troubleWithPath(path);
  return trouble === undefined ? new SpiffeIdValue(trustDomain, path) : new CelError(trouble);
}

/** The name of the trust domain that a name or an ID says, or what is wrong with it. */
export function parseTrustDomain(nameOrId: string): string | CelError {
  charge(20 + nameOrId.length / 4);
  if (nameOrId === '') return MISSING_TRUST_DOMAIN;
  if (nameOrId.includes(':/')) {
    const id = parseSpiffeId(nameOrId);
    return id instanceof CelError ? id : id.trustDomain;
  }
  return TRUST_DOMAIN.test(nameOrId) ? nameOrId : BAD_TRUST_DOMAIN;
}

const SCHEME = 'spiffe://';
const TRUST_DOMAIN = /^[a-z0-9._-]*$/;
const SEGMENT = /^[a-zA-Z0-9._-]*$/;

const BAD_TRUST_DOMAIN = new CelError(
  'trust domain characters are limited to lowercase letters, numbers, dots, dashes, and underscores',
);
const MISSING_TRUST_DOMAIN = new CelError('trust domain is missing');

/** The first trouble from the left of a path that begins with a slash. */
function troubleWithPath(path: string): string | undefined {
  const segments = path.slice(1).split('/');
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    if (!SEGMENT.test(segment)) {
      return 'path segment characters are limited to letters, numbers, dots, dashes, and underscores';
    }
    if (segment === '') return isLast ? 'path cannot have a trailing slash' : 'path cannot contain empty segments';
    if (segment === '.' || segment === '..') return 'path cannot contain dot segments';
  }
  return undefined;
}
