import { isIP } from 'node:net';
import { ConfigError, unknownKey } from './config-error.js';
import type { ConfigNode, MapNode } from './node.js';
import { listOf, name, refuse, texts, type ValueType } from './value-types.js';

/** A route of the gateway: requests that match are decided as an action on a resource. */
export interface GatewayRoute {
  readonly methods: readonly string[];
  /** `/contacts/{id}`, one template for each segment. */
  readonly path: readonly SegmentTemplate[];
  readonly kind: string;
  readonly id: Template;
  readonly action: string;
  readonly attr: { readonly [attribute: string]: Template };
  readonly place: string;
}

/** One segment of a path: a literal, or any segment that is not empty. */
export type SegmentTemplate = Template;

/** A literal, or the segment of the path with this name. */
export type Template = { readonly literal: string } | { readonly parameter: string };

/** The addresses of peers: `10.0.0.0/8`, `::1/128`, or `unix` for Unix sockets. */
export const networks: ValueType<readonly string[]> = listOf({
  ...name,
  read: (node, key) => {
    const written = name.read(node, key);
    return isNetwork(written) ? written : refuse(node, key, 'a network such as `10.0.0.0/8` or `::1/128`, or `unix`');
  },
  words: 'CIDR, or `unix`',
  schema: { type: 'string', minLength: 1 },
});

function isNetwork(written: string): boolean {
  if (written === 'unix') return true;
  const [, address = '', prefix = ''] = /^([0-9A-Fa-f.:]+)\/(\d{1,3})$/.exec(written) ?? [];
  return prefix !== '' && Number(prefix) <= { 0: -1, 4: 32, 6: 128 }[isIP(address) as 0 | 4 | 6];
}

/** The name of a header, in lower case. */
export const headerName: ValueType<string> = {
  read: (node, key) => {
    const written = name.read(node, key).toLowerCase();
    return HEADER_NAME.test(written) ? written : refuse(node, key, WANTED_HEADER);
  },
  write: (value) => value,
  words: 'header name',
  schema: { type: 'string', pattern: '^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$' },
};

/** Other characters could be an alias of another header in some upstream. */
const HEADER_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const WANTED_HEADER = 'a header name of letters, digits and single hyphens';

/** Names of headers by the name of the attribute that they return. */
export const headerNames: ValueType<{ readonly [attribute: string]: string }> = {
  read: (node, key) => {
    if (node.kind !== 'map') throw new ConfigError(`\`${key}\` must be a map`, node.place);
    return Object.fromEntries(
      [...node.entries].map(([attribute, value]) => [attribute, headerName.read(value, `${key}.${attribute}`)]),
    );
  },
  write: (names) => names,
  words: 'map of names to header names',
  schema: { type: 'object', additionalProperties: headerName.schema },
};

