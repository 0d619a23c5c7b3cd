import type * as ir from '../../../compiler/ir/program.js';
import type { Value } from '../../../compiler/ir/value.js';
import { parts, some, listValues } from '../../../compiler/ir/visit.js';
import { type PointDecisions, rulesAbout } from './decisions.js';
import { type NameClasses, nameClasses } from './name-classes.js';
import type { Point } from '../question/point.js';
import { Remembered } from './remembered.js';

/** The classes of actions and roles that policies distinguish at a point. */
export interface Classes {
  readonly actions: NameClasses;
  readonly roles: NameClasses;
}

/** Classes of names by the names and globs that distinguish them: most points of a set have the same. */
export type KnownClasses = Remembered<NameClasses>;

/** No classes yet. Tenants may name any roles, so that not all are kept. */
export function noClasses(): KnownClasses {
  return new Remembered({ values: 1000, characters: 1_000_000 });
}

/** What a question distinguishes besides what policies do. */
export interface Asked {
  /** Names, and globs with a `*`. */
  readonly actions: readonly string[];
  /** Globs, whatever characters they have. */
  readonly actionGlobs: readonly string[];
  readonly roles: readonly string[];
  /** Modules with conditions. */
  readonly modules: readonly ir.Module[];
}

/** Nothing besides policies. */
export const NOTHING_ASKED: Asked = { actions: [], actionGlobs: [], roles: [], modules: [] };

/** The classes of actions and roles at a point of one or more sets of policies. */
export function classesAt(
  { kind }: Point,
  sets: readonly PointDecisions[],
  known: KnownClasses = noClasses(),
  asked: Asked = NOTHING_ASKED,
): Classes {
  const [actions, roles] = [new Names(), new Names()];
  actions.add(asked.actions);
  actions.addGlobs(asked.actionGlobs);
  roles.addLiterals([...asked.roles, ...asked.modules.flatMap(rolesSought)]);
  for (const { modules, readsRuntime, lineages } of sets) {
    for (const [role, ancestors] of lineages) roles.addLiterals([role, ...ancestors]);
    for (const module of modules) {
      switch (module.kind) {
        case 'resource':
        case 'principal':
          for (const rule of rulesAbout(module, kind)) {
            actions.add(rule.actions);
            roles.add(rule.roles);
          }
          break;
        case 'role':
          roles.addLiterals([module.role, ...module.parentRoles]);
          for (const { allowActions } of module.rules) actions.addBoth(allowActions);
          break;
        case 'derived-roles':
          // While derived roles are listed, parent roles are compared as they are written.
          if (readsRuntime)
            for (const { parentRoles } of module.definitions)
              roles.addLiterals(parentRoles.filter((role) => role !== '*'));
      }
      roles.addLiterals(rolesSought(module));
    }
  }
  const findClasses = (names: Names, other: string): NameClasses =>
    known.get(`${other} ${names.key}`, () => names.classes([other]));
  return { actions: findClasses(actions, OTHER_ACTION), roles: findClasses(roles, OTHER_ROLE) };
}

/** Names that policies are unlikely to have. */
const OTHER_ROLE = 'someone';
const OTHER_ACTION = 'something';

/** The special characters of globs. A glob without any matches only itself. */
const SPECIAL = /[*?[{\\]/;

/** Names and globs that policies have. */
export class Names {
  private readonly literals = new Set<string>();
  private readonly globs = new Set<string>();

  /** Adds strings that are globs if they have a `*` (docs/spec/policy-language.md#where-a-string-is-a-glob). */
  add(texts: readonly string[]): void {
    for (const text of texts) (text.includes('*') ? this.globs : this.literals).add(text);
  }

  /** Adds strings that are both themselves and globs. */
  addBoth(texts: readonly string[]): void {
    this.addLiterals(texts);
    for (const text of texts) if (SPECIAL.test(text)) this.globs.add(text);
  }

  /** Adds strings that are always globs. */
  addGlobs(texts: readonly string[]): void {
    for (const text of texts) (SPECIAL.test(text) ? this.globs : this.literals).add(text);
  }

  addLiterals(texts: readonly string[]): void {
    for (const text of texts) this.literals.add(text);
  }

  /** Equal for equal names. */
  get key(): string {
    return JSON.stringify([[...this.literals].sort(), [...this.globs].sort()]);
  }

  classes(preferred: readonly string[], accepts?: (name: string) => boolean): NameClasses {
    return nameClasses(this.literals, this.globs, preferred, accepts);
  }
}

/** The strings that the conditions of a module compare roles of the principal with, or may. */
function rolesSought(module: ir.Module): readonly string[] {
  const rules = module.kind === 'derived-roles' ? module.definitions : module.rules;
  const values = [
    ...rules.flatMap(({ condition }) => listValues(condition)),
    ...module.variables.map(({ value }) => value),
  ];
  const found: string[] = [];
  const constants = new Map(module.constants.map(({ name, value }) => [name, value]));
  const collect = (value: Value): void => {
    if (value.kind === 'literal') collectStrings(value.value, found);
    if (value.kind === 'constant') collectStrings(constants.get(value.name), found);
    for (const part of parts(value)) collect(part);
  };
  const visit = (value: Value): void => {
    if (!some(value, isRoles)) return;
    if (value.kind === 'operator' && LOGICAL.has(value.operator)) value.operands.forEach(visit);
    else collect(value);
  };
  for (const value of values) visit(value);
  return found.filter((text) => text !== '');
}

const LOGICAL: ReadonlySet<string> = new Set(['and', 'or', 'not', 'conditional']);

function isRoles(value: Value): boolean {
  return (
    (value.kind === 'field' && value.of === 'principal' && value.name === 'roles') ||
    (value.kind === 'part' && (value.part === 'principal' || value.part === 'request'))
  );
}

function collectStrings(json: unknown, into: string[]): void {
  if (typeof json === 'string') into.push(json);
  else if (Array.isArray(json)) for (const item of json) collectStrings(item, into);
}
