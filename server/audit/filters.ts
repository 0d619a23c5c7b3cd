import type { Checked, Planned } from '../service/watcher.js';
import type { DecisionLogFilters } from '../config/audit-config.js';

/** Whether a check makes a decision entry: a check without any denial may be left out. */
export function isCheckLogged(filters: DecisionLogFilters, checked: Checked): boolean {
  if (!filters.checkResources.ignoreAllowAll) return true;
  return checked.decisions.some(({ actions }) => actions.some(({ effect }) => effect !== 1));
}

/** Whether a plan makes a decision entry. */
export function isPlanLogged(filters: DecisionLogFilters, planned: Planned): boolean {
  const { ignoreAll, ignoreAlwaysAllow } = filters.planResources;
  if (ignoreAll) return false;
  return !(ignoreAlwaysAllow && planned.plan.filter.kind === 'KIND_ALWAYS_ALLOWED');
}
