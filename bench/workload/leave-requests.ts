import type { AccessRequest } from '../../runtime/engine/index.js';
import { COUNTRIES, type LeaveLimits } from './leave-policies.js';

/** A principal of the leave requests. */
export interface Employee {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: { readonly title: string; readonly department: string };
}

/** A request for leave. */
export interface LeaveRequest {
  readonly kind: string;
  readonly id: string;
  readonly attr: {
    readonly owner: string;
    readonly department: string;
    readonly status: string;
    readonly days: number;
    readonly country: string;
    readonly starts: string;
    readonly disputed?: boolean;
  };
}

/** One question, the same for every contestant. */
export interface LeaveQuestion extends AccessRequest {
  readonly principal: Employee;
  readonly resource: LeaveRequest;
}

/**
 * Generates this many questions about the kinds of the limits: random, but the same in every run. They pass through
 * JSON, so that their strings are not identical to those in the policies.
 */
export function leaveQuestions(count: number, limits: readonly LeaveLimits[]): readonly LeaveQuestion[] {
  const pick = picker();
  const attributes = JSON.parse(
    JSON.stringify(Array.from({ length: 1024 }, () => attributesOf(pick))),
  ) as readonly LeaveRequest['attr'][];
  const employees = JSON.parse(JSON.stringify(EMPLOYEES)) as readonly Employee[];
  const kinds = JSON.parse(JSON.stringify(limits.map(({ kind }) => kind))) as readonly string[];
  return Array.from({ length: count }, (_, index) => ({
    principal: pick(employees),
    resource: { kind: pick(kinds), id: `leave-${index}`, attr: pick(attributes) },
    action: pick(ACTIONS),
  }));
}

/** One question about each kind, in random order, likewise. */
export function questionsOfKinds(limits: readonly LeaveLimits[]): readonly LeaveQuestion[] {
  const kinds = limits.map(({ kind }) => kind);
  const random = generator();
  for (let last = kinds.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [kinds[last], kinds[other]] = [kinds[other] as string, kinds[last] as string];
  }
  const inOrder = JSON.parse(JSON.stringify(kinds)) as readonly string[];
  return leaveQuestions(kinds.length, limits).map(({ resource, ...question }, index) => ({
    ...question,
    resource: { ...resource, kind: inOrder[index] as string },
  }));
}

const DEPARTMENTS = ['design', 'sales', 'support'] as const;
const TITLES = ['manager', 'director', 'clerk', 'engineer'] as const;

/** The principals: half of them may approve leave, two are not employed. */
export const EMPLOYEES: readonly Employee[] = Array.from({ length: 16 }, (_, index) => ({
  id: `employee-${index}`,
  roles: index % 8 === 7 ? ['visitor'] : index % 4 === 3 ? ['visitor', 'employee'] : ['employee'],
  attr: {
    title: TITLES[index % TITLES.length] as string,
    department: DEPARTMENTS[index % DEPARTMENTS.length] as string,
  },
}));

const ACTIONS = ['create', 'view', 'view:history', 'edit', 'delete', 'approve', 'archive'] as const;
const STATES = ['PENDING', 'PENDING', 'APPROVED'] as const;

type Pick = <T>(values: readonly T[]) => T;

function attributesOf(pick: Pick): LeaveRequest['attr'] {
  return {
    owner: pick(EMPLOYEES).id,
    department: pick(DEPARTMENTS),
    status: pick(STATES),
    days: pick([1, 5, 12, 25, 40]),
    country: pick(COUNTRIES),
    starts: pick(['2001-04-02T08:00:00Z', '2997-04-02T08:00:00Z', '2998-10-12T08:00:00Z', '2999-12-24T08:00:00Z']),
    ...pick([{}, {}, { disputed: false }, { disputed: true }]),
  };
}

function picker(): Pick {
  const random = generator();
  return (values) => values[Math.floor(random() * values.length)] as (typeof values)[number];
}

/** A linear congruential generator: every run gets the same questions. */
function generator(): () => number {
  let state = 42;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
