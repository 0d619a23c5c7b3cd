import type { CheckRequest, PlanRequest } from '../../runtime/engine/index.js';
import type { PolicyTexts } from './leave-policies.js';

/** Something whose cost should grow with its size and not faster. */
export interface ScaleCase {
  readonly name: (size: number) => string;
  readonly size: number;
  readonly of: (size: number) => Scaled;
}

/** A case of one size. */
export interface Scaled {
  readonly texts: PolicyTexts;
  readonly check: CheckRequest;
  readonly plan: PlanRequest;
}

export const SCALE_CASES: readonly ScaleCase[] = [
  {
    name: (size) => `${size} attributes of 10 KB`,
    size: 50,
    of: (size) =>
      scaled(
        [resourcePolicy([allowIf('R.attr.exists(name, R.attr[name].contains("#"))')])],
        Object.fromEntries(numbers(size).map((number) => [`a${number}`, 'x'.repeat(10_240)])),
      ),
  },
  {
    name: (size) => `a principal with ${size} roles`,
    size: 1_000,
    of: (size) =>
      scaled(
        [
          resourcePolicy(
            numbers(10).map((number) => ({ ...allowIf(`R.attr.level == ${number}.0`), roles: [`role-${number}`] })),
          ),
        ],
        LEVEL,
        numbers(size).map((number) => `role-${number}`),
      ),
  },
  {
    name: (size) => `${size} rules`,
    size: 1_000,
    of: (size) =>
      scaled([resourcePolicy(numbers(size).map((number) => allowIf(`R.attr.level == ${number}.0`)))], LEVEL),
  },
  {
    name: (size) => `\`exists\` over ${size} elements`,
    size: 1_000,
    of: (size) =>
      scaled([resourcePolicy([allowIf('R.attr.editors.exists(editor, editor == P.id)')])], {
        editors: numbers(size).map((number) => `editor-${number}`),
      }),
  },
  {
    name: (size) => `${size} derived roles`,
    size: 100,
    of: (size) =>
      scaled(
        [
          {
            apiVersion: API_VERSION,
            derivedRoles: {
              name: 'many',
              definitions: numbers(size).map((number) => ({
                name: `derived_${number}`,
                parentRoles: ['employee'],
                condition: { match: { expr: `R.attr.level == ${number}.0` } },
              })),
            },
          },
          resourcePolicy(
            numbers(size).map((number) => ({ ...ALLOW, derivedRoles: [`derived_${number}`] })),
            { importDerivedRoles: ['many'] },
          ),
        ],
        LEVEL,
      ),
  },
  {
    name: (size) => `${size} scopes`,
    size: 20,
    of: (size) => {
      const scopes = numbers(size + 1).map((length) => numbers(length).join('.'));
      const documents = scopes.map((scope, number) =>
        resourcePolicy([allowIf(`R.attr.level == ${number}.0`)], { scope }),
      );
      return scaled(documents, LEVEL, ['employee'], scopes.at(-1));
    },
  },
];

/** The level of no rule. */
const LEVEL = { level: -1 };
const API_VERSION = 'api.authz.dev/v1';
const ALLOW = { actions: ['view'], effect: 'EFFECT_ALLOW' } as const;

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, number) => number);
}

function allowIf(expr: string): object {
  return { ...ALLOW, roles: ['employee'], condition: { match: { expr } } };
}

function resourcePolicy(rules: readonly object[], others: object = {}): object {
  return {
    apiVersion: API_VERSION,
    resourcePolicy: { resource: 'document', version: 'default', ...others, rules },
  };
}

/** No rule applies, so none spares the others. */
function scaled(
  documents: readonly object[],
  attr: { readonly [name: string]: unknown },
  roles: readonly string[] = ['employee'],
  scope = '',
): Scaled {
  const principal = { id: 'employee-1', roles };
  return {
    texts: Object.fromEntries(documents.map((document, number) => [`${number}.yaml`, JSON.stringify(document)])),
    check: {
      principal,
      resources: [{ resource: { kind: 'document', id: '1', scope, attr }, actions: ['view'] }],
    },
    plan: { principal, resource: { kind: 'document', scope }, actions: ['view'] },
  };
}
