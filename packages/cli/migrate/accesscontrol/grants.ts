/** A rule of the npm package `accesscontrol`, in one form for all versions of the package. */
export interface Grant {
  readonly role: string;
  readonly resource: string;
  readonly action: string;
  readonly possession: 'any' | 'own';
  readonly attributes: readonly string[];
  readonly effect: 'grant' | 'deny';
  readonly condition: unknown;
}

/** The grants of a file, and the roles that each role extends. */
export interface Grants {
  readonly rules: readonly Grant[];
  readonly parents: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads grants as JSON: an object by role (`getGrants()`), a list (`getGrantsList()`), of version 2 or 3, or a snapshot.
 *
 * @throws Error that names the place of what is not a grant, or what would restrict all grants.
 */
export function readGrants(json: unknown): Grants {
  if (Array.isArray(json)) return readList(json);
  const object = objectAt(json, 'the file');
  const isSnapshot = Array.isArray((object['requirements'] as { global?: unknown } | undefined)?.global);
  if (!isSnapshot) return readRoles(object);
  const { global, categories, resources } = object['requirements'] as { [scope: string]: object };
  if ([global, categories, resources].some((scope) => Object.keys(scope ?? {}).length > 0))
    throw new Error(
      '`requirements`: gates of `require()` restrict all grants and are not migrated; write them as DENY rules, and pass `getGrants()`',
    );
  return readRoles(objectAt(object['grants'], 'grants'));
}

function readRoles(roles: { readonly [role: string]: unknown }): Grants {
  const rules: Grant[] = [];
  const parents = new Map<string, readonly string[]>();
  for (const [role, item] of Object.entries(roles)) {
    parents.set(role, []);
    for (const [resource, actions] of Object.entries(objectAt(item, role))) {
      if (resource === '$extend') parents.set(role, strings(actions, `${role}.$extend`));
      else
        for (const [action, value] of Object.entries(objectAt(actions, `${role}.${resource}`)))
          rules.push(...readAction({ role, resource, action }, value));
    }
  }
  return checked({ rules, parents });
}

/** Version 2: `'read:own': ['*']`. Version 3: `read: [{ possession: 'own', attributes: ['*'] }]`. */
function readAction(
  names: { readonly role: string; readonly resource: string; readonly action: string },
  value: unknown,
): readonly Grant[] {
  const place = `${names.role}.${names.resource}.${names.action}`;
  if (!Array.isArray(value) || value.every((item) => typeof item === 'string'))
    return [readRow({ ...names, attributes: value ?? [] }, place)];
  return value.map((rule, index) => readRow({ ...objectAt(rule, `${place}[${index}]`), ...names }, place));
}

function readList(list: readonly unknown[]): Grants {
  const rules: Grant[] = [];
  const parents = new Map<string, readonly string[]>();
  for (const [index, item] of list.entries()) {
    const row = objectAt(item, `[${index}]`);
    const roles = strings(row['role'], `[${index}].role`);
    for (const role of roles) {
      parents.set(role, parents.get(role) ?? []);
      if (row['$extend'] === undefined)
        for (const resource of strings(row['resource'], `[${index}].resource`))
          rules.push(readRow({ ...row, role, resource }, `[${index}]`));
      else parents.set(role, [...(parents.get(role) ?? []), ...strings(row['$extend'], `[${index}].$extend`)]);
    }
  }
  return checked({ rules, parents });
}

function readRow(row: { readonly [key: string]: unknown }, place: string): Grant {
  const [action = '', suffix] = String(row['action']).split(':');
  const possession = row['possession'] ?? suffix ?? 'any';
  if (action === '' || (possession !== 'any' && possession !== 'own'))
    throw new Error(`${place}: \`${String(row['action'])}\` is not an action such as \`read\` or \`read:own\``);
  const effect = row['effect'] ?? (row['denied'] === true ? 'deny' : 'grant');
  if (effect !== 'grant' && effect !== 'deny') throw new Error(`${place}.effect: must be \`grant\` or \`deny\``);
  const attributes = row['attributes'] == null ? ['*'] : strings(row['attributes'], `${place}.attributes`);
  const isNegated = attributes.length > 0 && attributes.every((attribute) => attribute.startsWith('!'));
  return {
    role: String(row['role']),
    resource: String(row['resource']),
    action,
    possession,
    attributes: isNegated ? ['*', ...attributes] : attributes,
    effect,
    condition: row['condition'] ?? undefined,
  };
}

/** The roles whose grants a role has: itself, and those that it extends, directly or not. */
export function listLineage(role: string, { parents }: Grants): readonly string[] {
  const found = new Set([role]);
  for (const one of found) for (const parent of parents.get(one) ?? []) found.add(parent);
  return [...found];
}

function checked(grants: Grants): Grants {
  for (const [role, extended] of grants.parents)
    for (const parent of extended)
      if (!grants.parents.has(parent)) throw new Error(`${role}.$extend: there is no role \`${parent}\``);
  return grants;
}

function objectAt(value: unknown, place: string): { readonly [key: string]: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${place}: must be an object`);
  return value as { readonly [key: string]: unknown };
}

/** A list of strings, also written as `'a, b'` or `'a; b'`. */
function strings(value: unknown, place: string): readonly string[] {
  if (typeof value === 'string')
    return value
      .split(/[,;]/)
      .map((part) => part.trim())
      .filter((part) => part !== '');
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string'))
    throw new Error(`${place}: must be a list of strings`);
  return (value as readonly string[]).map((part) => part.trim());
}
