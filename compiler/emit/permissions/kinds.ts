import { glob, literalOrGlob, sanitize } from '#runtime/policy';
import { entriesOf, TextIndex } from '../../globs/text-index.js';
import type { Module, PrincipalModule, Program, ResourceModule, RoleModule } from '../../ir/program.js';

/** An index of the policies by resource kind: there may be thousands of kinds, and of rules with globs. */
export class Kinds {
  /** The kinds that a policy names literally, sorted. */
  readonly all: readonly string[];
  private readonly resources = new Map<string, ResourceModule[]>();
  private readonly globRules: readonly GlobRule[];
  private readonly index: TextIndex;

  constructor({ modules }: Program) {
    this.all = [...new Set(modules.flatMap(kindsIn))].sort();
    for (const module of modules) {
      if (module.kind !== 'resource') continue;
      const known = this.resources.get(module.resource);
      if (known === undefined) this.resources.set(module.resource, [module]);
      else known.push(module);
    }
    this.globRules = modules.flatMap((module) =>
      module.kind === 'principal' || module.kind === 'role' ? rulesIn(module) : [],
    );
    this.index = new TextIndex(this.globRules.map(({ text }) => [text]));
  }

  /** The resource policies of a kind. */
  policiesOf(kind: string): readonly ResourceModule[] {
    return this.resources.get(kind) ?? [];
  }

  /** The rules of principal and role policies that match a kind, in the order of the modules. */
  rulesAbout(kind: string): readonly GlobRule[] {
    const lookedUp = sanitize(kind);
    const entries = new Set([kind, lookedUp].flatMap((name) => entriesOf(this.index.find(name))));
    return [...entries]
      .sort((a, b) => a - b)
      .map((entry) => this.globRules[entry] as GlobRule)
      .filter(({ means }) => means(kind, lookedUp));
  }
}

/** A rule of a principal or role policy, and whether its resource matches a kind. */
export interface GlobRule {
  readonly module: PrincipalModule | RoleModule;
  readonly rule: PrincipalModule['rules'][number] | RoleModule['rules'][number];
  readonly text: string;
  readonly means: (kind: string, lookedUp: string) => boolean;
}

function rulesIn(module: PrincipalModule | RoleModule): readonly GlobRule[] {
  return module.rules.flatMap((rule) => {
    const text = rule.resource;
    return text === undefined ? [] : [{ module, rule, text, means: matcherOf(text) }];
  });
}

/** Whether the resource of a rule of a principal or role policy matches a kind. */
function matcherOf(text: string): GlobRule['means'] {
  const asGlob = glob(text);
  const asWritten = literalOrGlob(text);
  return (kind, lookedUp) => text === kind || asGlob(lookedUp) || asWritten(kind);
}

function kindsIn(module: Module): readonly string[] {
  switch (module.kind) {
    case 'resource':
      return [module.resource];
    case 'principal':
      return module.kinds.map(({ kind }) => kind);
    case 'role':
      return module.rules.map(({ resource }) => resource).filter((resource) => !resource.includes('*'));
    case 'derived-roles':
      return [];
  }
}
