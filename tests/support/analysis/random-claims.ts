import { ready } from './program-version.js';
import type { PolicyVersion } from '../../../packages/analysis/decision/policy-version.js';
import { makeBundle } from '../../../packages/analysis/program/bundle.js';
import type { AccessRequest } from '../../../runtime/engine/index.js';
import { compile } from '../../../compiler/compile.js';
import { Source } from '../../../compiler/diagnostics/source.js';
import type { InvariantSet } from '../../../compiler/ir/invariants.js';
import type { Program } from '../../../compiler/ir/program.js';
import { fold, optimise } from '../../../compiler/optimise/index.js';
import type { Random } from '../oracle/random.js';

/** Policies and schemas as documents, by path. */
export interface RandomSet {
  readonly policies: { readonly [path: string]: object };
  readonly schemas: { readonly [path: string]: object };
}

export const KINDS = ['doc', 'memo-pad'];
export const ACTIONS = ['view', 'edit', 'create', 'create:draft', 'craete', 'zap'];
const PATTERNS = ['view', 'edit', 'create', '*', 'create*', 'create:*', 'view'];
/** What `ignoreWhen` exempts; globs without a `*`, too. */
const EXEMPT = ['create', 'create*', 'c?eate', '*:draft', '{view,edit}', '[ce]*', 'zap'];
export const ROLES = ['user', 'admin', 'guest'];
/** `alice` and `r1` are names that shown requests have by default. */
export const IDS = ['alice', 'bob', 'user1'];
export const SCOPES = ['', 'a', 'a.b'];
const CONDITIONS = [
  undefined,
  undefined,
  'R.attr.n > 3',
  'R.attr.n > 3 && R.attr.n > 2',
  'R.attr.t == "x"',
  '"x" == R.attr.t',
  'R.attr.t in ["x", "y"]',
  'P.attr.n == R.attr.n',
  'R.attr.n == P.attr.n',
  'R.attr.owner == P.id',
  'spiffeID(P.id) == R.attr.owner',
  'hierarchy(R.attr.t) == P.attr.t',
  'P.attr.t == hierarchy(R.attr.t)',
];

/** Policies of few names: scopes, versions and kinds with and without policies, exempt actions, principals with policies. */
export function randomSet(random: Random): RandomSet {
  const policies: Record<string, object> = {};
  for (const resource of random.some(KINDS, 1, 2))
    for (const version of random.some(['default', 'v2'], 1, 2))
      for (const scope of SCOPES.slice(0, 1 + random.below(SCOPES.length)))
        policies[`${resource}-${version}-${scope}.yaml`] = {
          resourcePolicy: {
            resource,
            version,
            ...(scope !== '' && { scope }),
            ...(scope === '' && random.chance(0.7) && { schemas: randomReferences(random) }),
            rules: random.times(1, 3, () => randomRule(random)),
          },
        };
  for (const principal of random.some(IDS, 0, 2))
    policies[`principal-${principal}.yaml`] = {
      principalPolicy: {
        principal,
        version: random.pick(['default', 'default', 'v2']),
        ...(random.chance(0.2) && { scope: 'p' }),
        rules: [
          {
            resource: random.pick(['doc', 'memo-pad', 'memo*', '*']),
            actions: random.times(1, 2, () => ({
              action: random.pick(PATTERNS),
              effect: randomEffect(random),
              ...randomCondition(random),
            })),
          },
        ],
      },
    };
  // A policy of a scope below the root needs those above.
  for (const path of Object.keys(policies)) if (path.startsWith('principal-')) addRootOf(policies, path);
  return { policies, schemas: { 'doc.json': randomSchema(random), 'user.json': randomSchema(random) } };
}

function addRootOf(policies: Record<string, object>, path: string): void {
  const { principalPolicy } = policies[path] as { readonly principalPolicy: { readonly scope?: string } };
  if (principalPolicy.scope === undefined) return;
  policies[`root-${path}`] = { principalPolicy: { ...principalPolicy, scope: '', rules: [] } };
}

