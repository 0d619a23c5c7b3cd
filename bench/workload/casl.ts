import { createMongoAbility, type MongoAbility, type RawRuleOf, subject } from '@casl/ability';
import type { LeaveLimits } from './leave-policies.js';
import { EMPLOYEES, type Employee, type LeaveQuestion } from './leave-requests.js';

/**
 * The leave policy in CASL, evaluated by the number of a question. All abilities and typed resources are built
 * beforehand, as CASL's users do at login and when they load an entity.
 */
export function caslAbilities(
  limits: readonly LeaveLimits[],
  questions: readonly LeaveQuestion[],
): (index: number) => boolean {
  const abilities = new Map(EMPLOYEES.map((employee) => [employee.id, createMongoAbility(rulesFor(employee, limits))]));
  const resources = questions.map(({ resource: { kind, attr } }) => subject(kind, { ...attr }));
  const actions = questions.map(({ action }) => (action.startsWith('view:') ? 'view-part' : action));
  return (index) => {
    const ability = abilities.get((questions[index] as LeaveQuestion).principal.id);
    return ability?.can(actions[index] as string, resources[index] as (typeof resources)[number]) === true;
  };
}

function rulesFor(employee: Employee, limits: readonly LeaveLimits[]): RawRuleOf<MongoAbility>[] {
  if (!employee.roles.includes('employee')) return [];
  return limits.flatMap((limit) => [
    ...ownRules(employee, limit),
    ...managersRules(employee, limit),
    hasStarted(limit),
  ]);
}

function ownRules({ id }: Employee, { kind }: LeaveLimits): RawRuleOf<MongoAbility>[] {
  return [
    { action: 'create', subject: kind },
    { action: ['view', 'view-part'], subject: kind, conditions: { owner: id } },
    { action: ['edit', 'delete'], subject: kind, conditions: { owner: id, status: 'PENDING' } },
  ];
}

function managersRules({ id, attr: { title, department } }: Employee, limit: LeaveLimits): RawRuleOf<MongoAbility>[] {
  if (title !== 'manager' && title !== 'director') return [];
  const { kind, longestLeaveDays, countriesWithLocalRules } = limit;
  const conditions = { department, owner: { $ne: id } };
  const granted = {
    status: 'PENDING',
    days: { $lte: longestLeaveDays },
    country: { $nin: countriesWithLocalRules },
    disputed: { $ne: true },
  };
  return [
    { action: 'view', subject: kind, conditions },
    { action: 'approve', subject: kind, conditions: { ...conditions, ...granted } },
  ];
}

/** RFC 3339 strings in UTC sort like the instants they stand for. */
function hasStarted({ kind }: LeaveLimits): RawRuleOf<MongoAbility> {
  return {
    action: ['edit', 'delete', 'approve'],
    subject: kind,
    inverted: true,
    conditions: { starts: { $lt: new Date().toISOString() } },
  };
}
