import { anyOf, glob, type Matcher } from '../../runtime/policy/index.js';
import type { Types } from '../ast/checked.js';
import { scopedKey } from '../ast/names.js';
import type { LinkedDerivedRole, LinkedResourcePolicy, PolicySet } from '../ast/policy-set.js';
import type { ResourceRule, SchemaReference } from '../ast/policy.js';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import { onceByCause } from '../diagnostics/problems.js';
import type { SchemaSet } from '../ir/schema.js';
import { common, type Facts, factsWhenMatch, NO_FACTS } from './facts.js';
import { both, type JsonType, ofKinds, OPEN } from './json-type.js';
import { Judge, type Sight, makeView } from './judge.js';
import { AttributeReport } from './report.js';
import { SchemaReader } from './schema-reader.js';
import type { Roots, View } from './scope.js';

/** Options of `attributes`. */
export interface AttributeOptions {
  /** Whether its warnings are errors, and attributes that may be missing are reported as well. */
  readonly strictTypes: boolean;
}

/**
 * Infers the types of attributes in the conditions, outputs and variables of resource policies from the JSON schemas
 * that the policy at the root scope names (docs/spec/policy-language.md#which-schemas-apply), and reports attributes
 * that these do not contain and comparisons that can never succeed. The policies are valid.
 */
export function attributes(
  policies: PolicySet,
  types: Types,
  schemas: SchemaSet,
  { strictTypes }: AttributeOptions,
  report: Diagnostics,
): void {
  const resourcePolicies = policies.policies.filter((linked) => linked.kind === 'resource');
  const atRoot = new Map(resourcePolicies.map((linked) => [linked.key, linked]));
  const sight: Sight = { types, reader: new SchemaReader(schemas), isStrict: strictTypes };
  onceByCause(report, (problems) => {
    const said = new AttributeReport(problems, strictTypes ? 'error' : 'warning');
    for (const linked of resourcePolicies) {
      const { resource, version } = linked.policy;
      const root = atRoot.get(scopedKey('resource', resource.value, version.value, ''));
      if (root?.policy.schemas === undefined) continue;
      said.enter(root.key);
      judgePolicy(linked, rootsBy(root, schemas, sight.reader), sight, said);
    }
  });
}

/** The attributes of requests for actions, according to the schemas that apply to one of them. */
type RootsOf = (rule: ResourceRule) => Roots;

function rootsBy({ policy }: LinkedResourcePolicy, schemas: SchemaSet, reader: SchemaReader): RootsOf {
  const typed = (reference: SchemaReference | undefined): ((rule: ResourceRule) => JsonType | undefined) => {
    const at = reference && schemas.entries.get(reference.ref.value);
    if (reference === undefined || at === undefined || 'reason' in at) return () => undefined;
    const schema = reader.readType([{ kind: 'definition', at }]);
    const type = (schema && both(schema, ofKinds('map'))) ?? OPEN;
    const isIgnored = ignoredBy(reference);
    return ({ actions }) => (actions.every(({ value }) => isIgnored(value)) ? undefined : type);
  };
  const resource = typed(policy.schemas?.resource);
  const principal = typed(policy.schemas?.principal);
  return (rule) => ({ resource: resource(rule), principal: principal(rule) });
}

function judgePolicy(linked: LinkedResourcePolicy, rootsOf: RootsOf, sight: Sight, report: AttributeReport): void {
  const judges = new Judges(sight, report);
  for (const rule of linked.policy.rules) {
    const roots = rootsOf(rule);
    if (roots.resource === undefined && roots.principal === undefined) continue;
    const roles = rule.derivedRoles.flatMap(({ value }) => linked.derivedRoles.get(value) ?? []);
    for (const role of roles) {
      if (role.definition.condition !== undefined)
        judges.of(roots, role).judge.condition(role.definition.condition.match, NO_FACTS);
    }
    const facts =
      sight.isStrict && rule.roles.length === 0
        ? common(roles.map((role) => factsOfRole(role, judges.of(roots, role).view)))
        : NO_FACTS;
    const { judge } = judges.of(roots, linked);
    if (rule.condition !== undefined) judge.condition(rule.condition.match, facts);
    if (rule.output !== undefined) judge.output(rule.output, rule.condition?.match, facts);
  }
}

/** The paths that are present if a derived role is active. */
function factsOfRole({ definition: { condition } }: LinkedDerivedRole, view: View): Facts {
  return condition === undefined ? NO_FACTS : factsWhenMatch(condition.match, true, view);
}

interface Judged {
  readonly judge: Judge;
  readonly view: View;
}

/** The judges of one policy: one for each of its documents and for each combination of schemas that apply. */
class Judges {
  private readonly known = new Map<LinkedResourcePolicy['bindings'], Map<string, Judged>>();

  constructor(
    private readonly sight: Sight,
    private readonly report: AttributeReport,
  ) {}

  of(roots: Roots, { bindings }: Pick<LinkedResourcePolicy, 'bindings'>): Judged {
    const byRoots = this.known.get(bindings) ?? new Map<string, Judged>();
    this.known.set(bindings, byRoots);
    const key = `${roots.resource !== undefined}/${roots.principal !== undefined}`;
    const known = byRoots.get(key);
    if (known !== undefined) return known;
    const view = makeView(roots, bindings, this.sight);
    const judged = { view, judge: new Judge(view, this.report, this.sight.isStrict) };
    byRoots.set(key, judged);
    return judged;
  }
}

/**
 * Whether a schema does not apply to an action of a rule (`ignoreWhen`,
 * docs/spec/policy-language.md#which-schemas-apply). The action may be a glob: it counts as ignored if its text
 * matches, because such a pattern hardly matches other actions, and nothing is reported for actions that may be exempt.
 */
function ignoredBy({ ignoredActions }: SchemaReference): Matcher {
  return anyOf(ignoredActions.map(({ value }) => glob(value)));
}
