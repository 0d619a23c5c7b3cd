import type { Effect, ResourceModule, Rule } from '../ir/program.js';
import { addMentions, authored, type Doc, group, hardLine, indent, join, line, mention } from './doc.js';
import { atLeast, type Fragment, primary } from './fragment.js';
import { returned } from './function-context.js';
import type { ModuleContext } from './module-context.js';
import { globDoc } from './patterns.js';
import { quote } from './quote.js';
import { ANYONE, bitsDoc, type RuleBits } from './role-bits.js';
import type { RuleNames, RuleSection } from './rule.js';

/**
 * The `decide` of a resource policy: what its rules amount to for the roles of a principal, if only the decision
 * counts. Undefined where the engine has to walk the rules: below the root and under parental consent other policies
 * decide too; a DENY to a role leaves the other roles of a principal alone; results that rules share, and active
 * derived roles, depend on what was evaluated before; and of a long table the engine looks up the part that it needs.
 * @param names the names of each rule, and `sections` their text.
 */
export function decideDoc(
  module: ResourceModule,
  names: readonly RuleNames[],
  sections: readonly RuleSection[],
  context: ModuleContext,
): Doc | undefined {
  if (!isDecided(module)) return undefined;
  const { rules, table } = module;
  const outcome = (listed: readonly number[], isNamed: boolean): Doc =>
    returned(
      allowed(
        listed.map((index) => {
          const rule = rules[index] as Rule;
          const { roles } = names[index] as RuleNames;
          const isGlob = !isNamed && !rule.actions.includes('*');
          const { holds } = sections[index] as RuleSection;
          const beginning = { ...rule.span, end: rule.span.start };
          return {
            effect: rule.effect,
            roles,
            tests: [
              ...(isGlob ? [primary([globDoc(rule.actions, context) ?? '', '(', mention('action'), ')'])] : []),
              ...holds.map((call) => primary(authored(call, beginning))),
            ],
          };
        }),
      ),
    );
  const cases = new Map<string, { readonly actions: string[]; readonly outcome: Doc }>();
  for (const { action, rules: listed } of table.actions) {
    const known = cases.get(listed.join());
    if (known === undefined) cases.set(listed.join(), { actions: [action], outcome: outcome(listed, true) });
    else known.actions.push(action);
  }
  const body = [
    ...[...cases.values()].map(({ actions, outcome }) =>
      switchCase(
        actions.map((action) => `case ${quote(action)}:`),
        outcome,
      ),
    ),
    switchCase(['default:'], outcome(table.otherActions, false)),
  ];
  const statement =
    cases.size === 0
      ? outcome(table.otherActions, false)
      : ['switch (', mention('action'), ') {', indent([hardLine, join(body, hardLine)]), hardLine, '}'];
  return [`(${parameters(statement)}) => {`, indent([hardLine, statement]), hardLine, '}'];
}

/** An unused parameter is omitted, or marked as unused if a used one follows. */
function parameters(body: Doc): string {
  const mentioned = new Set<string>();
  addMentions(body, mentioned);
  const used = PARAMETERS.map((name) => ({ name, isUsed: mentioned.has(name) }));
  return used
    .slice(0, used.findLastIndex(({ isUsed }) => isUsed) + 1)
    .map(({ name, isUsed }) => (isUsed ? name : `_${name}`))
    .join(', ');
}

const PARAMETERS = ['roles', 'action', 'request'];

function isDecided({ scope, overridesParent, readsRuntime, roles, rules, table }: ResourceModule): boolean {
  return (
    scope === '' &&
    overridesParent &&
    !readsRuntime &&
    !roles.crowded &&
    table.actions.length <= MOST_ACTIONS &&
    [...table.actions.map((entry) => entry.rules), table.otherActions].every(({ length }) => length <= MOST_RULES) &&
    rules.every(({ effect, memo, roles }) => memo === undefined && (effect === 'allow' || roles[0] === '*'))
  );
}

/** A switch compares one action after the other, and V8 optimises no function without end. */
const MOST_ACTIONS = 32;
const MOST_RULES = 32;

/** A rule that may reach an action. */
interface ListedRule {
  readonly effect: Effect;
  readonly roles: RuleBits;
  /** What has to be true for it to apply, if a role matches. */
  readonly tests: readonly Fragment[];
}

/** Whether some ALLOW holds and no DENY does. */
function allowed(listed: readonly ListedRule[]): Fragment {
  const grants = listed.filter(({ effect }) => effect === 'allow');
  const refusals = joinAny(listed.filter(({ effect }) => effect === 'deny').map(({ tests }) => joinAll(tests)));
  const granted = joinAny(
    byRoles(grants).map(([roles, rules]) =>
      joinAll([hasRole(roles), joinAny(rules.map(({ tests }) => joinAll(tests)))]),
    ),
  );
  return joinAll([granted, not(refusals)]);
}

/** Rules that apply to the same roles, under these roles. */
function byRoles(rules: readonly ListedRule[]): readonly (readonly [roles: RuleBits, rules: readonly ListedRule[]])[] {
  const groups = new Map<string, [RuleBits, ListedRule[]]>();
  for (const listed of rules) {
    const { roles } = listed;
    const key = roles.join();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [roles, [listed]]);
    else group[1].push(listed);
  }
  return [...groups.values()];
}

function hasRole(roles: RuleBits): Fragment {
  if (roles === ANYONE) return TRUE;
  const bits = bitsDoc(roles);
  const same: Doc = ['(', mention('roles'), ' & ', roles.length > 1 ? ['(', bits, ')'] : bits, ')'];
  return { doc: [same, ' !== 0'], level: 'equality' };
}

const TRUE = primary('true');
const FALSE = primary('false');

function joinAll(fragments: readonly Fragment[]): Fragment {
  if (fragments.includes(FALSE)) return FALSE;
  return (
    joined(
      fragments.filter((fragment) => fragment !== TRUE),
      'and',
    ) ?? TRUE
  );
}

function joinAny(fragments: readonly Fragment[]): Fragment {
  if (fragments.includes(TRUE)) return TRUE;
  return (
    joined(
      fragments.filter((fragment) => fragment !== FALSE),
      'or',
    ) ?? FALSE
  );
}

function joined(fragments: readonly Fragment[], level: 'and' | 'or'): Fragment | undefined {
  const [first] = fragments;
  if (first === undefined || fragments.length === 1) return first;
  const docs = fragments.map((fragment) => (fragment.level === level ? fragment.doc : atLeast('equality', fragment)));
  return { doc: group(join(docs, [level === 'and' ? ' &&' : ' ||', line])), level };
}

function not(fragment: Fragment): Fragment {
  if (fragment === TRUE) return FALSE;
  if (fragment === FALSE) return TRUE;
  return { doc: ['!', atLeast('unary', fragment)], level: 'unary' };
}

function switchCase(labels: readonly string[], outcome: Doc): Doc {
  return [join(labels, hardLine), indent([hardLine, outcome])];
}
