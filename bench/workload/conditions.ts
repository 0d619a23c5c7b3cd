import type { Request } from '../../runtime/policy/index.js';

/** A condition as policies have them: its CEL source and the equivalent TypeScript. */
export interface TypicalCondition {
  readonly name: string;
  readonly expr: string;
  /** Where the policy uses variables: the same condition without them. */
  readonly withoutVariables?: string;
  readonly byHand: (request: Request) => boolean;
}

/** Variables of the policy. */
export const VARIABLES = { total: 'R.attr.price * R.attr.count', created: 'timestamp(R.attr.createdAt)' } as const;

/** The TypeScript is written carefully: an attribute of the wrong type never decides. */
export const CONDITIONS: readonly TypicalCondition[] = [
  {
    name: 'owner',
    expr: 'R.attr.owner == P.id',
    byHand: ({ principal: P, resource: R }) => R.attr.owner === P.id,
  },
  {
    name: 'one of three',
    expr: 'R.attr.status in ["PENDING", "DRAFT", "REVIEW"]',
    byHand: ({ resource: R }) => R.attr.status === 'PENDING' || R.attr.status === 'DRAFT' || R.attr.status === 'REVIEW',
  },
  {
    name: 'member of a team',
    expr: 'P.attr.team in R.attr.teams',
    byHand: ({ principal: P, resource: R }) => Array.isArray(R.attr.teams) && R.attr.teams.includes(P.attr.team),
  },
  {
    name: 'amount and currency',
    expr: 'R.attr.amount < 1000 && R.attr.currency == "EUR"',
    byHand: ({ resource: R }) => typeof R.attr.amount === 'number' && R.attr.amount < 1000 && R.attr.currency === 'EUR',
  },
  {
    name: 'and, or, not',
    expr: '(R.attr.public == true || R.attr.owner == P.id) && !(R.attr.status == "LOCKED")',
    byHand: ({ principal: P, resource: R }) =>
      (R.attr.public === true || R.attr.owner === P.id) && R.attr.status !== undefined && R.attr.status !== 'LOCKED',
  },
  {
    name: 'string prefix',
    expr: 'R.attr.path.startsWith("/home/") && !R.attr.path.contains("..")',
    byHand: ({ resource: R }) =>
      typeof R.attr.path === 'string' && R.attr.path.startsWith('/home/') && !R.attr.path.includes('..'),
  },
  {
    name: 'pattern',
    expr: String.raw`R.attr.email.matches("^[a-z.]+@example\\.com$")`,
    byHand: ({ resource: R }) => typeof R.attr.email === 'string' && /^[a-z.]+@example\.com$/u.test(R.attr.email),
  },
  {
    name: 'some approver',
    expr: 'R.attr.approvers.exists(a, a.id == P.id && a.level > 2)',
    byHand: ({ principal: P, resource: R }) =>
      Array.isArray(R.attr.approvers) &&
      R.attr.approvers.some((a: Approver | undefined) => a?.id === P.id && typeof a.level === 'number' && a.level > 2),
  },
  {
    name: 'has, and equal',
    expr: 'has(R.attr.region) && R.attr.region == P.attr.region',
    byHand: ({ principal: P, resource: R }) => R.attr.region !== undefined && R.attr.region === P.attr.region,
  },
  {
    name: 'variable, twice',
    expr: 'V.total > 100.0 && V.total < 5000.0',
    withoutVariables: 'R.attr.price * R.attr.count > 100.0 && R.attr.price * R.attr.count < 5000.0',
    byHand: ({ resource: R }) => {
      if (typeof R.attr.price !== 'number' || typeof R.attr.count !== 'number') return false;
      const total = R.attr.price * R.attr.count;
      return total > 100 && total < 5000;
    },
  },
  {
    name: 'instant',
    expr: 'V.created > timestamp("2024-03-01T00:00:00Z") && V.created < timestamp("2024-09-01T00:00:00Z")',
    withoutVariables:
      'timestamp(R.attr.createdAt) > timestamp("2024-03-01T00:00:00Z") && timestamp(R.attr.createdAt) < timestamp("2024-09-01T00:00:00Z")',
    byHand: ({ resource: R }) => {
      const created = Date.parse(R.attr.createdAt);
      return created > MARCH && created < SEPTEMBER;
    },
  },
  {
    name: 'address range',
    expr: 'P.attr.ip.inIPAddrRange("10.0.0.0/8")',
    byHand: ({ principal: P }) => isInTen(P.attr.ip),
  },
];

/** Requests in which every attribute is present. About half of the conditions hold for each. */
export function conditionRequests(count: number): readonly Request[] {
  return Array.from({ length: count }, (_, i) => {
    const one = <T>(items: readonly T[], step: number): T => items[Math.floor(i / step) % items.length] as T;
    return {
      principal: {
        id: one(['alice', 'bob', 'carol'], 1),
        roles: ['user'],
        attr: {
          team: one(['red', 'green', 'blue'], 2),
          region: one(['eu', 'us'], 3),
          ip: one(['10.1.2.3', '192.168.7.1', '10.200.0.17', '172.16.0.9'], 1),
        },
        policyVersion: '',
        scope: '',
      },
      resource: {
        kind: 'order',
        id: `order-${i}`,
        attr: {
          owner: one(['bob', 'alice'], 2),
          status: one(['PENDING', 'LOCKED', 'REVIEW', 'CLOSED'], 1),
          teams: one([['red', 'blue'], ['green'], ['blue', 'green', 'white']], 1),
          amount: (i * 37) % 2000,
          currency: one(['EUR', 'EUR', 'USD'], 1),
          public: one([true, false, false], 1),
          path: one([`/home/${i}/x`, '/etc/passwd', '/home/../etc'], 1),
          email: one([`a.b@example.com`, 'someone@elsewhere.org'], 1),
          approvers: [
            { id: 'dave', level: 5 },
            { id: one(['alice', 'bob'], 1), level: 1 + (i % 4) },
            { id: 'erin', level: 1 },
          ],
          region: one(['eu', 'us', 'ap'], 1),
          price: 12.5 * (i % 40),
          count: i % 23,
          createdAt: one(['2024-01-15T08:00:00Z', '2024-06-01T12:30:00Z', '2024-11-30T23:59:59Z'], 1),
        },
        policyVersion: '',
        scope: '',
      },
      auxData: { jwt: {}, jwts: {} },
      effectiveDerivedRoles: [],
      failedDerivedRoles: [],
      globals: {},
      now: { seconds: 1_717_243_200, nanos: 0, offset: 0 },
    };
  });
}

/** Whether an address is in 10.0.0.0/8, with the checks that an address needs. */
export function isInTen(address: unknown): boolean {
  if (typeof address !== 'string') return false;
  const parts = address.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256))
    return false;
  return parts[0] === '10';
}

interface Approver {
  readonly id: unknown;
  readonly level: unknown;
}

const MARCH = Date.parse('2024-03-01T00:00:00Z');
const SEPTEMBER = Date.parse('2024-09-01T00:00:00Z');
