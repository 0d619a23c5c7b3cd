import { compareCodePoints } from './code-points.js';
import { NO_SUCH_OVERLOAD, refuse } from './failures.js';
import { isList } from './kinds.js';
import { charge, chargeRead } from './meter.js';
import { wrongReceiver } from './receivers.js';
import { CelError, isFailure, Opaque, type Result, type Value } from './values.js';

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
    return other instanceof SpiffeTrustDomainValue ? compareCodePoints(this.trustDomain, other.trustDomain) : undefined;
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
function parseSpiffeId(uri: string): SpiffeIdValue | CelError {
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
function parseTrustDomain(nameOrId: string): string | CelError {
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

/** What IDs are matched against (docs/spec/conditions.md#spiffe-identities). It never equals anything. */
export class SpiffeMatcherValue extends Opaque {
  readonly typeName = 'authz.lib.spiffeMatcher';

  constructor(readonly accepts: (id: SpiffeIdValue) => boolean) {
    super();
  }

  override equalTo(_other: Value): boolean {
    return false;
  }

  /** A variable cannot keep it (docs/spec/conditions.md#stored-values). */
  override stored(): CelError {
    return new CelError('unsupported conversion to ref.Val: (spiffeid.Matcher)');
  }
}

/** `spiffeID(s)`. */
export function spiffeID(s: Result): Result {
  return typeof s === 'string' ? prefixed(ID_PREFIX, parseSpiffeId(s)) : refuse('spiffeID', s);
}

/** `spiffeTrustDomain(s)`: a bare name, or an ID whose path does not matter. */
export function spiffeTrustDomain(s: Result): Result {
  return typeof s === 'string' ? readTrustDomain(s) : refuse('spiffeTrustDomain', s);
}

/** `spiffeMatchAny()`. */
export function spiffeMatchAny(): SpiffeMatcherValue {
  return new SpiffeMatcherValue(() => true);
}

/** `spiffeMatchExact(id or s)`. */
export function spiffeMatchExact(x: Result): Result {
  const id = typeof x === 'string' ? prefixed(ID_PREFIX, parseSpiffeId(x)) : x;
  if (id instanceof CelError) return id;
  if (!(id instanceof SpiffeIdValue)) return refuse('spiffeMatchExact', x);
  const { uri } = id;
  return new SpiffeMatcherValue((other) => other.uri === uri);
}

/**
 * `spiffeMatchOneOf(list)` of IDs or strings. The run-time guard looks at the first element, the function at the rest.
 */
export function spiffeMatchOneOf(list: Result): Result {
  if (!isList(list)) return refuse('spiffeMatchOneOf', list);
  const [first] = list;
  const passes = first === undefined || typeof first === 'string' || first instanceof SpiffeIdValue;
  if (!passes) return refuse('spiffeMatchOneOf', list);
  const uris = new Set<string>();
  for (const entry of list) {
    const id = typeof entry === 'string' ? parseSpiffeId(entry) : entry;
    if (!(id instanceof SpiffeIdValue)) return NO_SUCH_OVERLOAD;
    charge(10 + id.path.length / 4);
    uris.add(id.uri);
  }
  return new SpiffeMatcherValue((other) => uris.has(other.uri));
}

/** `spiffeMatchTrustDomain(td or s)`. */
export function spiffeMatchTrustDomain(x: Result): Result {
  const domain = typeof x === 'string' ? readTrustDomain(x) : x;
  if (domain instanceof CelError) return domain;
  if (!(domain instanceof SpiffeTrustDomainValue)) return refuse('spiffeMatchTrustDomain', x);
  return new SpiffeMatcherValue((other) => other.trustDomain === domain.trustDomain);
}

/** `<id>.path()`: with its leading slash, or empty. */
export function spiffePath(id: Result): Result {
  return id instanceof SpiffeIdValue ? id.path : wrongReceiver('path', id);
}

/** `<id>.trustDomain()`. */
export function trustDomain(id: Result): Result {
  return id instanceof SpiffeIdValue ? new SpiffeTrustDomainValue(id.trustDomain) : wrongReceiver('trustDomain', id);
}

/** `<id>.isMemberOf(td)`. */
export function isMemberOf(id: Result, domain: Result): Result {
  if (!(id instanceof SpiffeIdValue)) return wrongReceiver('isMemberOf', id, domain);
  if (isFailure(domain)) return domain;
  return domain instanceof SpiffeTrustDomainValue ? domain.trustDomain === id.trustDomain : NO_SUCH_OVERLOAD;
}

/** `<td>.name()`: the bare name. */
export function spiffeName(domain: Result): Result {
  return domain instanceof SpiffeTrustDomainValue ? domain.trustDomain : wrongReceiver('name', domain);
}

/** `<matcher>.matchesID(id or s)`. */
export function matchesID(matcher: Result, x: Result): Result {
  if (!(matcher instanceof SpiffeMatcherValue)) return wrongReceiver('matchesID', matcher, x);
  const id = typeof x === 'string' ? prefixed('invalid SPIFFE ID', parseSpiffeId(x)) : x;
  if (isFailure(id)) return id;
  if (!(id instanceof SpiffeIdValue)) return NO_SUCH_OVERLOAD;
  charge(10 + id.path.length / 4);
  return matcher.accepts(id);
}

const ID_PREFIX = 'failed to parse SPIFFE ID';

function readTrustDomain(text: string): SpiffeTrustDomainValue | CelError {
  const name = parseTrustDomain(text);
  if (typeof name === 'string') return new SpiffeTrustDomainValue(name);
  return new CelError(`failed to parse SPIFFE trust domain: ${name.message}`);
}

function prefixed<T>(prefix: string, parsed: T | CelError): T | CelError {
  return parsed instanceof CelError ? new CelError(`${prefix}: ${parsed.message}`) : parsed;
}
