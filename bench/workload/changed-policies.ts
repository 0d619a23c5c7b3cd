import { type PolicyTexts, tenRulePolicies } from './leave-policies.js';

/** What changes in policies of ten rules, as rows of results are called. */
export const CHANGES: { readonly [change: string]: (texts: PolicyTexts) => PolicyTexts } = {
  'nothing changed': (texts) => texts,
  'one policy widened': (texts) => rewritten(texts, WIDENED, (path) => path.endsWith('_00000.yaml')),
  'all widened': (texts) => rewritten(texts, WIDENED),
  'all rewritten, same meaning': (texts) => rewritten(texts, REWRITTEN),
  'all rewritten, proved by z3': (texts) => rewritten(texts, NEGATED),
};

/** 100 policies of ten rules, before and after a change. */
export function changedPolicies(change: string): readonly [PolicyTexts, PolicyTexts] {
  const old = tenRulePolicies(100);
  const changed = CHANGES[change];
  if (changed === undefined) throw new Error(`no change is called ${change}`);
  return [old, changed(old)];
}

/** Texts, and what stands there afterwards. */
type Rewriting = readonly (readonly [string, string])[];

/** More requests are pending. */
const WIDENED: Rewriting = [['R.attr.status == "PENDING"', 'R.attr.status in ["PENDING", "DRAFT"]']];

/** A comparison with a missing attribute fails, as `has` does. */
const REWRITTEN: Rewriting = ['disputed', 'sealed'].map((name) => [
  `has(R.attr.${name}) && R.attr.${name} == true`,
  `R.attr.${name} == true`,
]);

/** Orders of numbers are not known to decision diagrams. */
const NEGATED: Rewriting = [['R.attr.days <= C.longest_leave_days', '"!(R.attr.days > C.longest_leave_days)"']];

function rewritten(
  texts: PolicyTexts,
  rewriting: Rewriting,
  isChanged: (path: string) => boolean = () => true,
): PolicyTexts {
  return Object.fromEntries(
    Object.entries(texts).map(([path, text]) => [
      path,
      isChanged(path) ? rewriting.reduce((result, [from, to]) => result.replaceAll(from, to), text) : text,
    ]),
  );
}
