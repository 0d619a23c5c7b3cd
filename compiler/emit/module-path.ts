import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { DerivedRolesModule, PrincipalModule, ResourceModule, RoleModule } from '../ir/program.js';
import { MODULE_WORDS } from './module-context.js';
import { camelCase, Names } from './names.js';

/** The path and the export of a module. */
export interface ModuleLocation {
  /** Below the output folder, without extension: `resource/album`, `resource/leave_request/acme.hr`. */
  readonly path: string;
  /** The exported constant of a policy; derived roles export one constant each, named in `derivedRoles`. */
  readonly name: string;
  readonly derivedRoles: ReadonlyMap<string, string>;
  /** Those of them that every principal with a parent role has. */
  readonly unconditional: ReadonlySet<string>;
  /** The export of the module of its filters, whose path is `${path}.where`. */
  readonly filters: string;
}

/** What identifies a module: its location follows from that. */
export type ModuleIdentity =
  | Pick<ResourceModule, 'kind' | 'key' | 'kindName' | 'version' | 'scope'>
  | Pick<PrincipalModule, 'kind' | 'key' | 'principal' | 'version' | 'scope'>
  | Pick<RoleModule, 'kind' | 'key' | 'role' | 'version' | 'scope'>
  | (Pick<DerivedRolesModule, 'kind' | 'key' | 'name'> & {
      readonly definitions: readonly { readonly name: string; readonly condition?: unknown }[];
    });

/** The location of each module, by key: named by identity, not by its source file. */
export function moduleLocations(modules: readonly ModuleIdentity[]): ReadonlyMap<string, ModuleLocation> {
  const paths = new Paths();
  const locations = new Map<string, ModuleLocation>();
  for (const module of modules) {
    const path = paths.fresh(makePath(module).replace(/\.(?=where$)/i, hexadecimal));
    const names = new Names([], MODULE_WORDS);
    const roles = module.kind === 'derived-roles' ? module.definitions : [];
    const name = names.fresh(camelCase(nameModule(module), 'policy'));
    locations.set(module.key, {
      path,
      name,
      derivedRoles: new Map(roles.map(({ name }) => [name, names.fresh(camelCase(name, 'role'))])),
      unconditional: new Set(roles.filter(({ condition }) => condition === undefined).map(({ name }) => name)),
      filters: names.fresh(`${name}Where`),
    });
  }
  return locations;
}

/** Paths that differ by more than case: file systems that ignore case would treat two as one file. */
export class Paths {
  private readonly taken = new Set<string>();
  /** The next number by wish. */
  private readonly numbers = new Map<string, number>();

  /** A path close to the wish: the wish itself, or with `~2`, `~3` ... if it is taken. */
  fresh(wish: string): string {
    const folded = wish.toLowerCase();
    let path = wish;
    let number = this.numbers.get(folded) ?? 2;
    for (; this.taken.has(path.toLowerCase()); number += 1) path = `${wish}~${number}`;
    this.numbers.set(folded, number);
    this.taken.add(path.toLowerCase());
    return path;
  }
}

/** The specifier by which the module at one path imports another. */
export function importSpecifier(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return `${path.startsWith('.') ? '' : './'}${path}.js`;
}

/** The subject of a policy, with version and scope unless they are the usual ones. */
function nameModule(module: ModuleIdentity): string {
  switch (module.kind) {
    case 'resource':
      return scopedName(module.kindName, module.version, module.scope);
    case 'principal':
      return scopedName(module.principal, module.version, module.scope);
    case 'role':
      return scopedName(module.role, module.version, module.scope);
    case 'derived-roles':
      return module.name;
  }
}

function scopedName(name: string, version: string, scope: string): string {
  return `${name} ${version === 'default' ? '' : version} ${scope}`;
}

function makePath(module: ModuleIdentity): string {
  switch (module.kind) {
    case 'resource':
      return scopedPath('resource', module.kindName, module.version, module.scope);
    case 'principal':
      return scopedPath('principal', module.principal, module.version, module.scope);
    case 'role':
      return scopedPath('role', module.role, module.version, module.scope);
    case 'derived-roles':
      return `derived_roles/${fileName(module.name)}`;
  }
}

function scopedPath(folder: string, name: string, version: string, scope: string): string {
  const versioned = version === 'default' ? fileName(name) : `${fileName(name)}.v${fileName(version)}`;
  return scope === '' ? `${folder}/${versioned}` : `${folder}/${versioned}/${fileName(scope)}`;
}

/** A name of a policy as a file name that every file system and every importer accepts. */
export function fileName(name: string): string {
  const escaped = name.replace(/[^0-9A-Za-z_.-]|^\.|\.$/gu, hexadecimal);
  const safe = DEVICE.test(escaped) ? escaped.replace(/^./, hexadecimal) : escaped;
  if (safe.length <= LONGEST) return safe;
  return `${safe.slice(0, LONGEST)}~${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
}

/** Names that Windows reserves for devices, regardless of the extension. */
const DEVICE = /^(?:aux|con|nul|prn|com\d|lpt\d)(?:\.|$)/i;

/** File systems allow 255 bytes; a path also has a version, a scope and an extension. */
const LONGEST = 80;

function hexadecimal(character: string): string {
  return `~${(character.codePointAt(0) as number).toString(16)}`;
}
