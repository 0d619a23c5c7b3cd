import type { AccessRequest } from '../../../runtime/engine/index.js';

/** A request of the playground: one principal, one resource, several actions. */
export interface PlaygroundRequest extends Omit<AccessRequest, 'action'> {
  /** At least one; unique. */
  readonly actions: readonly string[];
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
  const { principal, resource, actions, auxData } = fieldsOf(value, 'the request', [
    'principal',
    'resource',
    'actions',
    'auxData',
  ]);
  const who = fieldsOf(principal, '`principal`', ['id', 'roles', 'attr', 'policyVersion', 'scope']);
  const what = fieldsOf(resource, '`resource`', ['kind', 'id', 'attr', 'policyVersion', 'scope']);
  const aux = auxData === undefined ? undefined : fieldsOf(auxData, '`auxData`', ['jwt', 'jwts']);
  const asked = [...new Set(stringsOf(actions, '`actions`'))];
  if (asked.length === 0 || asked.length > MOST_ACTIONS)
    throw new Error(`\`actions\` must have 1 to ${MOST_ACTIONS} items`);
  return {
    principal: {
      id: stringOf(who['id'], '`principal.id`'),
      roles: [...new Set(stringsOf(who['roles'], '`principal.roles`'))],
      ...sharedOf(who, 'principal'),
    },
    resource: {
      kind: stringOf(what['kind'], '`resource.kind`'),
      id: stringOf(what['id'], '`resource.id`'),
      ...sharedOf(what, 'resource'),
    },
    actions: asked,
    ...(aux && { auxData: { jwt: attributesOf(aux['jwt'], '`auxData.jwt`'), jwts: tokensOf(aux['jwts']) } }),
  };
}

type Fields = { readonly [name: string]: unknown };

function fieldsOf(value: unknown, what: string, known: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${what} must be an object`);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Error(
      `${what} has an unknown field \`${unknown}\`: use ${known.map((name) => `\`${name}\``).join(', ')}`,
    );
  return value as Fields;
}

function sharedOf(fields: Fields, of: string) {
  const optional = (name: string): string | undefined =>
    fields[name] === undefined ? undefined : stringOf(fields[name], `\`${of}.${name}\``, '');
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

function tokensOf(value: unknown): { readonly [name: string]: { readonly claims: Fields } } | undefined {
  const tokens = attributesOf(value, '`auxData.jwts`');
  if (tokens === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(tokens).map(([name, token]) => {
      const { claims } = fieldsOf(token, `\`auxData.jwts.${name}\``, ['claims']);
      return [name, { claims: attributesOf(claims, `\`auxData.jwts.${name}.claims\``) ?? {} }];
    }),
  );
}

function stringOf(value: unknown, what: string, least = 'not empty'): string {
  if (typeof value !== 'string' || (least !== '' && value === ''))
    throw new Error(`${what} must be a string${least && ' that is not empty'}`);
  return value;
}

function stringsOf(value: unknown, what: string): readonly string[] {
  if (!Array.isArray(value)) throw new Error(`${what} must be a list of strings`);
  return value.map((item, index) => stringOf(item, `${what.slice(0, -1)}[${index}]\``));
}
