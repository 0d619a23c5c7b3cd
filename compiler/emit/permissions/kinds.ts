import { glob, literalOrGlob, sanitize } from '../../../runtime/policy/index.js';
import { listEntries, TextIndex } from '../../globs/text-index.js';
import type { ModuleFacts, RuleFacts } from './facts.js';

/** An index of the policies by resource kind: there may be thousands of kinds, and of rules with globs. */
export class Kinds {
  /** The kinds that a policy names literally, sorted. */
  readonly all: readonly string[];
  private readonly resources = new Map<string, ResourceFacts[]>();
  private readonly globRules: readonly GlobRule[];
  private readonly index: TextIndex;

  constructor(modules: readonly ModuleFacts[]) {
    this.all = listKinds(modules);
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
  listPolicies(kind: string): readonly ResourceFacts[] {
    return this.resources.get(kind) ?? [];
  }

  /** The rules of principal and role policies that match a kind, in the order of the modules. */
  rulesAbout(kind: string): readonly GlobRule[] {
    const lookedUp = sanitize(kind);
    const entries = new Set([kind, lookedUp].flatMap((name) => listEntries(this.index.find(name))));
    return [...entries]
      .sort((a, b) => a - b)
      .map((entry) => this.globRules[entry] as GlobRule)
      .filter(({ means }) => means(kind, lookedUp));
  }
}

type ResourceFacts = Extract<ModuleFacts, { readonly kind: 'resource' }>;

/** A rule of a principal or role policy, and whether its resource matches a kind. */
export interface GlobRule {
  readonly module: ModuleFacts;
  readonly rule: RuleFacts;
  readonly text: string;
  readonly means: (kind: string, lookedUp: string) => boolean;
}

function rulesIn(module: ModuleFacts): readonly GlobRule[] {
  return module.rules.flatMap((rule) => {
    const text = rule.resource;
    return text === undefined ? [] : [{ module, rule, text, means: makeMatcher(text) }];
  });
}

/** Whether the resource of a rule of a principal or role policy matches a kind. */
function makeMatcher(text: string): GlobRule['means'] {
  const asGlob = glob(text);
  const asWritten = literalOrGlob(text);
  return (kind, lookedUp) => text === kind || asGlob(lookedUp) || asWritten(kind);
}

/**
 * The kinds that policies name literally. Rules of principal and role policies name a kind as it is looked up; where
 * resource policies write it otherwise (`album:object`), that is its name.
 */
function listKinds(modules: readonly ModuleFacts[]): readonly string[] {
  const written = new Set(modules.flatMap((module) => (module.kind === 'resource' ? [module.resource] : [])));
  const lookedUp = new Set([...written].map(sanitize));
  const others = modules.flatMap(kindsIn).filter((kind) => !lookedUp.has(kind));
  return [...new Set([...written, ...others])].sort();
}

function kindsIn(module: ModuleFacts): readonly string[] {
  switch (module.kind) {
    case 'resource':
      return [module.resource];
    case 'principal':
      return module.kinds;
    case 'role':
      return module.rules.flatMap(({ resource = '*' }) => (resource.includes('*') ? [] : [resource]));
  }
}
