import { NO_SUCH_OVERLOAD, refuse } from './failures.js';
import { isList } from './kinds.js';
import { charge } from './meter.js';
import { wrongReceiver } from './receivers.js';
import { parseSpiffeId, parseTrustDomain, SpiffeIdValue, SpiffeTrustDomainValue } from './spiffe-id.js';
import { CelError, isFailure, Opaque, type Result, type Value } from './values.js';

export { SpiffeIdValue, SpiffeTrustDomainValue };

/** What IDs are held against (docs/spec/conditions.md#spiffe-identities). It never equals anything. */
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
  return typeof s === 'string' ? trustDomainOf(s) : refuse('spiffeTrustDomain', s);
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
  const domain = typeof x === 'string' ? trustDomainOf(x) : x;
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

function trustDomainOf(text: string): SpiffeTrustDomainValue | CelError {
  const name = parseTrustDomain(text);
  if (typeof name === 'string') return new SpiffeTrustDomainValue(name);
  return new CelError(`failed to parse SPIFFE trust domain: ${name.message}`);
}

function prefixed<T>(prefix: string, parsed: T | CelError): T | CelError {
  return parsed instanceof CelError ? new CelError(`${prefix}: ${parsed.message}`) : parsed;
}
