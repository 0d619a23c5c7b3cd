import {
  glob,
  type GrantedResource,
  literalOrGlob,
  type Matcher,
  sanitize,
  sanitizeGlob,
  type TenantRoles,
} from '../../policy/index.js';

/** A document that cannot be used: what is wrong with it, and where. */
export class TenantDocumentError extends Error {
  /**
   * @param path the place, as in `roles.translator.resources[0].actions[1]`; empty for the document as a whole.
   * @param reason why it is refused.
   */
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(path === '' ? reason : `${path}: ${reason}`);
  }
}

/** The limits of a document, so that what it costs is bounded. */
export const TENANT_DOCUMENT_LIMITS = {
  /** Roles of the tenant. */
  roles: 100,
  /** Roles of the policies for each. */
  rolesOfRole: 20,
  /** Entries of `resources` for each. */
  resources: 100,
  /** Actions of each entry. */
  actions: 100,
  /** Names with `*` in the whole document: each is tried for every action. */
  globs: 200,
  /** Characters of a name. */
  name: 200,
} as const;

/** What the policies let tenants grant, prepared for decisions. */
export class Grants {
  private readonly byRole = new Map<string, AllowList>();

  constructor({ grants }: Pick<TenantRoles, 'grants'>) {
    for (const { role, resources } of grants) {
      const before = this.byRole.get(role)?.resources ?? [];
      this.byRole.set(role, new AllowList([...before, ...resources]));
    }
  }

  /** The roles that tenants may give, sorted. */
  get roles(): readonly string[] {
    return [...this.byRole.keys()].sort();
  }

  /** Undefined if tenants may not give the role. */
  of(role: string): AllowList | undefined {
    return this.byRole.get(role);
  }
}

/** Kinds with actions, both with globs. */
class AllowList {
  private readonly byKind = new Map<string, Matcher[]>();
  private readonly byGlob: (readonly [kind: Matcher, action: Matcher])[] = [];

  constructor(readonly resources: readonly GrantedResource[]) {
    for (const { resource, actions } of resources) {
      const matches = makeMatcher(actions);
      const kind = sanitize(resource);
      if (kind.includes('*')) this.byGlob.push([kindGlob(kind), matches]);
      else this.byKind.set(kind, [...(this.byKind.get(kind) ?? []), matches]);
    }
  }

  /** @param kind sanitized. */
  has(kind: string, action: string): boolean {
    for (const matches of this.byKind.get(kind) ?? NONE) if (matches(action)) return true;
    for (const [matchesKind, matches] of this.byGlob) if (matchesKind(kind) && matches(action)) return true;
    return false;
  }

  /**
   * Whether it has all that a kind and an action match, which may be globs. Exact for names. Of two different globs it
   * only knows that `*` has every other one.
   */
  contains(resource: string, action: string): boolean {
    return this.resources.some(
      (own) =>
        isWithin(sanitize(resource), sanitize(own.resource), kindGlob) &&
        own.actions.some((one) => isWithin(action, one)),
    );
  }
}

/** The roles of a tenant, each with what it gives. */
export type ProvenRoles = ReadonlyMap<string, ProvenRole>;

/** A role of a tenant that gives nothing but what the policies let tenants grant. */
export class ProvenRole {
  constructor(
    /** Name without prefix. */
    readonly name: string,
    private readonly given: readonly (readonly [role: string, granted: AllowList])[],
    private readonly restriction: AllowList | undefined,
  ) {}

  /**
   * The roles of the policies that it stands for when an action on a kind is decided.
   * @param kind sanitized.
   */
  rolesFor(kind: string, action: string): readonly string[] {
    if (this.restriction?.has(kind, action) === false) return NONE;
    return this.given.flatMap(([role, granted]) => (granted.has(kind, action) ? role : NONE));
  }
}

/**
 * Reads the document of a tenant and proves that its roles stay within what the policies let tenants grant.
 *
 * @example
 * import { Grants, proveTenantDocument } from 'authz/runtime';
 *
 * const grants = new Grants({ grants: [{ role: 'editor', resources: [{ resource: 'album', actions: ['*'] }] }] });
 * const proven = proveTenantDocument({ tenant: 'acme', roles: { desk: { roles: ['editor'] } } }, 'acme', grants);
 * console.log([...proven.keys()]); // => [ 'desk' ]
 *
 * @param document as JSON or YAML was parsed.
 * @param tenant whose document it must be.
 * @throws {TenantDocumentError} for the first thing that is wrong; then no role of the document is to be used.
 */
export function proveTenantDocument(document: unknown, tenant: string, grants: Grants): ProvenRoles {
  const { tenant: named, roles } = readFields(document, '', ['tenant', 'roles']);
  if (named !== tenant) throw new TenantDocumentError('tenant', `must be \`${tenant}\`, whose document this is`);
  const entries = Object.entries(readObject(roles, 'roles'));
  limit('roles', entries.length, TENANT_DOCUMENT_LIMITS.roles);
  const budget = { globs: TENANT_DOCUMENT_LIMITS.globs };
  return new Map(entries.map(([name, role]) => [name, proveRole(name, role, grants, budget)]));
}

