import { type AccessRequest, MAX_ACTORS } from '../../../runtime/engine/index.js';
import type { Instant } from '../../../runtime/policy/index.js';
import { parseInstant } from '../../policy-tests/instant.js';

/** A request of the playground: one principal, one resource, several actions. */
export interface PlaygroundRequest extends Omit<AccessRequest, 'action'> {
  /** Actions to decide: at least one, each once. */
  readonly actions: readonly string[];
  /** The time of the decision; that of the evaluation if it is absent. */
  readonly now?: Instant | undefined;
}

export type ReadRequest =
  | { readonly kind: 'request'; readonly request: PlaygroundRequest }
  | { readonly kind: 'refused'; readonly reason: string };

/** Each action is explained and planned. */
const MOST_ACTIONS = 20;

/** Reads a request, or says what is wrong with it. */
export function readRequest(text: string): ReadRequest {
  try {
    return { kind: 'request', request: requestOf(JSON.parse(text)) };
  } catch (error) {
    return { kind: 'refused', reason: `request: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function requestOf(value: unknown): PlaygroundRequest {
  const { principal, resource, actions, auxData, now } = readFields(value, 'the request', [
    'principal',
    'resource',
    'actions',
    'auxData',
    'now',
  ]);
  const who = readFields(principal, '`principal`', [...PRINCIPAL_FIELDS, 'actors']);
  const what = readFields(resource, '`resource`', ['kind', 'id', 'attr', 'policyVersion', 'scope']);
  const aux = auxData === undefined ? undefined : readFields(auxData, '`auxData`', ['jwt', 'jwts']);
  const asked = [...new Set(readStrings(actions, '`actions`'))];
  if (asked.length === 0 || asked.length > MOST_ACTIONS)
    throw new Error(`\`actions\` must have 1 to ${MOST_ACTIONS} items`);
  return {
    principal: {
      ...principalOf(who, 'principal'),
      ...(who['actors'] !== undefined && { actors: readActors(who['actors']) }),
    },
    resource: {
      kind: readString(what['kind'], '`resource.kind`'),
      id: readString(what['id'], '`resource.id`'),
      ...readShared(what, 'resource'),
    },
    actions: asked,
    ...(aux && { auxData: { jwt: attributesOf(aux['jwt'], '`auxData.jwt`'), jwts: readTokens(aux['jwts']) } }),
    ...(now !== undefined && { now: parseTime(readString(now, '`now`')) }),
  };
}

const PRINCIPAL_FIELDS = ['id', 'roles', 'attr', 'policyVersion', 'scope'];

function principalOf(fields: Fields, of: string) {
  return {
    id: readString(fields['id'], `\`${of}.id\``),
    roles: [...new Set(readStrings(fields['roles'], `\`${of}.roles\``))],
    ...readShared(fields, of),
  };
}

function readActors(value: unknown) {
  if (!Array.isArray(value) || value.length > MAX_ACTORS)
    throw new Error(`\`principal.actors\` must be a list of at most ${MAX_ACTORS} objects`);
  return value.map((actor, index) => {
    const of = `principal.actors[${index}]`;
    return principalOf(readFields(actor, `\`${of}\``, PRINCIPAL_FIELDS), of);
  });
}

function parseTime(text: string): Instant {
  const now = parseInstant(text);
  if (now === undefined) throw new Error('`now` must be a time, such as `2030-01-01T12:00:00Z`');
  return now;
}

type Fields = { readonly [name: string]: unknown };

function readFields(value: unknown, what: string, known: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${what} must be an object`);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Error(
      `${what} has an unknown field \`${unknown}\`: use ${known.map((name) => `\`${name}\``).join(', ')}`,
    );
  return value as Fields;
}

function readShared(fields: Fields, of: string) {
  const optional = (name: string): string | undefined =>
    fields[name] === undefined ? undefined : readString(fields[name], `\`${of}.${name}\``, '');
  return {
    attr: attributesOf(fields['attr'], `\`${of}.attr\``),
    policyVersion: optional('policyVersion'),
    scope: optional('scope'),
  };
}

function attributesOf(value: unknown, what: string): { readonly [name: string]: unknown } | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${what} must be an object`);
  return value as { readonly [name: string]: unknown };
}

function readTokens(value: unknown): { readonly [name: string]: { readonly claims: Fields } } | undefined {
  const tokens = attributesOf(value, '`auxData.jwts`');
  if (tokens === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(tokens).map(([name, token]) => {
      const { claims } = readFields(token, `\`auxData.jwts.${name}\``, ['claims']);
      return [name, { claims: attributesOf(claims, `\`auxData.jwts.${name}.claims\``) ?? {} }];
    }),
  );
}

function readString(value: unknown, what: string, least = 'not empty'): string {
  if (typeof value !== 'string' || (least !== '' && value === ''))
    throw new Error(`${what} must be a string${least && ' that is not empty'}`);
  return value;
}

function readStrings(value: unknown, what: string): readonly string[] {
  if (!Array.isArray(value)) throw new Error(`${what} must be a list of strings`);
  return value.map((item, index) => readString(item, `${what.slice(0, -1)}[${index}]\``));
}