/** `server.gateway.routes`: no two routes match the same requests. */
export const gatewayRoutes: ValueType<readonly GatewayRoute[]> = {
  read: (node, key) => {
    if (node.kind !== 'list') throw new ConfigError(`\`${key}\` must be a list`, node.place);
    const routes = node.items.map((item, index) => readRoute(item, `${key}[${index}]`));
    const taken = new Set<string>();
    // Paths that differ only in case are the same path to some upstreams.
    const literals = new Map<string, string>();
    for (const [index, route] of routes.entries()) {
      for (const shape of shapesOf(route)) {
        if (taken.has(shape))
          throw new ConfigError(`\`${key}[${index}]\` matches the requests of another route`, route.place);
        taken.add(shape);
      }
      for (const part of route.path) {
        if (!('literal' in part)) continue;
        const known = literals.get(part.literal.toLowerCase()) ?? part.literal;
        if (known !== part.literal)
          throw new ConfigError(
            `\`${key}[${index}].path\`: \`${part.literal}\` differs from \`${known}\` only in case`,
            route.place,
          );
        literals.set(part.literal.toLowerCase(), part.literal);
      }
    }
    return routes;
  },
  write: (routes) => routes.map(writeRoute),
  words: 'list of routes',
  schema: {
    type: 'array',
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['methods', 'path', 'kind', 'id', 'action'],
      properties: {
        methods: { type: 'array', minItems: 1, items: { type: 'string', pattern: '^[A-Z]{1,20}$' } },
        path: { type: 'string', pattern: '^/' },
        kind: { type: 'string', minLength: 1 },
        id: { type: 'string', minLength: 1 },
        action: { type: 'string', minLength: 1 },
        attr: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
  },
};

const FIELDS = ['methods', 'path', 'kind', 'id', 'action', 'attr'];

function readRoute(node: ConfigNode, key: string): GatewayRoute {
  if (node.kind !== 'map') throw new ConfigError(`\`${key}\` must be a map`, node.place);
  for (const [field, value] of node.entries)
    if (!FIELDS.includes(field)) throw unknownKey(`${key}.${field}`, undefined, value.place);
  const path = readPath(required(node, 'path', key), `${key}.path`);
  const parameters = path.flatMap((part) => ('parameter' in part ? [part.parameter] : []));
  const template = (value: ConfigNode, place: string): Template => {
    const read = templateOf(name.read(value, place));
    if ('parameter' in read && !parameters.includes(read.parameter))
      throw new ConfigError(`\`${place}\`: the path has no \`{${read.parameter}}\``, value.place);
    return read;
  };
  const attr = node.entries.get('attr');
  if (attr !== undefined && attr.kind !== 'map') throw new ConfigError(`\`${key}.attr\` must be a map`, attr.place);
  return {
    methods: readMethods(required(node, 'methods', key), `${key}.methods`),
    path,
    kind: name.read(required(node, 'kind', key), `${key}.kind`),
    id: template(required(node, 'id', key), `${key}.id`),
    action: name.read(required(node, 'action', key), `${key}.action`),
    attr: Object.fromEntries(
      [...(attr?.entries ?? [])].map(([attribute, value]) => [attribute, template(value, `${key}.attr.${attribute}`)]),
    ),
    place: node.place,
  };
}

function required(map: MapNode, field: string, key: string): ConfigNode {
  const node = map.entries.get(field);
  if (node === undefined) throw new ConfigError(`\`${key}\` has no \`${field}\``, map.place);
  return node;
}

function readMethods(node: ConfigNode, key: string): readonly string[] {
  const methods = texts.read(node, key);
  if (methods.length === 0 || !methods.every((method) => METHOD.test(method)))
    throw new ConfigError(`\`${key}\` must list methods in upper case, such as \`[GET, HEAD]\``, node.place);
  return [...new Set(methods)];
}

/** Methods are case-sensitive; all that are registered have only letters and hyphens. */
const METHOD = /^[A-Z]{1,20}$/;

function readPath(node: ConfigNode, key: string): readonly SegmentTemplate[] {
  const written = name.read(node, key);
  const parts = written.split('/');
  const segments = parts.slice(1).map(templateOf);
  const isWellFormed =
    parts[0] === '' &&
    segments.length <= 64 &&
    segments.every((segment, index) => isSegment(segment, index === segments.length - 1));
  const parameters = segments.flatMap((segment) => ('parameter' in segment ? [segment.parameter] : []));
  if (isWellFormed && new Set(parameters).size === parameters.length) return segments;
  return refuse(
    node,
    key,
    'a path such as `/contacts/{id}`: segments of letters, digits, `-`, `.`, `_`, `~`, or a different name in braces',
  );
}

/** Only the last segment may be empty: a path that ends with a slash. */
function isSegment(segment: SegmentTemplate, isLast: boolean): boolean {
  if ('parameter' in segment) return true;
  const { literal } = segment;
  return literal === '' ? isLast : /^[\w.~-]+$/.test(literal) && literal !== '.' && literal !== '..';
}

function templateOf(written: string): Template {
  const [, parameter] = /^\{([A-Za-z_]\w*)\}$/.exec(written) ?? [];
  return parameter === undefined ? { literal: written } : { parameter };
}

function writeTemplate(template: Template): string {
  return 'literal' in template ? template.literal : `{${template.parameter}}`;
}

function shapesOf({ methods, path }: GatewayRoute): readonly string[] {
  const shape = path.map((part) => ('literal' in part ? part.literal : '{}')).join('/');
  return methods.map((method) => `${method} /${shape}`);
}

function writeRoute({ methods, path, kind, id, action, attr }: GatewayRoute): object {
  return {
    methods,
    path: `/${path.map(writeTemplate).join('/')}`,
    kind,
    id: writeTemplate(id),
    action,
    attr: Object.fromEntries(Object.entries(attr).map(([attribute, value]) => [attribute, writeTemplate(value)])),
  };
}
