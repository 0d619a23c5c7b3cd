import { blockOf } from './block.js';
import { ConfigError } from './config-error.js';
import type { ConfigNode, MapNode } from './node.js';
import { refuse, text, type ValueType } from './value-types.js';

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

/** The alias of the SDKs of the reference PDP. */
export const REFERENCE_ALIAS = PRESETS['cerbos'] as AliasConfig;

const UNIQUE = ['package', 'path', 'callIdField', 'propertyPrefix'] as const;

/** A value of a part must match its pattern, and none of the names that exist. */
interface Rule {
  readonly pattern: string;
  readonly wanted: string;
  readonly taken: readonly string[];
}

const RULES: { readonly [part in (typeof UNIQUE)[number] | 'service']: Rule } = {
  package: {
    pattern: '^[a-z][a-z0-9_]{0,62}$',
    wanted: 'a lower-case identifier such as `x`',
    // Packages of services, and of what their descriptors import.
    taken: ['authz', 'authzen', 'grpc', 'google', 'buf'],
  },
  service: { pattern: '^[A-Z][A-Za-z0-9]{0,62}$', wanted: 'an identifier such as `XService`', taken: [] },
  path: {
    pattern: '^/_[A-Za-z0-9][A-Za-z0-9_-]{0,62}$',
    wanted: 'a path of one segment that begins with `/_`, such as `/_x`',
    taken: ['/_authz'],
  },
  callIdField: {
    pattern: '^[a-z][A-Za-z0-9]{0,62}CallId$',
    wanted: 'an identifier that ends with `CallId`, such as `xCallId`',
    taken: ['authzCallId'],
  },
  propertyPrefix: {
    pattern: '^[a-z][A-Za-z0-9_]{0,62}$',
    wanted: 'an identifier such as `x`',
    taken: ['authz'],
  },
};

/** `server.aliases`: presets and aliases, no two of which share a name. */
export const aliases: ValueType<readonly AliasConfig[]> = {
  read: (node, key) => {
    if (node.kind !== 'list') throw new ConfigError(`\`${key}\` must be a list`, node.place);
    const read = node.items.map((item, index) => readAlias(item, `${key}[${index}]`));
    for (const [index, alias] of read.entries()) {
      for (const part of UNIQUE) {
        const earlier = read.findIndex((other) => other[part] === alias[part]);
        if (earlier < index)
          throw new ConfigError(
            `\`${key}[${index}].${part}\` must differ from \`${key}[${earlier}].${part}\`, \`${alias[part]}\``,
            (node.items[index] as ConfigNode).place,
          );
      }
    }
    return read;
  },
  write: (values) => values,
  words: `list: ${namesOf(PRESETS)}, or maps of \`package\`, \`services\`, \`path\`, \`callIdField\` and \`propertyPrefix\``,
  schema: { type: 'array', items: { anyOf: [{ enum: Object.keys(PRESETS) }, aliasSchema()] } },
};

function readAlias(node: ConfigNode, key: string): AliasConfig {
  if (node.kind === 'scalar') {
    const preset = String(node.value);
    return Object.hasOwn(PRESETS, preset)
      ? (PRESETS[preset] as AliasConfig)
      : refuse(node, key, `a map, or one of ${namesOf(PRESETS)}`);
  }
  const map = blockOf(node, key, [...UNIQUE, 'services']);
  const services = blockOf(required(map, key, 'services'), `${key}.services`, ['AuthzService', 'AuthzAdminService']);
  const part = (name: (typeof UNIQUE)[number]): string => readName(map, key, name, RULES[name]);
  const service = (name: 'AuthzService' | 'AuthzAdminService'): string =>
    readName(services, `${key}.services`, name, RULES.service);
  const alias = {
    package: part('package'),
    services: { AuthzService: service('AuthzService'), AuthzAdminService: service('AuthzAdminService') },
    path: part('path'),
    callIdField: part('callIdField'),
    propertyPrefix: part('propertyPrefix'),
  };
  if (alias.services.AuthzService === alias.services.AuthzAdminService)
    throw new ConfigError(`\`${key}.services\` must have two different names`, services.place);
  return alias;
}

function readName(map: MapNode, key: string, part: string, { pattern, wanted, taken }: Rule): string {
  const node = required(map, key, part);
  const value = text.read(node, `${key}.${part}`);
  if (!new RegExp(pattern).test(value)) return refuse(node, `${key}.${part}`, wanted);
  if (taken.includes(value))
    throw new ConfigError(`\`${key}.${part}\` must not be \`${value}\`, which is taken`, node.place);
  return value;
}

function required(map: MapNode, key: string, part: string): ConfigNode {
  const node = map.entries.get(part);
  if (node === undefined) throw new ConfigError(`\`${key}\` has no \`${part}\``, map.place);
  return node;
}

function aliasSchema(): object {
  const block = (properties: object): object => ({
    type: 'object',
    additionalProperties: false,
    properties,
    required: Object.keys(properties),
  });
  const named = ({ pattern, taken }: Rule): object => ({
    type: 'string',
    pattern,
    ...(taken.length > 0 && { not: { enum: taken } }),
  });
  return block({
    package: named(RULES.package),
    services: block({ AuthzService: named(RULES.service), AuthzAdminService: named(RULES.service) }),
    path: named(RULES.path),
    callIdField: named(RULES.callIdField),
    propertyPrefix: named(RULES.propertyPrefix),
  });
}

function namesOf(table: object): string {
  return Object.keys(table)
    .map((name) => `\`${name}\``)
    .join(', ');
}
