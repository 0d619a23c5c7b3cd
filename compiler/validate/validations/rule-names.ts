import { literalOrGlob } from '../../../runtime/policy/index.js';
import { addTo } from '../../append.js';
import type { Types } from '../../ast/checked.js';
import { nameOfPrincipalAction, nameOfResourceRule, sanitize } from '../../ast/names.js';
import type { Condition, Output, PrincipalPolicy, ResourcePolicy } from '../../ast/policy.js';
import type { PolicySet } from '../../ast/policy-set.js';
import type { Problems } from '../../diagnostics/problems.js';
import type { Place } from '../../diagnostics/span.js';
import { conditionText } from '../expressions-of.js';

/**
 * Warns about rules of one policy with the same effective name, because the name identifies them within a check
 * (docs/spec/policy-language.md#rules-that-share-a-name): a generated name that equals an explicit one, and equal
 * action names under two resources of a principal policy.
 */
export function warnOfRuleNames({ policies }: PolicySet, _types: Types, report: Problems): void {
  for (const linked of policies) {
    if (linked.kind === 'role') continue;
    const rules =
      linked.kind === 'resource' ? namesOfResourcePolicy(linked.policy) : namesOfPrincipalPolicy(linked.policy);
    for (const namesakes of groupedByName(rules)) warnOfNamesakes(namesakes, report);
  }
}

function groupedByName(rules: readonly NamedRule[]): readonly (readonly NamedRule[])[] {
  const groups = new Map<string, NamedRule[]>();
  for (const rule of rules) addTo(groups, rule.name, rule);
  return [...groups.values()].filter((group) => group.length > 1);
}

function warnOfNamesakes(rules: readonly NamedRule[], report: Problems): void {
  const earlier = new EarlierRules(rules);
  for (const rule of rules) {
    const other = earlier.firstToCollide(rule);
    if (other !== undefined) {
      const notes = [
        { message: 'the other rule is here', span: other.place.span },
        { message: 'give each of the two its own name' },
      ];
      report.add('rule/name-collides', rule.place, { name: rule.name }, { notes });
    }
    earlier.add(rule);
  }
}

interface NamedRule {
  readonly name: string;
  /** Its index among the rules of the policy. */
  readonly index: number;
  readonly place: Place;
  /** Sanitized; `*` in a resource policy. */
  readonly resource: string;
  readonly condition: string;
  readonly hasOutput: boolean;
}

type UnplacedRule = Omit<NamedRule, 'index'>;

function namesOfResourcePolicy(policy: ResourcePolicy): readonly NamedRule[] {
  return numbered(policy.rules.map((rule, index) => named(nameOfResourceRule(rule, index), '*', rule)));
}

function namesOfPrincipalPolicy(policy: PrincipalPolicy): readonly NamedRule[] {
  return numbered(
    policy.rules.flatMap((rule) =>
      rule.actions.map((action, index) =>
        named(nameOfPrincipalAction(rule, index), sanitize(rule.resource.value), action),
      ),
    ),
  );
}

function numbered(rules: readonly UnplacedRule[]): readonly NamedRule[] {
  return rules.map((rule, index) => ({ ...rule, index }));
}

interface Written {
  readonly place: Place;
  readonly condition: Condition | undefined;
  readonly output: Output | undefined;
}

function named(name: string, resource: string, { place, condition, output }: Written): UnplacedRule {
  return { name, place, resource, condition: conditionText(condition), hasOutput: output !== undefined };
}

/**
 * The rules with one name that have been visited, by resource. A policy may have thousands of them, so a lookup visits
 * only rules whose resource begins like that of the rule in question.
 */
class EarlierRules {
  private readonly literals = new Map<string, FirstRules>();
  private readonly literalsBelow = new Map<string, string[]>();
  /** Literal prefixes of each glob, with the first rules. */
  private readonly globs = new Map<string, Map<string, FirstRules>>();
  private readonly globsAt = new Map<string, FirstRules>();
  private readonly globsBelow = new Map<string, FirstRules>();
  private readonly matchers = new Map<string, (name: string) => boolean>();
  /** The lengths of the literal prefixes of globs. */
  private readonly lengths: readonly number[];

