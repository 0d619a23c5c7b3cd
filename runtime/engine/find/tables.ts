import type {
  ActionTable,
  Effect,
  LoadScope,
  ResourcePolicy,
  Rule,
  TracedBundle,
  TracedCondition,
} from '../../policy/index.js';

/** The roles that rules name, a bit each. */
export type RoleNames = Pick<ResourcePolicy, 'roles' | 'roleGlobs'>;

/**
 * The bit that every role has, and of rules only those for everyone. Roles of a policy are bits 0 to 29, and -1 has all
 * bits, so one test, `(rule.roles & bits) !== 0`, serves both.
 */
export const EVERYONE = 1 << 30;

/** A rule as the engine visits it. All entries have one hidden class, whatever optional parts the rule has. */
export interface RuleEntry {
  readonly roles: number;
  readonly effect: Effect;
  /** Undefined if the list it is in implies it. */
  readonly reaches: Rule['reaches'];
  readonly rule: Rule;
  /** The condition of the rule and that of its derived role; undefined if it has neither. */
  readonly when: Rule['when'];
  /** As in the rule, whose hidden class differs with its optional parts. */
  readonly output: Rule['output'];
  readonly rows: Rule['rows'];
  /** The key of its first result in a check (docs/spec/policy-language.md#rules-that-share-a-name). */
  readonly identity: Rule | string;
  /** Only in strict evaluation, where undefined means unconditional. */
  readonly traced: TracedCondition | undefined;
  readonly tracedDerivedRole: TracedCondition | undefined;
}

/** The rules of one policy (of a principal policy: for one kind), in the order of the policy. */
export interface RuleTable {
  /** The key of the policy. */
  readonly key: string;
  readonly names: RoleNames;
  readonly named: ReadonlyMap<string, readonly RuleEntry[]>;
  /** For any other action. */
  readonly other: readonly RuleEntry[];
  readonly hasOutputs: boolean;
  /** Whether every rule has to be visited in order, even if outputs are not requested. */
  readonly alwaysVisited: boolean;
  /** Whether roles share bits, so that rules also name their roles. */
  readonly crowded: boolean;
}

/** The rules that may reach an action, in the order of the policy. */
export function entriesFor({ named, other }: RuleTable, action: string): readonly RuleEntry[] {
  return named.get(action) ?? other;
}

/**
 * Whether a rule of `entriesFor` reaches the action and a role; `bits` and `lineage` are of the role and its ancestors.
 */
export function isReached(
  { roles, reaches, rule: { among } }: RuleEntry,
  bits: number,
  lineage: readonly string[],
  action: string,
  kind: string,
): boolean {
  if ((roles & bits) === 0) return false;
  if (among !== undefined && !lineage.some((role) => among(role))) return false;
  return reaches === undefined || reaches(action, kind);
}

/** What the tables of one registry share. */
export interface SharedFacts {
  readonly roleLists: Map<string, RoleList>;
  readonly traced: TracedBundle | undefined;
  /** Undefined if all policies are there from the start. */
  load?: LoadScope;
}

/** What a table needs to know of its policy. */
export interface TableFacts extends SharedFacts {
  readonly key: string;
  readonly names: RoleNames;
  readonly hasOutputs: boolean;
  /**
   * Whether a result could change in a later action of the same check: rules of principal policies that read `runtime`
   * (docs/spec/policy-language.md#how-derived-roles-are-used, docs/spec/policy-language.md#rules-that-share-a-name).
   */
  readonly remembersAll: boolean;
}

