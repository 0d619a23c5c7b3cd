import { isName, isNames } from '../input.js';
import {
  type Effect,
  isGlob,
  type LoadScope,
  matchesName,
  namedActions,
  type ResourcePolicy,
  type Rule,
  type TracedBundle,
  type TracedCondition,
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
  /** Whether it applies to an action on a kind; undefined if the list it is in implies it. */
  readonly reaches: ((action: string, kind: string) => boolean) | undefined;
  readonly rule: Rule;
  /** The condition of the rule and that of its derived role; undefined if it has neither. */
  readonly when: Rule['when'];
  /** The output of the rule, whose hidden class differs with its optional parts. */
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
  readonly rules: readonly RuleEntry[];
  /** Rules by each action that a rule names: those that apply to it; null until it is first asked for. */
  readonly named: Map<string, readonly RuleEntry[] | null>;
  /** Rules for any other action. */
  readonly other: readonly RuleEntry[];
  readonly hasOutputs: boolean;
  /** Whether every rule has to be visited in order, even if outputs are not requested. */
  readonly alwaysVisited: boolean;
  /** Whether roles share bits, so that rules also name their roles. */
  readonly crowded: boolean;
}

/** The rules that may reach an action, in the order of the policy. */
export function entriesFor(table: RuleTable, action: string): readonly RuleEntry[] {
  const entries = table.named.get(action);
  return entries === undefined ? table.other : (entries ?? listNamed(table, action));
}

/** Lists the rules that apply to an action when it is first asked for: of a long policy, few actions may ever be. */
function listNamed({ rules, named }: RuleTable, action: string): readonly RuleEntry[] {
  const entries = rules.filter(({ rule }) => matchesName(rule.actions, action));
  named.set(action, entries);
  return entries;
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
  return (
    (roles & bits) !== 0 &&
    (among === undefined || lineage.some((role) => among(role))) &&
    (reaches === undefined || reaches(action, kind))
  );
}

/** What the tables of one registry share. */
export interface SharedFacts {
  readonly roleLists: Map<string, RoleList>;
  readonly traced: TracedBundle | undefined;
  /** Undefined if all policies are there from the start. */
  load?: LoadScope;
}

/** The policy of a table, or a part of it. */
export type TableSource = RoleNames & Pick<ResourcePolicy, 'key' | 'rules' | 'hasOutputs'>;

/**
 * Builds the table of a policy, when it is first used.
 * @param remembersAll whether a result could change in a later action of the same check: rules of principal policies
 *   that read `runtime` (docs/spec/policy-language.md#how-derived-roles-are-used,
 *   docs/spec/policy-language.md#rules-that-share-a-name).
 */
export function ruleTable(policy: TableSource, { traced }: SharedFacts, remembersAll = false): RuleTable {
  const { key, rules, hasOutputs } = policy;
  const crowded = rules.some(({ among }) => among);
  return {
    key,
    names: policy,
    rules: rules.map((rule) => ruleEntry(rule, undefined, key, traced)),
    named: new Map(namedActions(rules).map((action) => [action, null])),
    other: rules.flatMap((rule) => {
      const glob = rule.actions.find(isGlob);
      return glob ? ruleEntry(rule, glob === '*' ? undefined : glob, key, traced) : [];
    }),
    hasOutputs,
    // Shared results depend on which rule is evaluated first; roles that share bits need `among`.
    alwaysVisited: traced !== undefined || remembersAll || crowded || rules.some(({ memo }) => memo),
    crowded,
  };
}

/**
 * A rule as the engine visits it.
 * @param policyKey the key of its policy.
 */
export function ruleEntry(
  rule: Rule,
  reaches: RuleEntry['reaches'],
  policyKey: string,
  traced: TracedBundle | undefined,
): RuleEntry {
  const { roles, effect, when, derivedRole, output, rows } = rule;
  const through = derivedRole ? `@${derivedRole.name}` : '';
  return {
    roles,
    effect,
    reaches,
    rule,
    // The condition of the derived role comes first.
    when: when && derivedRole ? (request) => derivedRole.when(request) && when(request) : (when ?? derivedRole?.when),
    output,
    rows,
    identity: rule.memo ?? rule,
    traced: traced?.conditions.get(rule.traced ?? `${policyKey}#${rule.name}${through}`),
    tracedDerivedRole: derivedRole && traced?.conditions.get(derivedRole.key),
  };
}

/** The bits of several roles together: of a role and its ancestors, or of all roles of a principal. */
export function lineageBits(names: RoleNames, lineage: readonly string[]): number {
  let bits = EVERYONE;
  for (let i = 0; i < lineage.length; i++) {
    const role = lineage[i] as string;
    bits |= roleBits(names, role);
  }
  return bits;
}

function roleBits(names: RoleNames, role: string): number {
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

/**
 * The roles of a policy. Looking up the bits of a principal's roles is the largest part of a decision by a simple rule:
 * most principals have one or two, and are decided without a loop (docs/decisions/engine-and-generated-code.md#0148).
 */
export class RoleList {
  private readonly first: string = '';
  /** Its bits and `EVERYONE`; 0 without a first role. */
  private readonly firstBits: number = 0;
  /** The roles after the first, if they are few and no globs: a list is searched faster than a map. */
  private readonly others: readonly { readonly role: string; readonly bits: number }[] | undefined = undefined;

  constructor(private readonly names: RoleNames) {
    const { roles, roleGlobs } = names;
    const [first, ...others] = [...roles].map(([role, bits]) => ({ role, bits: EVERYONE | bits }));
    if (first !== undefined) ({ role: this.first, bits: this.firstBits } = first);
    if (others.length < SHORT && roleGlobs.length === 0) this.others = others;
  }

  /** The bits of all roles of a principal together; 0 without roles. */
  toBits(roles: readonly string[]): number {
    return roles.length === 0 ? 0 : this.readBits(roles) || lineageBits(this.names, roles);
  }

  /** The same of roles that nobody has tested; 0 unless they are a short list of names, each there once. */
  readBits(roles: readonly string[]): number {
    if (!Array.isArray(roles)) return 0;
    const length = roles.length;
    if (length !== 1 && length !== 2) return isNames(roles) ? lineageBits(this.names, roles) : 0;
    const first = roles[0];
    const bits = first === this.first ? this.firstBits : this.bitsOfOther(first);
    if (length === 1 || bits === 0) return bits;
    const second = roles[1];
    const others = second === this.first ? this.firstBits : this.bitsOfOther(second);
    return others === 0 || first === second ? 0 : bits | others;
  }

  /** The bits of a role that is not the first, and `EVERYONE`; 0 unless it is a name. */
  private bitsOfOther(role: unknown): number {
    if (!isName(role)) return 0;
    const { others } = this;
    if (others === undefined) return EVERYONE | roleBits(this.names, role);
    for (let i = 0; i < others.length; i++) {
      const other = others[i] as (typeof others)[number];
      if (other.role === role) return other.bits;
    }
    return EVERYONE;
  }
}

const SHORT = 4;

/**
 * The roles of a policy. Policies that name the same roles share a list, so that it stays in the CPU cache where each
 * decision is about another policy (bench/check.bench.ts, "Out of 10,000 policies").
 */
export function roleList(names: RoleNames, { roleLists }: SharedFacts): RoleList {
  if (names.roleGlobs.length > 0) return new RoleList(names);
  return findOrMake(roleLists, JSON.stringify([...names.roles]), () => new RoleList(names));
}

/** The value of a key; makes and adds it if there is none. */
export function findOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
