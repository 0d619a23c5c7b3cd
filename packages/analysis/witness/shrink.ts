import type { AccessRequest, AuxDataInput } from '../../../runtime/engine/index.js';
import { DEFAULT_NOW, type Situation } from '../question/situation.js';

type Json = { readonly [name: string]: unknown };

/**
 * The smallest part of a situation that still shows what it was found for, greedily and in a fixed order: without roles,
 * attributes, claims and globals that are not needed, and with short names.
 *
 * @param shows whether a situation shows it, and satisfies every premise.
 */
export function shrink(situation: Situation, shows: (situation: Situation) => boolean): Situation {
  let smallest = situation;
  const keep = (smaller: Situation): boolean => {
    if (!shows(smaller)) return false;
    smallest = smaller;
    return true;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (const smaller of smallerOnes(smallest))
      if (keep(smaller)) {
        changed = true;
        break;
      }
  }
  return smallest;
}

/** Situations with one thing less, those with the most less first. */
function* smallerOnes(situation: Situation): Generator<Situation> {
  const { request, globals, now } = situation;
  const { principal, resource, auxData } = request;
  const asking = (smaller: Partial<AccessRequest>): Situation => ({
    ...situation,
    request: { ...request, ...smaller },
  });
  if (auxData !== undefined) {
    const { auxData: _, ...without } = request;
    yield { ...situation, request: without };
  }
  if (principal.roles.length > 1)
    for (const role of principal.roles)
      yield asking({ principal: { ...principal, roles: principal.roles.filter((other) => other !== role) } });
  for (const attr of smallerValues(principal.attr ?? {}))
    yield asking({ principal: { ...principal, attr: attr as Json } });
  for (const attr of smallerValues(resource.attr ?? {}))
    yield asking({ resource: { ...resource, attr: attr as Json } });
  for (const jwt of smallerValues(auxData?.jwt ?? {})) yield asking({ auxData: { ...auxData, jwt: jwt as Json } });
  for (const jwts of smallerTokens(auxData?.jwts ?? {})) yield asking({ auxData: { ...auxData, jwts } });
  for (const smaller of smallerValues(globals)) yield { ...situation, globals: smaller as Json };
  if (now !== DEFAULT_NOW) yield { ...situation, now: DEFAULT_NOW };
  if (principal.id !== 'alice') yield renamed(situation, principal.id, 'alice');
  if (resource.id !== 'r1') yield asking({ resource: { ...resource, id: 'r1' } });
}

/** A situation in which a principal has another id, also where attributes have it. */
function renamed(situation: Situation, from: string, to: string): Situation {
  const replace = (value: unknown): unknown => {
    if (value === from) return to;
    if (Array.isArray(value)) return value.map(replace);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replace(member)]));
  };
  const { principal, resource } = situation.request;
  return {
    ...situation,
    request: {
      ...situation.request,
      principal: { ...principal, id: to, attr: replace(principal.attr ?? {}) as Json },
      resource: { ...resource, attr: replace(resource.attr ?? {}) as Json },
    },
  };
}

type Tokens = NonNullable<AuxDataInput['jwts']>;

/** Named tokens without one of them, or with a part of its claims less. */
function* smallerTokens(tokens: Tokens): Generator<Tokens> {
  for (const [name, { claims }] of Object.entries(tokens)) {
    yield Object.fromEntries(Object.entries(tokens).filter(([other]) => other !== name));
    for (const smaller of smallerValues(claims)) yield { ...tokens, [name]: { claims: smaller as Json } };
  }
}

/** A value with one part less. */
function* smallerValues(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const index of value.keys()) yield value.toSpliced(index, 1);
    for (const [index, item] of value.entries())
      for (const smaller of smallerValues(item)) yield value.with(index, smaller);
  } else if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value);
    for (const [name] of members) yield Object.fromEntries(members.filter(([other]) => other !== name));
    for (const [name, member] of members)
      for (const smaller of smallerValues(member))
        yield Object.fromEntries(members.map(([other, own]) => [other, other === name ? smaller : own]));
  } else if (typeof value === 'string' && value !== '' && value !== SHORT && value.length > SHORT.length) {
    yield SHORT;
  } else if (typeof value === 'number' && value !== 0 && value !== 1) {
    yield 0;
    yield 1;
  }
}

const SHORT = 'x';
