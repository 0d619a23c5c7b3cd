import * as v from 'valibot';
import { about, either, fields, isScalar, mustBe, makePath, readBy } from './schema-type.js';
import { text } from './value-types.js';

/** Other names of the same RPCs (docs/aliases.md). */
export interface AliasConfig {
  /** Replaces `authz` at the start of package names: `x` makes `x.svc.v1` and `x.request.v1`. */
  readonly package: string;
  /** The last part of the names of services. */
  readonly services: { readonly AuthzService: string; readonly AuthzAdminService: string };
  /** `/_x`, under which health and metrics are. */
  readonly path: string;
  /** The field of JSON responses that has the call id. */
  readonly callIdField: string;
  /** `x` makes `x.roles` and the like of AuthZEN's properties and context. */
  readonly propertyPrefix: string;
}

/** Aliases that have a name: the SDKs of the reference PDP work with `cerbos`. */
const PRESETS: { readonly [name: string]: AliasConfig } = {
  cerbos: {
    package: 'cerbos',
    services: { AuthzService: 'CerbosService', AuthzAdminService: 'CerbosAdminService' },
    path: '/_cerbos',
    callIdField: 'cerbosCallId',
    propertyPrefix: 'cerbos',
  },
};
const PRESET_NAMES = Object.keys(PRESETS)
  .map((name) => `\`${name}\``)
  .join(', ');

/** The alias of the SDKs of the reference PDP. */
export const REFERENCE_ALIAS = PRESETS['cerbos'] as AliasConfig;

/** A name of a form that is not one of those that exist. */
function identifier(pattern: RegExp, wanted: string, ...taken: readonly string[]) {
  return v.pipe(
    text,
    v.regex(pattern, mustBe(wanted)),
    v.check(
      (value) => !taken.includes(value),
      ({ input }) => `must not be \`${input}\`, which is taken`,
    ),
    about({
      json: { type: 'string', pattern: pattern.source, ...(taken.length > 0 && { not: { enum: taken } }) },
    }),
  );
}

const service = identifier(/^[A-Z][A-Za-z0-9]{0,62}$/, 'an identifier such as `XService`');

const alias = fields({
  // Packages of services, and of what their descriptors import.
  package: identifier(
    /^[a-z][a-z0-9_]{0,62}$/,
    'a lower-case identifier such as `x`',
    ...['authz', 'authzen', 'grpc', 'google', 'buf'],
  ),
  services: v.pipe(
    fields({ AuthzService: service, AuthzAdminService: service }),
    v.check((names) => names.AuthzService !== names.AuthzAdminService, 'must have two different names'),
  ),
  path: identifier(
    /^\/_[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/,
    'a path of one segment that begins with `/_`, such as `/_x`',
    '/_authz',
  ),
  callIdField: identifier(
    /^[a-z][A-Za-z0-9]{0,62}CallId$/,
    'an identifier that ends with `CallId`, such as `xCallId`',
    'authzCallId',
  ),
  propertyPrefix: identifier(/^[a-z][A-Za-z0-9_]{0,62}$/, 'an identifier such as `x`', 'authz'),
});

const preset = v.pipe(
  readBy(
    (written) => (Object.hasOwn(PRESETS, String(written)) ? PRESETS[String(written)] : undefined),
    `a map, or one of ${PRESET_NAMES}`,
  ),
  about({ json: { type: 'string', enum: Object.keys(PRESETS) } }),
);

const UNIQUE = ['package', 'path', 'callIdField', 'propertyPrefix'] as const;

/** `server.aliases`: presets and aliases, no two of which share a name. */
export const aliases = v.pipe(
  v.array(either(isScalar, preset, alias), 'must be a list'),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    for (const [index, each] of dataset.value.entries())
      for (const part of UNIQUE) {
        const earlier = dataset.value.findIndex((other) => other[part] === each[part]);
        if (earlier < index)
          addIssue({
            message: `must differ from \`server.aliases[${earlier}].${part}\`, \`${each[part]}\``,
            path: makePath(index, part),
          });
      }
  }),
  v.readonly(),
  about({
    words: `list: ${PRESET_NAMES}, or maps of \`package\`, \`services\`, \`path\`, \`callIdField\` and \`propertyPrefix\``,
  }),
);
