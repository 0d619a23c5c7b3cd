import type { LeaveLimits } from './leave-policies.js';
import type { LeaveQuestion } from './leave-requests.js';

/** The leave policy as a person would write it by hand, for each kind. */
export function handWritten(limits: readonly LeaveLimits[]): (question: LeaveQuestion) => boolean {
  const byKind = new Map(
    limits.map((limit) => [
      limit.kind,
      { days: limit.longestLeaveDays, countries: new Set(limit.countriesWithLocalRules) },
    ]),
  );
  return (question) => {
    const limit = byKind.get(question.resource.kind);
    return limit !== undefined && mayDo(question, limit);
  };
}

/**
 * The same as a module that has a function for each kind, with its limits in the text, as for policies that have
 * nothing in common.
 */
export function handWrittenModule(limits: readonly LeaveLimits[]): string {
  const functions = limits.map(({ kind, longestLeaveDays, countriesWithLocalRules }) => {
    const isLocal = countriesWithLocalRules.map((country) => `attr.country === '${country}'`).join(' || ');
    return `  ['${kind}', ({ principal, resource, action }) => {
    const { attr } = resource;
    const isEmployee = principal.roles.includes('employee');
    const isRequester = isEmployee && attr.owner === principal.id;
    switch (action) {
      case 'create':
        return isEmployee;
      case 'view':
        return isRequester || (isEmployee && isManager(principal, attr));
      case 'edit':
      case 'delete':
        return isRequester && attr.status === 'PENDING' && !hasStarted(attr.starts);
      case 'approve':
        return (
          isEmployee &&
          isManager(principal, attr) &&
          attr.status === 'PENDING' &&
          attr.days <= ${longestLeaveDays} &&
          !(${isLocal}) &&
          attr.disputed !== true &&
          !hasStarted(attr.starts)
        );
      default:
        return isRequester && action.startsWith('view:');
    }
  }],`;
  });
  return `const APPROVERS = new Set(['manager', 'director']);
const isManager = ({ id, attr: { title, department } }, attr) =>
  APPROVERS.has(title) && department === attr.department && attr.owner !== id;
const hasStarted = (starts) => Date.parse(starts) < Date.now();
const BY_KIND = new Map([
${functions.join('\n')}
]);
export const isAllowed = (question) => BY_KIND.get(question.resource.kind)?.(question) === true;
`;
}

interface Limit {
  readonly days: number;
  readonly countries: ReadonlySet<string>;
}

const APPROVERS: ReadonlySet<string> = new Set(['manager', 'director']);

function mayDo({ principal, resource, action }: LeaveQuestion, limit: Limit): boolean {
  const { attr } = resource;
  const isEmployee = principal.roles.includes('employee');
  const isRequester = isEmployee && attr.owner === principal.id;
  switch (action) {
    case 'create':
      return isEmployee;
    case 'view':
      return isRequester || (isEmployee && isManager(principal, attr));
    case 'edit':
    case 'delete':
      return isRequester && attr.status === 'PENDING' && !hasStarted(attr.starts);
    case 'approve':
      return (
        isEmployee &&
        isManager(principal, attr) &&
        attr.status === 'PENDING' &&
        attr.days <= limit.days &&
        !limit.countries.has(attr.country) &&
        attr.disputed !== true &&
        !hasStarted(attr.starts)
      );
    default:
      return isRequester && action.startsWith('view:');
  }
}

function isManager(
  { id, attr: { title, department } }: LeaveQuestion['principal'],
  attr: LeaveQuestion['resource']['attr'],
): boolean {
  return APPROVERS.has(title) && department === attr.department && attr.owner !== id;
}

function hasStarted(starts: string): boolean {
  return Date.parse(starts) < Date.now();
}
