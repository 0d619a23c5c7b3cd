import { literalOrGlob } from '#runtime/policy';
import type { Types } from '../../ast/checked.js';
import { nameOfPrincipalAction, nameOfResourceRule, sanitize } from '../../ast/names.js';
import type { Condition, Output, PrincipalPolicy, ResourcePolicy } from '../../ast/policy.js';
import type { PolicySet } from '../../ast/policy-set.js';
import type { Problems } from '../../diagnostics/problems.js';
import type { Place } from '../../diagnostics/span.js';
import { conditionText } from '../expressions-of.js';

/**
 * Warns of rules of one policy whose names come out equal, for the name is their identity within a check
 * (docs/spec/policy-language.md#rules-that-share-a-name): one of a generated name beside one called so, and equal names
 * of actions under two resources of a principal policy.
 */
export function warnOfRuleNames({ policies }: PolicySet, _types: Types, report: Problems): void {
  for (const linked of policies) {
    if (linked.kind === 'role') continue;
    const rules =
      linked.kind === 'resource' ? namesOfResourcePolicy(linked.policy) : namesOfPrincipalPolicy(linked.policy);
    const byName = new Map<string, NamedRule[]>();
    for (const rule of rules) {
      const same = byName.get(rule.name) ?? [];
      const other = same.find((candidate) => collide(rule, candidate));
      if (other !== undefined) {
        const notes = [
          { message: 'the other rule is here', span: other.place.span },
          { message: 'give each of the two a name of its own' },
        ];
        report.add('rule/name-collides', rule.place, { name: rule.name }, { notes });
      }
      same.push(rule);
      byName.set(rule.name, same);
    }
  }
}

interface NamedRule {
  readonly name: string;
  readonly place: Place;
  /** Sanitised; `*` in a resource policy. */
  readonly resource: string;
  readonly condition: Condition | undefined;
  readonly hasOutput: boolean;
}

function namesOfResourcePolicy(policy: ResourcePolicy): readonly NamedRule[] {
  return policy.rules.map((rule, index) => named(nameOfResourceRule(rule, index), '*', rule));
}

function namesOfPrincipalPolicy(policy: PrincipalPolicy): readonly NamedRule[] {
  return policy.rules.flatMap((rule) =>
    rule.actions.map((action, index) =>
      named(nameOfPrincipalAction(rule, index), sanitize(rule.resource.value), action),
    ),
  );
}

interface Written {
  readonly place: Place;
  readonly condition: Condition | undefined;
  readonly output: Output | undefined;
}

function named(name: string, resource: string, { place, condition, output }: Written): NamedRule {
  return { name, place, resource, condition, hasOutput: output !== undefined };
}

/** Nobody can tell two rules apart, whatever their names, that have the same condition and no output. */
function collide(a: NamedRule, b: NamedRule): boolean {
  const matter = a.hasOutput || b.hasOutput || conditionText(a.condition) !== conditionText(b.condition);
  return matter && overlap(a.resource, b.resource);
}

/**
 * Whether a kind surely matches both. Of two globs that begin differently none does; of others it is taken for granted.
 */
function overlap(a: string, b: string): boolean {
  if (!a.includes('*')) return literalOrGlob(b)(a);
  if (!b.includes('*')) return literalOrGlob(a)(b);
  const [short, long] = [beginningOf(a), beginningOf(b)].sort((x, y) => x.length - y.length) as [string, string];
  return long.startsWith(short);
}

function beginningOf(glob: string): string {
  return /^[^*?[\]{}\\]*/.exec(glob)?.[0] ?? '';
}
