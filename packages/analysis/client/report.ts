/** What a projection decides by itself, and which rules leave the rest open: for the author of `client.yaml`. */
import { visible } from '../../../compiler/diagnostics/visible.js';
import type { Match, Module } from '../../../compiler/ir/program.js';
import type { Value } from '../../../compiler/ir/value.js';
import { type Formula, withRoles } from '../formula/formula.js';
import type { Visible } from './bounds.js';
import { placeAt } from '../program/place.js';
import type { ClientKind, ClientProjection, Open } from './project.js';
import type { ClientView } from './view.js';
import { isShownBy } from './visible.js';

/** A line for each kind, scope and action. */
export function reportProjection({ kinds, unknown }: ClientProjection, view: ClientView): readonly string[] {
  return [
    ...unknown.map(
      ({ kind, scope }) =>
        `warning: no policy of the kind \`${kind}\` is ${describePlace(scope)}: it is always conditional`,
    ),
    ...kinds.flatMap((one) => one.view.actions.map((action, index) => lineFor(one, action, index, view))),
  ].map(visible);
}

function describePlace(scope: string): string {
  return scope === '' ? 'in the scope of requests without one' : `in the scope \`${scope}\``;
}

function lineFor(kind: ClientKind, action: string, index: number, view: ClientView): string {
  const ofRoles = countCases(kind, index);
  const [allowed, denied] = (['allowed', 'denied'] as const).map((answer) => ofRoles.some((one) => one[answer] > 0));
  const says = [...(allowed ? ['allowed'] : []), ...(denied ? ['denied'] : [])];
  const isWhole = ofRoles.every((one) => one.allowed + one.denied === one.cases);
  // Not 100 % where something is open.
  const shares = ofRoles.map((one) => (one.allowed + one.denied) / one.cases);
  const share = Math.floor((100 * shares.reduce((sum, one) => sum + one, 0)) / shares.length);
  const open = isWhole ? [] : whyOpen(kind.open[index] as Open, isShownBy({ ...view, kind: kind.view }));
  const rest = open.length === 0 ? '' : `; the rest is open because of ${open.join(', ')}`;
  const place = kind.scope === '' ? '' : ` in ${kind.scope}`;
  return `${allowed ? '' : 'warning: never allowed: '}${kind.kind} ${action}${place}: ${[...says, ...(isWhole ? [] : ['conditional'])].join(', ')}; decides ${share} % of cases${rest}`;
}

interface Cases {
  allowed: number;
  denied: number;
  cases: number;
}

/** So many results of conditions are tried in all combinations; of more, a sample. */
const MOST_CASES = 2187;

/**
 * How many cases are certain for each role: combinations of results of the conditions that a client can evaluate, which
 * are true, false or fail.
 */
function countCases({ roles }: ClientKind, index: number): readonly Cases[] {
  return [...roles].map(([role, certains]) => {
    const counts: Cases = { allowed: 0, denied: 0, cases: 0 };
    const [sure, never] = [certains[index]?.sure ?? false, certains[index]?.never ?? false].map((formula) =>
      withRoles(formula, (one) => one === role),
    ) as [Formula, Formula];
    const keys = new Map<string, number>();
    for (const formula of [sure, never]) collectKeys(formula, keys);
    const all = 3 ** keys.size;
    const cases = Math.min(all, MOST_CASES);
    for (let number = 0; number < cases; number += 1) {
      const digits = all > MOST_CASES ? sampled(number, keys.size) : splitDigits(number, keys.size);
      counts.cases += 1;
      if (holds(sure, keys, digits)) counts.allowed += 1;
      else if (holds(never, keys, digits)) counts.denied += 1;
    }
    return counts;
  });
}

/** The results of conditions: 0 is true, 1 is false, 2 fails. */
function splitDigits(number: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, digit) => Math.floor(number / 3 ** digit) % 3);
}

/** The same for one case of too many: the same at each compilation. */
function sampled(number: number, count: number): readonly number[] {
  let state = number + 1;
  return Array.from({ length: count }, () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5;
    return (state >>> 0) % 3;
  });
}

function collectKeys(formula: Formula, keys: Map<string, number>): void {
  if (typeof formula === 'boolean') return;
  if (formula.kind === 'and' || formula.kind === 'or') for (const part of formula.operands) collectKeys(part, keys);
  if (formula.kind === 'not') collectKeys(formula.operand, keys);
  if (formula.kind === 'holds') {
    const { key } = condition(formula.condition);
    if (!keys.has(key)) keys.set(key, keys.size);
  }
}

function holds(formula: Formula, keys: ReadonlyMap<string, number>, digits: readonly number[]): boolean {
  if (typeof formula === 'boolean') return formula;
  switch (formula.kind) {
    case 'and':
      return formula.operands.every((part) => holds(part, keys, digits));
    case 'or':
      return formula.operands.some((part) => holds(part, keys, digits));
    case 'not':
      return !holds(formula.operand, keys, digits);
    case 'role':
      return false;
    case 'holds': {
      const { key, isNegated } = condition(formula.condition);
      return digits[keys.get(key) as number] === (isNegated ? 1 : 0);
    }
  }
}

/** A condition of a certain formula, which is one expression or its negation. */
function condition(match: Match): { readonly key: string; readonly isNegated: boolean } {
  const value = match.kind === 'expr' ? match.value : undefined;
  const isNegated = value?.kind === 'operator' && value.operator === 'not';
  const tested = isNegated ? value.operands[0] : value;
  return {
    key: JSON.stringify(tested, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part)),
    isNegated,
  };
}

/** The rules that read a secret, and what else leaves an action open. */
function whyOpen({ formulas, reasons }: Open, isVisible: Visible): readonly string[] {
  const found = new Set<string>();
  const visit = (formula: Formula): void => {
    if (typeof formula === 'boolean') return;
    if (formula.kind === 'and' || formula.kind === 'or') formula.operands.forEach(visit);
    if (formula.kind === 'not') visit(formula.operand);
    if (formula.kind === 'holds' && !isAllVisible(formula.condition, (value) => isVisible(value, formula.module)))
      found.add(describeRule(formula.condition, formula.module));
  };
  formulas.forEach(visit);
  return [...[...found].sort(), ...reasons];
}

function isAllVisible(match: Match, isVisible: (value: Value) => boolean): boolean {
  return match.kind === 'expr' ? isVisible(match.value) : match.of.every((part) => isAllVisible(part, isVisible));
}

/** The name and the place of the rule, or derived role, with a condition. */
function describeRule(match: Match, module: Module): string {
  const rules = module.kind === 'derived-roles' ? module.definitions : module.rules;
  const rule = rules.find(({ condition: own }) => own === match);
  if (rule === undefined) return module.sourcePath;
  const { file, line } = placeAt(rule.span);
  return `${rule.name} (${file}:${line})`;
}