/** Builds the table of a policy, when it is first used. */
export function ruleTable({ actions, otherActions }: ActionTable, facts: TableFacts): RuleTable {
  const rules = [...new Set([...actions.values(), otherActions].flat())];
  const entries = new Map(rules.map((rule) => [rule, ruleEntry(rule, undefined, facts)]));
  const { key, names, hasOutputs } = facts;
  const crowded = rules.some(({ among }) => among !== undefined);
  return {
    key,
    names,
    named: new Map(
      [...actions].map(([action, listed]) => [action, listed.map((rule) => entries.get(rule) as RuleEntry)]),
    ),
    other: otherActions.map((rule) => ruleEntry(rule, rule.reaches, facts)),
    hasOutputs,
    // Shared results depend on which rule is evaluated first; roles that share bits need `among`.
    alwaysVisited:
      facts.traced !== undefined || facts.remembersAll || crowded || rules.some(({ memo }) => memo !== undefined),
    crowded,
  };
}

function ruleEntry(rule: Rule, reaches: RuleEntry['reaches'], facts: TableFacts): RuleEntry {
  const through = rule.derivedRole === undefined ? '' : `@${rule.derivedRole.name}`;
  const key = rule.traced ?? `${facts.key}#${rule.name}${through}`;
  const { conditions } = facts.traced ?? NOT_TRACED;
  return {
    roles: rule.roles,
    effect: rule.effect,
    reaches,
    rule,
    when: conditionOf(rule),
    output: rule.output,
    rows: rule.rows,
    identity: rule.memo ?? rule,
    traced: conditions.get(key),
    tracedDerivedRole: rule.derivedRole === undefined ? undefined : conditions.get(rule.derivedRole.key),
  };
}

/** The condition of a rule with that of its derived role, which comes first. */
function conditionOf({ when, derivedRole }: Rule): Rule['when'] {
  if (when === undefined || derivedRole === undefined) return when ?? derivedRole?.when;
  return (request) => derivedRole.when(request) && when(request);
}

const NOT_TRACED: TracedBundle = { conditions: new Map() };

/** The bits of several roles together: of a role and its ancestors, or of all roles of a principal. */
export function lineageBits(names: RoleNames, lineage: readonly string[]): number {
  let bits = EVERYONE;
  for (let i = 0; i < lineage.length; i++) bits |= bitsOf(names, lineage[i] as string);
  return bits;
}

function bitsOf(names: RoleNames, role: string): number {
  return names.roles.get(role) ?? globBits(names, role);
}

function globBits(names: RoleNames, role: string): number {
  const globs = names.roleGlobs;
  let bits = 0;
  for (let i = 0; i < globs.length; i++) {
    const glob = globs[i] as (typeof globs)[number];
    if (glob.matches(role)) bits |= glob.bits;
  }
  return bits;
}

/** The roles of a policy, as a list if they are few and no globs: it is searched faster than a map. */
export class RoleList {
  private readonly entries: readonly { readonly role: string; readonly bits: number }[] | undefined = undefined;

  constructor(private readonly names: RoleNames) {
    const { roles, roleGlobs } = names;
    if (roles.size <= SHORT && roleGlobs.length === 0)
      this.entries = [...roles].map(([role, bits]) => ({ role, bits }));
  }

  /** The bits of all roles of a principal together; 0 without roles. */
  bitsOf(roles: readonly string[]): number {
    const { entries } = this;
    if (roles.length === 0) return 0;
    if (entries === undefined) return lineageBits(this.names, roles);
    let bits = EVERYONE;
    for (let i = 0; i < roles.length; i++) {
      const role = roles[i];
      for (let j = 0; j < entries.length; j++) {
        const entry = entries[j] as (typeof entries)[number];
        if (entry.role === role) bits |= entry.bits;
      }
    }
    return bits;
  }
}

const SHORT = 4;

/**
 * The roles of a policy. Policies that name the same roles share a list, so that it stays in the CPU cache where each
 * decision is about another policy (bench/check.bench.ts, "Out of 10,000 policies").
 */
export function roleList(names: RoleNames, { roleLists }: SharedFacts): RoleList {
  if (names.roleGlobs.length > 0) return new RoleList(names);
  return entryOf(roleLists, JSON.stringify([...names.roles]), () => new RoleList(names));
}

/** The value of a key; makes and adds it if there is none. */
export function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
