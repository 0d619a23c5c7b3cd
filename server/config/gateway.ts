import { isIP } from 'node:net';
import * as v from 'valibot';
import { about, fields, makeList, makeMap, mustBe, makePath } from './schema-type.js';
import { name, textLike, texts } from './value-types.js';

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
export const networks = makeList(
  v.pipe(
    name,
    v.check(isNetwork, mustBe('a network such as `10.0.0.0/8` or `::1/128`, or `unix`')),
    about({ words: 'CIDR, or `unix`', json: { type: 'string', minLength: 1 } }),
  ),
);

function isNetwork(written: string): boolean {
  if (written === 'unix') return true;
  const [, address = '', prefix = ''] = /^([0-9A-Fa-f.:]+)\/(\d{1,3})$/.exec(written) ?? [];
  return prefix !== '' && Number(prefix) <= { 0: -1, 4: 32, 6: 128 }[isIP(address) as 0 | 4 | 6];
}

/** The name of a header, in lower case. Other characters could be an alias of another header in some upstream. */
export const headerName = v.pipe(
  textLike(/^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/, 'a header name of letters, digits and single hyphens', 'header name'),
  v.toLowerCase(),
);

/** Names of headers by the name of the attribute that they return. */
export const headerNames = v.pipe(makeMap(headerName), about({ words: 'map of names to header names' }));

/** Methods are case-sensitive; all that are registered have only letters and hyphens. */
const methods = v.pipe(
  texts,
  v.check(
    (list) => list.length > 0 && list.every((method) => /^[A-Z]{1,20}$/.test(method)),
    'must list methods in upper case, such as `[GET, HEAD]`',
  ),
  v.transform((list): readonly string[] => [...new Set(list)]),
  about({ json: { minItems: 1, items: { type: 'string', pattern: '^[A-Z]{1,20}$' } } }),
);

const path = v.pipe(
  name,
  v.check(
    isPath,
    mustBe(
      'a path such as `/contacts/{id}`: segments of letters, digits, `-`, `.`, `_`, `~`, or a different name in braces',
    ),
  ),
  v.transform((written): readonly SegmentTemplate[] => parseSegments(written)),
  about({ json: { type: 'string', pattern: '^/' } }),
);

const route = v.pipe(
  fields({ methods, path, kind: name, id: name, action: name, attr: v.optional(makeMap(name), {}) }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    const parameters = findParameters(value.path);
    const templates: readonly (readonly [string, ...string[]])[] = [
      [value.id, 'id'],
      ...Object.entries(value.attr).map(([attribute, written]) => [written, 'attr', attribute] as const),
    ];
    for (const [written, ...keys] of templates) {
      const template = parseTemplate(written);
      if ('parameter' in template && !parameters.includes(template.parameter))
        addIssue({ message: `: the path has no \`{${template.parameter}}\``, path: makePath(...keys) });
    }
  }),
  v.transform(
    ({ id, attr, ...rest }): Omit<GatewayRoute, 'place'> => ({
      ...rest,
      id: parseTemplate(id),
      attr: Object.fromEntries(Object.entries(attr).map(([attribute, written]) => [attribute, parseTemplate(written)])),
    }),
  ),
);

/** `server.gateway.routes`: no two routes match the same requests. */
export const gatewayRoutes = v.pipe(
  v.array(route, 'must be a list'),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const taken = new Set<string>();
    // Paths that differ only in case are the same path to some upstreams.
    const literals = new Map<string, string>();
    for (const [index, { methods, path }] of dataset.value.entries()) {
      const shapes = describeShapes(methods, path);
      if (shapes.some((shape) => taken.has(shape)))
        addIssue({ message: 'matches the requests of another route', path: makePath(index) });
      for (const shape of shapes) taken.add(shape);
      for (const part of path) {
        if (!('literal' in part)) continue;
        const known = literals.get(part.literal.toLowerCase()) ?? part.literal;
        if (known !== part.literal)
          addIssue({
            message: `: \`${part.literal}\` differs from \`${known}\` only in case`,
            path: makePath(index, 'path'),
          });
        literals.set(part.literal.toLowerCase(), part.literal);
      }
    }
  }),
  v.readonly(),
  about({ words: 'list of routes' }),
);

function isPath(written: string): boolean {
  const segments = parseSegments(written);
  const parameters = findParameters(segments);
  return (
    written.startsWith('/') &&
    segments.length <= 64 &&
    segments.every((segment, index) => isSegment(segment, index === segments.length - 1)) &&
    new Set(parameters).size === parameters.length
  );
}

/** Only the last segment may be empty: a path that ends with a slash. */
function isSegment(segment: SegmentTemplate, isLast: boolean): boolean {
  if ('parameter' in segment) return true;
  const { literal } = segment;
  return literal === '' ? isLast : /^[\w.~-]+$/.test(literal) && literal !== '.' && literal !== '..';
}

function parseSegments(path: string): readonly SegmentTemplate[] {
  return path.split('/').slice(1).map(parseTemplate);
}

function findParameters(path: readonly SegmentTemplate[]): readonly string[] {
  return path.flatMap((part) => ('parameter' in part ? [part.parameter] : []));
}

function parseTemplate(written: string): Template {
  const [, parameter] = /^\{([A-Za-z_]\w*)\}$/.exec(written) ?? [];
  return parameter === undefined ? { literal: written } : { parameter };
}

function describeShapes(methods: readonly string[], path: readonly SegmentTemplate[]): readonly string[] {
  const shape = path.map((part) => ('literal' in part ? part.literal : '{}')).join('/');
  return methods.map((method) => `${method} /${shape}`);
}