/** One part of a set is another one. */
export function changedSet(random: Random, { policies, schemas }: RandomSet): RandomSet {
  const other = randomSet(random);
  if (random.chance(0.3)) return { policies, schemas: { ...schemas, 'doc.json': other.schemas['doc.json'] as object } };
  const paths = Object.keys(policies);
  const path = random.pick(paths);
  const policy = structuredClone(policies[path]) as { resourcePolicy?: { rules: object[]; schemas?: object } };
  const { resourcePolicy } = policy;
  if (resourcePolicy === undefined) {
    const { [path]: _, ...rest } = policies;
    return { policies: rest, schemas };
  }
  if (resourcePolicy.schemas !== undefined && random.chance(0.4)) resourcePolicy.schemas = randomReferences(random);
  else if (random.chance(0.3)) resourcePolicy.rules.push(randomRule(random));
  else {
    const at = random.below(resourcePolicy.rules.length);
    const rule = resourcePolicy.rules[at] as { condition?: object };
    const { condition: _, ...unconditional } = rule;
    resourcePolicy.rules[at] = random.chance(0.5)
      ? { ...unconditional, ...randomCondition(random) }
      : randomRule(random);
  }
  return { policies: { ...policies, [path]: policy }, schemas };
}

function randomReferences(random: Random): object {
  const reference = (file: string): object => ({
    ref: `authz:///${file}`,
    ...(random.chance(0.8) && { ignoreWhen: { actions: random.some(EXEMPT, 1, 2) } }),
  });
  return {
    ...(random.chance(0.8) && { resourceSchema: reference('doc.json') }),
    ...(random.chance(0.2) && { principalSchema: reference('user.json') }),
  };
}

function randomSchema(random: Random): object {
  return {
    type: 'object',
    properties: {
      n: random.pick([{ type: 'number' }, { type: 'integer', minimum: 2 }, { type: 'number', maximum: 5 }]),
      t: random.pick([{ type: 'string' }, { enum: ['x', 'y'] }, { enum: ['x'] }]),
    },
    ...(random.chance(0.5) && { required: random.some(['n', 't'], 1, 2) }),
    ...(random.chance(0.2) && { additionalProperties: false }),
  };
}

function randomRule(random: Random): object {
  return {
    actions: random.some(PATTERNS, 1, 2),
    effect: randomEffect(random),
    roles: random.chance(0.4) ? ['*'] : random.some(ROLES, 1, 2),
    ...randomCondition(random),
  };
}

function randomEffect(random: Random): string {
  return random.chance(0.75) ? 'EFFECT_ALLOW' : 'EFFECT_DENY';
}

function randomCondition(random: Random): { readonly condition?: object } {
  const expr = random.pick(CONDITIONS);
  return expr === undefined ? {} : { condition: { match: { expr } } };
}

/** A request with names that policies have, and others. */
export function randomAccess(random: Random): AccessRequest {
  const attr = (): { readonly [name: string]: unknown } => ({
    ...(random.chance(0.7) && { n: random.pick([1, 2, 3, 4, 5, 6, 2.5, 'x']) }),
    ...(random.chance(0.7) && { t: random.pick(['x', 'y', 'z', '', 1]) }),
    ...(random.chance(0.3) && { owner: random.pick([...IDS, 'spiffe://a/b']) }),
  });
  const scoped = (scopes: readonly string[]): { readonly scope?: string } => {
    const scope = random.pick(scopes);
    return scope === '' ? {} : { scope };
  };
  const versioned = (): { readonly policyVersion?: string } =>
    random.chance(0.6) ? {} : { policyVersion: random.pick(['default', 'v2', 'v9']) };
  return {
    principal: {
      id: random.pick([...IDS, ...IDS, 'zed', 'spiffe://a/b']),
      roles: random.some([...ROLES, 'stranger'], 1, 2),
      attr: attr(),
      ...versioned(),
      ...scoped(['', '', 'p', 'p.q', 'a']),
    },
    resource: {
      kind: random.pick([...KINDS, ...KINDS, 'memo', 'other']),
      id: 'r9',
      attr: attr(),
      ...versioned(),
      ...scoped(['', '', ...SCOPES, 'a.b.c', 'zzz']),
    },
    action: random.pick(ACTIONS),
  };
}

/** A set as analyses take it; undefined if it does not compile. */
export function compiledSet(
  { policies, schemas }: RandomSet,
  invariants?: object,
): { readonly version: PolicyVersion; readonly invariants: readonly InvariantSet[] } | undefined {
  const documents = { ...policies, ...(invariants && { 'invariants.yaml': { invariants } }) };
  const sources = Object.entries(documents).map(
    ([path, document]) => new Source(path, JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...document })),
  );
  const schemaTexts = new Map(Object.entries(schemas).map(([path, schema]) => [path, JSON.stringify(schema)]));
  const compilation = compile(sources, undefined, { schemaTexts });
  if (compilation.lowered === undefined) return undefined;
  const lowered = compilation.lowered as Program;
  const program = optimise(fold(lowered));
  const version = { source: 'policies', program, lowered, ...ready(makeBundle(program).bundle) };
  return { version, invariants: compilation.invariants };
}