  /** @param rules all rules that will be added. */
  constructor(rules: readonly NamedRule[]) {
    const globs = rules.filter(({ resource }) => isGlob(resource));
    this.lengths = [...new Set(globs.map(({ resource }) => cutBeginning(resource).length))];
  }

  add(rule: NamedRule): void {
    const { resource } = rule;
    const beginning = cutBeginning(resource);
    if (!isGlob(resource)) {
      if (!this.literals.has(resource))
        for (const prefix of this.listPrefixes(resource)) addTo(this.literalsBelow, prefix, resource);
      findFirsts(this.literals, resource).add(rule);
      return;
    }
    const alike = this.globs.get(beginning) ?? new Map<string, FirstRules>();
    this.globs.set(beginning, alike);
    findFirsts(alike, resource).add(rule);
    findFirsts(this.globsAt, beginning).add(rule);
    for (const prefix of this.listPrefixes(beginning)) findFirsts(this.globsBelow, prefix).add(rule);
  }

  /**
   * Returns the first rule that a request can match together with this one and that differs from it in condition or
   * output.
   */
  firstToCollide(rule: NamedRule): NamedRule | undefined {
    const found = [...this.overlapping(rule.resource)].flatMap((rules) => rules.firstUnlike(rule) ?? []);
    return found.reduce<NamedRule | undefined>(
      (first, other) => (first === undefined || other.index < first.index ? other : first),
      undefined,
    );
  }

  /**
   * A literal overlaps an equal literal or a glob that matches it. Globs overlap unless their literal prefixes differ.
   */
  private *overlapping(resource: string): Generator<FirstRules> {
    const same = this.literals.get(resource);
    if (!isGlob(resource)) {
      if (same !== undefined) yield same;
      for (const prefix of this.listPrefixes(resource))
        for (const [glob, rules] of this.globs.get(prefix) ?? []) if (this.matches(glob, resource)) yield rules;
      return;
    }
    const beginning = cutBeginning(resource);
    const below = this.globsBelow.get(beginning);
    if (below !== undefined) yield below;
    for (const prefix of this.listPrefixes(beginning)) {
      const above = this.globsAt.get(prefix);
      if (above !== undefined) yield above;
    }
    for (const literal of this.literalsBelow.get(beginning) ?? [])
      if (this.matches(resource, literal)) yield this.literals.get(literal) as FirstRules;
  }

  private listPrefixes(text: string): readonly string[] {
    return this.lengths.filter((length) => length <= text.length).map((length) => text.slice(0, length));
  }

  private matches(glob: string, name: string): boolean {
    const matches = this.matchers.get(glob) ?? literalOrGlob(glob);
    this.matchers.set(glob, matches);
    return matches(name);
  }
}

/**
 * The first rule of a list, and the first that differs from it. One of the two is always the first rule of the list
 * that differs from a given rule.
 */
class FirstRules {
  private readonly rules: NamedRule[] = [];

  add(rule: NamedRule): void {
    const [first] = this.rules;
    if (first === undefined || (this.rules.length === 1 && canBeToldApart(first, rule))) this.rules.push(rule);
  }

  firstUnlike(rule: NamedRule): NamedRule | undefined {
    return this.rules.find((other) => canBeToldApart(rule, other));
  }
}

function findFirsts(groups: Map<string, FirstRules>, key: string): FirstRules {
  const rules = groups.get(key) ?? new FirstRules();
  groups.set(key, rules);
  return rules;
}

/** Rules with the same condition and no output decide and report the same, in any order of evaluation. */
function canBeToldApart(a: NamedRule, b: NamedRule): boolean {
  return a.hasOutput || b.hasOutput || a.condition !== b.condition;
}

function isGlob(resource: string): boolean {
  return resource.includes('*');
}

function cutBeginning(glob: string): string {
  return /^[^*?[\]{}\\]*/.exec(glob)?.[0] ?? '';
}
