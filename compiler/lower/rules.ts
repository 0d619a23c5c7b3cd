import type { Match, Output } from '../ir/program.js';
import type { Value } from '../ir/value.js';
import { some, valuesOf } from '../ir/visit.js';

/** Every expression of a rule: its condition's and its outputs'. */
export function valuesOfRule(rule: {
  readonly condition: Match | undefined;
  readonly output: Output | undefined;
}): readonly Value[] {
  const outputs = [rule.output?.ruleActivated, rule.output?.conditionNotMet];
  return [...valuesOf(rule.condition), ...outputs.filter((value) => value !== undefined)];
}

/** Whether an evaluation asks which derived roles are active, so that the engine must keep the list. */
export function readsRuntime(values: readonly Value[]): boolean {
  return values.some((value) =>
    some(
      value,
      (part) =>
        (part.kind === 'part' && (part.part === 'runtime' || part.part === 'request')) ||
        (part.kind === 'field' && part.of === 'runtime'),
    ),
  );
}