/** What is left of the limits on a document. */
interface Budget {
  globs: number;
}

function proveRole(name: string, value: unknown, grants: Grants, budget: Budget): ProvenRole {
  const path = `roles.${shown(name)}`;
  if (!ROLE_NAME.test(name))
    throw new TenantDocumentError(
      path,
      'a name must begin with a letter or digit and have at most 100 letters, digits and `_`, `.`, `-`',
    );
  const { roles, resources, description } = readFields(value, path, ['description', 'roles', 'resources']);
  if (description !== undefined) readText(description, `${path}.description`, 1000);
  const given = readTexts(roles, `${path}.roles`, TENANT_DOCUMENT_LIMITS.rolesOfRole).map((role, index) => {
    const granted = grants.of(role);
    if (granted !== undefined) return [role, granted] as const;
    const known = grants.roles.slice(0, 20).join(', ');
    throw new TenantDocumentError(
      `${path}.roles[${index}]`,
      `tenants may not grant the role \`${shown(role)}\`; they may grant ${known}`,
    );
  });
  if (resources === undefined) return new ProvenRole(name, given, undefined);
  const restriction = readList(resources, `${path}.resources`, TENANT_DOCUMENT_LIMITS.resources).map((entry, index) =>
    proveResource(entry, `${path}.resources[${index}]`, given, budget),
  );
  return new ProvenRole(name, given, new AllowList(restriction));
}

function proveResource(
  value: unknown,
  path: string,
  given: readonly (readonly [role: string, granted: AllowList])[],
  budget: Budget,
): GrantedResource {
  const { resource, actions } = readFields(value, path, ['resource', 'actions']);
  const kind = readText(resource, `${path}.resource`);
  const names = readTexts(actions, `${path}.actions`, TENANT_DOCUMENT_LIMITS.actions);
  budget.globs -= [kind, ...names].filter((text) => text.includes('*')).length;
  if (budget.globs < 0)
    throw new TenantDocumentError(path, `more than ${TENANT_DOCUMENT_LIMITS.globs} names with \`*\` in the document`);
  for (const [index, action] of names.entries()) {
    if (given.some(([, granted]) => granted.contains(kind, action))) continue;
    throw new TenantDocumentError(
      `${path}.actions[${index}]`,
      `tenants may not grant \`${shown(action)}\` of \`${shown(kind)}\` by ${given.map(([role]) => role).join(', ')}`,
    );
  }
  return { resource: kind, actions: names };
}

/** Whether a name or glob matches nothing that another one does not. */
function isWithin(text: string, other: string, matcher = literalOrGlob): boolean {
  return other === '*' || other === text || (!text.includes('*') && matcher(other)(text));
}

/** The matcher of a kind or a glob for sanitized kinds: `leave-*` has `leave_request`. */
function kindGlob(pattern: string): Matcher {
  const matches = literalOrGlob(pattern);
  const sanitized = pattern.includes('*') ? sanitizeGlob(pattern) : undefined;
  if (sanitized === undefined || sanitized === pattern) return matches;
  const matchesSanitized = glob(sanitized);
  // A name that begins with another character is never sanitized.
  return (kind) => matches(kind) || (LETTER.test(kind) && matchesSanitized(kind));
}

const LETTER = /^[A-Za-z]/;

/** Names are looked up; only globs are tried one by one. */
function makeMatcher(texts: readonly string[]): Matcher {
  const names = new Set(texts.filter((text) => !text.includes('*')));
  const globs = texts.filter((text) => text.includes('*')).map(literalOrGlob);
  return (text) => names.has(text) || globs.some((matches) => matches(text));
}

function readFields<Name extends string>(
  value: unknown,
  path: string,
  names: readonly Name[],
): { readonly [name in Name]?: unknown } {
  const object = readObject(value, path);
  for (const name of Object.keys(object))
    if (!(names as readonly string[]).includes(name))
      throw new TenantDocumentError(
        path,
        `unknown field \`${shown(name)}\`; there ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}`,
      );
  return object;
}

function readObject(value: unknown, path: string): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new TenantDocumentError(path, 'must be an object');
}

function readList(value: unknown, path: string, most: number): readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0)
    throw new TenantDocumentError(path, 'must be a list that is not empty');
  limit(path, value.length, most);
  return value as readonly unknown[];
}

function readTexts(value: unknown, path: string, most: number): readonly string[] {
  return readList(value, path, most).map((text, index) => readText(text, `${path}[${index}]`));
}

function readText(value: unknown, path: string, most: number = TENANT_DOCUMENT_LIMITS.name): string {
  if (typeof value !== 'string' || value === '')
    throw new TenantDocumentError(path, 'must be a string that is not empty');
  if (value.length > most) throw new TenantDocumentError(path, `must have at most ${most} characters`);
  return value;
}

function limit(path: string, count: number, most: number): void {
  if (count > most) throw new TenantDocumentError(path, `must have at most ${most} entries`);
}

function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

const ROLE_NAME = /^[A-Za-z0-9][\w.-]{0,99}$/;
const NONE: readonly never[] = [];
