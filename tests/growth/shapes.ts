import { shards } from '../../compiler/bundle/shards.js';
import { compile } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { formatList, formatPretty } from '../../compiler/diagnostics/format.js';
import { toReport } from '../../compiler/diagnostics/json.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { emitTypes } from '../../compiler/emit/types.js';

/** What is compiled: documents by path, as objects or as texts. */
export interface Input {
  readonly policies: Record<string, unknown>;
  readonly schemas?: Record<string, unknown>;
  readonly strictTypes?: boolean;
}

/** Inputs of one shape in any size. */
export interface Shape {
  readonly n: number;
  readonly of: (n: number) => Input;
}

const V = 'api.authz.dev/v1';
const range = <T>(n: number, f: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => f(i));
const object = <T>(n: number, f: (i: number) => readonly [string, T]): Record<string, T> =>
  Object.fromEntries(range(n, f));
const when = (expr: string) => ({ match: { expr } });
const allow = (actions: readonly string[], roles: readonly string[] = ['user'], more: object = {}) => ({
  actions,
  effect: 'EFFECT_ALLOW',
  ...(roles.length ? { roles } : {}),
  ...more,
});
const resource = (rules: readonly object[], more: object = {}) => ({
  apiVersion: V,
  resourcePolicy: { resource: 'album', version: 'default', rules, ...more },
});
const principal = (rules: readonly object[], more: object = {}) => ({
  apiVersion: V,
  principalPolicy: { principal: 'ann', version: 'default', rules, ...more },
});
const role = (rules: readonly object[], more: object = {}) => ({
  apiVersion: V,
  rolePolicy: { role: 'intern', rules, parentRoles: ['user'], ...more },
});
const roleSet = (name: string, definitions: readonly object[], more: object = {}) => ({
  apiVersion: V,
  derivedRoles: { name, definitions, ...more },
});
const one = (policy: unknown, more: Omit<Input, 'policies'> = {}): Input => ({
  policies: { 'p.yaml': policy },
  ...more,
});
const files = (n: number, f: (i: number) => unknown, rest: Record<string, unknown> = {}): Input => ({
  policies: { ...rest, ...object(n, (i) => [`p${i}.yaml`, f(i)]) },
});
const view = [allow(['view'])];
/** An action whose name others have, with a condition that none of them has. */
const conditional = (i: number) => ({
  name: 'may',
  action: 'view',
  effect: 'EFFECT_ALLOW',
  condition: when(`R.attr.a == ${i}`),
});
const expr = (text: string, more: object = {}) =>
  one(resource([allow(['view'], ['user'], { condition: when(text) })], more));
const raw = (text: string): Input => ({ policies: { 'p.yaml': text } });
const HEAD = 'apiVersion: api.authz.dev/v1\n';
const KIND = 'resourcePolicy:\n  resource: a\n  version: "1"\n';
const POLICY = `${HEAD}${KIND}`;
const EFFECT = '    effect: EFFECT_ALLOW\n';
const ACTIONS = '  - actions: [a]\n';
const CONSTANTS = '  constants:\n    local:\n';

const mistaken = (of: Shape['of']): Shape => ({ n: 1000, of });
const definitions = (n: number, f: (i: number) => string, name = (i: number): string => `v${i}`): Input =>
  one(resource(view, { variables: { local: object(n, (i) => [name(i), f(i)]) } }));
const rolesOfOneRule = (n: number, defined: (i: number) => string, named: (i: number) => string): Input => ({
  policies: {
    'r.yaml': roleSet(
      's',
      range(n, (i) => ({ name: defined(i), parentRoles: ['user'] })),
    ),
    'p.yaml': resource([allow(['view'], [], { derivedRoles: range(n, named) })], { importDerivedRoles: ['s'] }),
  },
});
const withSchema = (schema: object, expressions: readonly string[]): Input =>
  one(
    resource(
      [
        allow(['view'], ['user'], {
          condition: { match: { any: { of: expressions.map((text) => ({ expr: text })) } } },
        }),
      ],
      {
        schemas: { resourceSchema: { ref: 'authz:///s.json' } },
      },
    ),
    { schemas: { 's.json': schema } },
  );

/** Inputs by what there is much of, with the smaller of two sizes. */
export const SHAPES: Record<string, Shape> = {
  'actions of a rule': { n: 150, of: (n) => one(resource([allow(range(n, (i) => `a${i}`))])) },
  'rules with an action each': { n: 50, of: (n) => one(resource(range(n, (i) => allow([`a${i}`])))) },
  'rules with a condition each': {
    n: 50,
    of: (n) => one(resource(range(n, (i) => allow(['view'], ['user'], { condition: when(`R.attr.a${i} == ${i}`) })))),
  },
  'rules of one condition': {
    n: 50,
    of: (n) => one(resource(range(n, (i) => allow([`a${i}`], ['user'], { condition: when(`R.attr.a == 1`) })))),
  },
  'rules with an output each': {
    n: 50,
    of: (n) =>
      one(
        resource(
          range(n, (i) => allow(['view'], ['user'], { name: `r${i}`, output: { when: { ruleActivated: `"x${i}"` } } })),
        ),
      ),
  },
  'equal rules': { n: 50, of: (n) => one(resource(range(n, () => allow(['view'])))) },
  'roles of a rule': {
    n: 150,
    of: (n) =>
      one(
        resource([
          allow(
            ['view'],
            range(n, (i) => `r${i}`),
          ),
        ]),
      ),
  },
  'rules with a role each': { n: 50, of: (n) => one(resource(range(n, (i) => allow(['view'], [`r${i}`])))) },
  'rules with a glob action each': { n: 50, of: (n) => one(resource(range(n, (i) => allow([`a${i}:*`])))) },
  'glob actions and actions': {
    n: 50,
    of: (n) => one(resource([...range(n, (i) => allow([`a${i}:*`])), ...range(n, (i) => allow([`a${i}:x`]))])),
  },
  'glob roles of rules': { n: 50, of: (n) => one(resource(range(n, (i) => allow(['view'], [`r${i}:*`])))) },
  'derived roles of a set': {
    n: 50,
    of: (n) => ({
      policies: {
        'r.yaml': roleSet(
          's',
          range(n, (i) => ({ name: `d${i}`, parentRoles: ['user'], condition: when(`R.attr.a${i} == 1`) })),
        ),
        'p.yaml': resource(
          range(n, (i) => allow(['view'], [], { derivedRoles: [`d${i}`] })),
          { importDerivedRoles: ['s'] },
        ),
      },
    }),
  },
  'derived roles of one rule': {
    n: 50,
    of: (n) => ({
      policies: {
        'r.yaml': roleSet(
          's',
          range(n, (i) => ({ name: `d${i}`, parentRoles: ['user'] })),
        ),
        'p.yaml': resource([allow(['view'], [], { derivedRoles: range(n, (i) => `d${i}`) })], {
          importDerivedRoles: ['s'],
        }),
      },
    }),
  },
  'sets of derived roles': {
    n: 30,
    of: (n) =>
      files(n, (i) => roleSet(`s${i}`, [{ name: `d${i}`, parentRoles: ['user'] }]), {
        'p.yaml': resource([allow(['view'], [], { derivedRoles: range(n, (i) => `d${i}`) })], {
          importDerivedRoles: range(n, (i) => `s${i}`),
        }),
      }),
  },
  'policies that import one set': {
    n: 30,
    of: (n) =>
      files(
        n,
        (i) =>
          resource([allow(['view'], [], { derivedRoles: ['d0'] })], { resource: `k${i}`, importDerivedRoles: ['s'] }),
        {
          'r.yaml': roleSet('s', [{ name: 'd0', parentRoles: ['user'] }]),
        },
      ),
  },
  'policies that import a set of many roles': {
    n: 20,
    of: (n) =>
      files(
        n,
        (i) =>
          resource([allow(['view'], [], { derivedRoles: ['d0'] })], { resource: `k${i}`, importDerivedRoles: ['s'] }),
        {
          'r.yaml': roleSet(
            's',
            range(n, (i) => ({ name: `d${i}`, parentRoles: ['user'], condition: when(`R.attr.a${i} == 1`) })),
          ),
        },
      ),
  },
  'derived roles and variables of a set': {
    n: 30,
    of: (n) => ({
      policies: {
        'r.yaml': roleSet(
          's',
          range(n, (i) => ({ name: `d${i}`, parentRoles: ['user'], condition: when(`V.v${i}`) })),
          { variables: { local: object(n, (i) => [`v${i}`, `R.attr.a${i} == 1`]) } },
        ),
        'p.yaml': resource(
          range(n, (i) => allow(['view'], [], { derivedRoles: [`d${i}`] })),
          { importDerivedRoles: ['s'] },
        ),
      },
    }),
  },
  'variables of a principal policy': {
    n: 30,
    of: (n) =>
      one(
        principal(
          range(n, (i) => ({
            resource: `k${i}`,
            actions: [{ action: 'view', effect: 'EFFECT_ALLOW', condition: when(`V.v${i}`) }],
          })),
          { variables: { local: object(n, (i) => [`v${i}`, `R.attr.a${i} == 1`]) } },
        ),
      ),
  },
  'variables of a role policy': {
    n: 30,
    of: (n) => ({
      policies: {
        'p.yaml': resource(view),
        'r.yaml': role(
          range(n, (i) => ({ resource: 'album', allowActions: [`a${i}`], condition: when(`V.v${i}`) })),
          { variables: { local: object(n, (i) => [`v${i}`, `R.attr.a${i} == 1`]) } },
        ),
      },
    }),
  },
  'policies with rules of many actions and roles': {
    n: 15,
    of: (n) =>
      one(
        resource([
          allow(
            range(n, (i) => `a${i}`),
            range(n, (i) => `r${i}`),
          ),
          { actions: ['*'], effect: 'EFFECT_DENY', roles: ['*'] },
        ]),
      ),
  },
  'conditional rules beside one without condition': {
    n: 30,
    of: (n) =>
      one(
        resource([
          ...range(n, (i) => allow(['view'], ['user'], { condition: when(`R.attr.a${i} == 1`) })),
          allow(['view']),
        ]),
      ),
  },
  'rules under denies': {
    n: 30,
    of: (n) =>
      one(
        resource([
          ...range(n, (i) => allow([`a${i}`])),
          ...range(n, (i) => ({ actions: [`a${i}`], effect: 'EFFECT_DENY', roles: ['user'] })),
        ]),
      ),
  },
  'roles and glob roles of rules': {
    n: 50,
    of: (n) =>
      one(
        resource([...range(n, (i) => allow(['view'], [`r${i}:*`])), ...range(n, (i) => allow(['view'], [`r${i}:x`]))]),
      ),
  },
  'parent roles of a derived role': {
    n: 100,
    of: (n) => ({
      policies: {
        'r.yaml': roleSet('s', [{ name: 'd', parentRoles: range(n, (i) => `p${i}`) }]),
        'p.yaml': resource([allow(['view'], [], { derivedRoles: ['d'] })], { importDerivedRoles: ['s'] }),
      },
    }),
  },
  'resource policies': { n: 30, of: (n) => files(n, (i) => resource(view, { resource: `k${i}` })) },
  versions: { n: 30, of: (n) => files(n, (i) => resource(view, { version: `v${i}` })) },
  scopes: { n: 30, of: (n) => files(n, (i) => resource(view, { scope: `s${i}` }), { 'root.yaml': resource(view) }) },
  'scopes in a chain': {
    n: 20,
    of: (n) =>
      files(n, (i) => resource(view, { scope: range(i + 1, (j) => `s${j}`).join('.') }), {
        'root.yaml': resource(view),
      }),
  },
  'scopes without a parent': { n: 30, of: (n) => files(n, (i) => resource(view, { scope: `a.b${i}` })) },
  'scopes without parents': {
    n: 30,
    of: (n) => files(n, (i) => resource(view, { scope: `a.s${i}.x`, resource: `k${i}` })),
  },
  'scopes whose policies disagree': {
    n: 30,
    of: (n) =>
      files(n, (i) =>
        resource(view, {
          scope: 's',
          resource: `k${i}`,
          scopePermissions:
            i % 2 ? 'SCOPE_PERMISSIONS_OVERRIDE_PARENT' : 'SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS',
        }),
      ),
  },
  'too deep scopes': { n: 100, of: (n) => one(resource(view, { scope: range(n, (j) => `s${j}`).join('.') })) },
  'variables of a policy': {
    n: 50,
    of: (n) =>
      one(
        resource(
          range(n, (i) => allow(['view'], ['user'], { condition: when(`V.v${i} == 1`) })),
          { variables: { local: object(n, (i) => [`v${i}`, `R.attr.a${i}`]) } },
        ),
      ),
  },
  'variables that nobody uses': {
    n: 50,
    of: (n) => one(resource(view, { variables: { local: object(n, (i) => [`v${i}`, `R.attr.a${i}`]) } })),
  },
  'variables of unlike letters': {
    n: 50,
    of: (n) =>
      one(
        resource(
          range(n, (i) => allow(['view'], ['user'], { condition: when(`V["${'é'.repeat(1)}${i}"] == 1`) })),
          { variables: { local: object(n, (i) => [`_`.repeat(i + 1), `R.attr.a${i}`]) } },
        ),
      ),
  },
  'variables with names alike but for signs': {
    n: 30,
    of: (n) =>
      one(
        resource(
          range(n, (i) => allow(['view'], ['user'], { condition: when(`V.${'_'.repeat(i + 1)} == 1`) })),
          { variables: { local: object(n, (i) => ['_'.repeat(i + 1), `R.attr.a${i}`]) } },
        ),
      ),
  },
  'variables of one condition': {
    n: 50,
    of: (n) =>
      expr(range(n, (i) => `V.v${i} == 1`).join(' || '), {
        variables: { local: object(n, (i) => [`v${i}`, `R.attr.a${i}`]) },
      }),
  },
  'chains of variables': {
    n: 20,
    of: (n) =>
      expr(`V.v${n - 1}`, {
        variables: {
          local: object(n, (i) => [`v${i}`, i === 0 ? 'R.attr.a == 1' : `V.v${i - 1} || R.attr.b == ${i}`]),
        },
      }),
  },
  'chains of variables, whole value': {
    n: 20,
    of: (n) =>
      expr(`V.v${n - 1} == 1`, {
        variables: { local: object(n, (i) => [`v${i}`, i === 0 ? 'R.attr.a' : `V.v${i - 1} + ${i}`]) },
      }),
  },
  'too deep variables': {
    n: 250,
    of: (n) =>
      expr(`V.v${n - 1}`, {
        variables: {
          local: object(n, (i) => [`v${i}`, i === 0 ? `R.attr.a${n} == 1` : `V.v${i - 1} || R.attr.b${n} == ${i}`]),
        },
      }),
  },
  'variables twice used in a chain': {
    n: 10,
    of: (n) =>
      expr(`V.v${n - 1}`, {
        variables: {
          local: object(n, (i) => [
            `v${i}`,
            i === 0 ? 'R.attr.a == 1' : `V.v${i - 1} && V.v${i - 1} || R.attr.b == ${i}`,
          ]),
        },
      }),
  },
  'variables twice used in a chain, ternary': {
    n: 10,
    of: (n) =>
      expr(`V.v${n - 1} == 1`, {
        variables: {
          local: object(n, (i) => [`v${i}`, i === 0 ? 'R.attr.a' : `R.attr.b${i} == 1 ? V.v${i - 1} : V.v${i - 1}`]),
        },
      }),
  },
  'a cycle of variables': {
    n: 50,
    of: (n) => expr(`V.v0`, { variables: { local: object(n, (i) => [`v${i}`, `V.v${(i + 1) % n}`]) } }),
  },
  'cycles of variables': {
    n: 50,
    of: (n) => expr(`V.v0`, { variables: { local: object(n, (i) => [`v${i}`, `V.v${i}`]) } }),
  },
  'constants of a policy': {
    n: 50,
    of: (n) =>
      one(
        resource(
          range(n, (i) => allow(['view'], ['user'], { condition: when(`R.attr.x == C.c${i}`) })),
          { constants: { local: object(n, (i) => [`c${i}`, i]) } },
        ),
      ),
  },
  'lists as constants': {
    n: 50,
    of: (n) =>
      one(
        resource(
          range(n, (i) => allow(['view'], ['user'], { condition: when(`R.attr.x in C.c${i}`) })),
          { constants: { local: object(n, (i) => [`c${i}`, [i, i + 1]]) } },
        ),
      ),
  },
  'a constant that is a long list': {
    n: 150,
    of: (n) => expr('R.attr.x in C.c', { constants: { local: { c: range(n, (i) => i) } } }),
  },
  'a constant that is a large object': {
    n: 150,
    of: (n) => expr('C.c[R.attr.x] == 1', { constants: { local: { c: object(n, (i) => [`k${i}`, i]) } } }),
  },
  'exported variables': {
    n: 50,
    of: (n) => ({
      policies: {
        'v.yaml': {
          apiVersion: V,
          exportVariables: { name: 'v', definitions: object(n, (i) => [`v${i}`, `R.attr.a${i}`]) },
        },
        'p.yaml': resource(
          range(n, (i) => allow(['view'], ['user'], { condition: when(`V.v${i} == 1`) })),
          { variables: { import: ['v'] } },
        ),
      },
    }),
  },
  'sets of exported variables': {
    n: 30,
    of: (n) =>
      files(n, (i) => ({ apiVersion: V, exportVariables: { name: `x${i}`, definitions: { [`v${i}`]: 'R.attr.a' } } }), {
        'p.yaml': resource(
          [allow(['view'], ['user'], { condition: when(range(n, (i) => `V.v${i} == 1`).join(' || ')) })],
          {
            variables: { import: range(n, (i) => `x${i}`) },
          },
        ),
      }),
  },
  'policies that import many variables': {
    n: 20,
    of: (n) =>
      files(
        n,
        (i) =>
          resource([allow(['view'], ['user'], { condition: when(`V.v${i} == 1`) })], {
            resource: `k${i}`,
            variables: { import: ['v'] },
          }),
        {
          'v.yaml': {
            apiVersion: V,
            exportVariables: { name: 'v', definitions: object(n, (i) => [`v${i}`, `R.attr.a${i}`]) },
          },
        },
      ),
  },
  'policies that import many constants': {
    n: 20,
    of: (n) =>
      files(
        n,
        (i) =>
          resource([allow(['view'], ['user'], { condition: when(`C.c${i} == R.attr.a`) })], {
            resource: `k${i}`,
            constants: { import: ['c'] },
          }),
        { 'v.yaml': { apiVersion: V, exportConstants: { name: 'c', definitions: object(n, (i) => [`c${i}`, i]) } } },
      ),
  },
  'exports that nobody imports': {
    n: 30,
    of: (n) =>
      files(n, (i) => ({ apiVersion: V, exportVariables: { name: `x${i}`, definitions: { v: 'R.attr.a' } } }), {
        'p.yaml': resource(view),
      }),
  },
  'principal policies': {
    n: 30,
    of: (n) =>
      files(
        n,
        (i) =>
          principal([{ resource: 'album', actions: [{ action: 'view', effect: 'EFFECT_ALLOW' }] }], {
            principal: `p${i}`,
          }),
        {
          'p.yaml': resource(view),
        },
      ),
  },
  'actions of a principal policy': {
    n: 50,
    of: (n) =>
      one(principal([{ resource: 'album', actions: range(n, (i) => ({ action: `a${i}`, effect: 'EFFECT_ALLOW' })) }])),
  },
  'actions of one name in a principal policy': {
    n: 100,
    of: (n) => one(principal(range(n, (i) => ({ resource: `k${i}`, actions: [conditional(i)] })))),
  },
  'actions of one name under globs': {
    n: 100,
    of: (n) => one(principal(range(n, (i) => ({ resource: `k${i}:*`, actions: [conditional(i)] })))),
  },
  'actions of one name under globs and kinds': {
    n: 50,
    of: (n) =>
      one(
        principal([
          ...range(n, (i) => ({ resource: `k${i}_*`, actions: [conditional(i)] })),
          ...range(n, (i) => ({ resource: `k${i}_x`, actions: [conditional(i)] })),
        ]),
      ),
  },
  'actions of one name under globs that begin alike': {
    n: 100,
    of: (n) => one(principal(range(n, (i) => ({ resource: `*${i}`, actions: [conditional(i)] })))),
  },
  'resources of a principal policy': {
    n: 50,
    of: (n) =>
      one(principal(range(n, (i) => ({ resource: `k${i}`, actions: [{ action: 'view', effect: 'EFFECT_ALLOW' }] })))),
  },
  'glob resources of a principal policy': {
    n: 50,
    of: (n) =>
      one(principal(range(n, (i) => ({ resource: `k${i}:*`, actions: [{ action: 'view', effect: 'EFFECT_ALLOW' }] })))),
  },
  'globs and kinds of a principal policy': {
    n: 30,
    of: (n) =>
      one(
        principal([
          ...range(n, (i) => ({ resource: `k${i}_*`, actions: [{ action: 'view', effect: 'EFFECT_ALLOW' }] })),
          ...range(n, (i) => ({ resource: `k${i}_x`, actions: [{ action: 'view', effect: 'EFFECT_ALLOW' }] })),
        ]),
      ),
  },
  'globs of principals and resource policies': {
    n: 20,
    of: (n) =>
      files(n, (i) => resource(view, { resource: `k${i}` }), {
        'q.yaml': principal(
          range(n, (i) => ({ resource: `k${i}*`, actions: [{ action: 'view', effect: 'EFFECT_ALLOW' }] })),
        ),
      }),
  },
  'principals and resources': {
    n: 20,
    of: (n) => ({
      policies: {
        ...files(n, (i) => resource(view, { resource: `k${i}` })).policies,
        ...object(n, (i) => [
          `q${i}.yaml`,
          principal([{ resource: `k${i}`, actions: [{ action: 'view', effect: 'EFFECT_ALLOW' }] }], {
            principal: `p${i}`,
          }),
        ]),
      },
    }),
  },
  'role policies': {
    n: 30,
    of: (n) =>
      files(n, (i) => role([{ resource: 'album', allowActions: ['view'] }], { role: `r${i}` }), {
        'p.yaml': resource(view),
      }),
  },
  'role policies in a chain': {
    n: 30,
    of: (n) =>
      files(
        n,
        (i) => role([{ resource: 'album', allowActions: ['view'] }], { role: `r${i}`, parentRoles: [`r${i + 1}`] }),
        {
          'p.yaml': resource(view),
        },
      ),
  },
  'role policies with scopes': {
    n: 20,
    of: (n) => ({
      policies: {
        ...files(n, (i) => role([{ resource: 'album', allowActions: ['view'] }], { role: `r`, scope: `s${i}` }), {
          'p.yaml': resource(view),
        }).policies,
        ...object(n, (i) => [`s${i}.yaml`, resource(view, { scope: `s${i}` })]),
      },
    }),
  },
  'role policies with versions': {
    n: 30,
    of: (n) =>
      files(
        n,
        (i) =>
          role([{ resource: 'album', allowActions: ['view'] }], {
            role: 'r',
            version: `v${i}`,
            parentRoles: [`x${i}`],
          }),
        {
          'p.yaml': resource(view),
        },
      ),
  },
  'actions of a role policy': {
    n: 100,
    of: (n) => ({
      policies: {
        'r.yaml': role([{ resource: 'album', allowActions: range(n, (i) => `a${i}`) }]),
        'p.yaml': resource(view),
      },
    }),
  },
  'rules of a role policy': {
    n: 50,
    of: (n) => ({
      policies: {
        'r.yaml': role(range(n, (i) => ({ resource: 'album', allowActions: [`a${i}`] }))),
        'p.yaml': resource(view),
      },
    }),
  },
  'resources of a role policy': {
    n: 30,
    of: (n) =>
      files(n, (i) => resource(view, { resource: `k${i}` }), {
        'r.yaml': role(range(n, (i) => ({ resource: `k${i}`, allowActions: ['view'] }))),
      }),
  },
  'parent roles of a role policy': {
    n: 100,
    of: (n) => ({
      policies: {
        'r.yaml': role([{ resource: 'album', allowActions: ['view'] }], { parentRoles: range(n, (i) => `p${i}`) }),
        'p.yaml': resource(view),
      },
    }),
  },
  'role policies, actions and parents': {
    n: 30,
    of: (n) =>
      files(
        n,
        (i) =>
          role([{ resource: 'album', allowActions: range(6, (j) => `a${i}x${j}`) }], {
            role: `r${i}`,
            parentRoles: range(6, (j) => `p${(i * 7 + j) % n}`),
          }),
        { 'p.yaml': resource(view) },
      ),
  },
  'role policies with globs of missing kinds': {
    n: 30,
    of: (n) =>
      files(n, (i) => resource(view, { resource: `album${i}` }), {
        'r.yaml': role(range(n, (i) => ({ resource: `zz${i}*`, allowActions: ['view'] }))),
      }),
  },
  'role policies and missing scopes': {
    n: 20,
    of: (n) => ({
      policies: {
        ...object(n, (i) => [`p${i}.yaml`, resource(view, { resource: `k${i}`, scope: 'a' })]),
        'r.yaml': role(
          range(n, (i) => ({ resource: `k${i}`, allowActions: ['view'] })),
          { version: 'default' },
        ),
      },
    }),
  },
  schemas: {
    n: 20,
    of: (n) => ({
      ...files(n, (i) =>
        resource([allow(['view'], ['user'], { condition: when('R.attr.a == "x"') })], {
          resource: `k${i}`,
          schemas: { resourceSchema: { ref: `authz:///s${i}.json` } },
        }),
      ),
      schemas: object(n, (i) => [`s${i}.json`, { type: 'object', properties: { a: { type: 'string' } } }]),
    }),
  },
  'policies with one schema': {
    n: 20,
    of: (n) => ({
      ...files(n, (i) =>
        resource([allow(['view'], ['user'], { condition: when('R.attr.a == "x"') })], {
          resource: `k${i}`,
          schemas: { resourceSchema: { ref: 'authz:///s.json' } },
        }),
      ),
      schemas: { 's.json': { type: 'object', properties: { a: { type: 'string' } } } },
    }),
  },
  'properties of a schema': {
    n: 50,
    of: (n) =>
      one(
        resource(
          range(n, (i) => allow(['view'], ['user'], { condition: when(`R.attr.a${i} == "x"`) })),
          { schemas: { resourceSchema: { ref: 'authz:///s.json' } } },
        ),
        { schemas: { 's.json': { type: 'object', properties: object(n, (i) => [`a${i}`, { type: 'string' }]) } } },
      ),
  },
  'optional attributes': {
    n: 50,
    of: (n) =>
      one(
        resource(
          range(n, (i) => allow(['view'], ['user'], { condition: when(`R.attr.a${i} == "x"`) })),
          { schemas: { resourceSchema: { ref: 'authz:///s.json' } } },
        ),
        {
          strictTypes: true,
          schemas: { 's.json': { type: 'object', properties: object(n, (i) => [`a${i}`, { type: 'string' }]) } },
        },
      ),
  },
  'presence of optional attributes': {
    n: 30,
    of: (n) =>
      one(
        resource(
          [
            allow(['view'], ['user'], {
              condition: when(
                [...range(n, (i) => `has(R.attr.a${i})`), ...range(n, (i) => `R.attr.a${i} == "x"`)].join(' && '),
              ),
            }),
          ],
          { schemas: { resourceSchema: { ref: 'authz:///s.json' } } },
        ),
        {
          strictTypes: true,
          schemas: { 's.json': { type: 'object', properties: object(n, (i) => [`a${i}`, { type: 'string' }]) } },
        },
      ),
  },
  'references of a schema in a chain': {
    n: 20,
    of: (n) =>
      one(resource(view, { schemas: { resourceSchema: { ref: 'authz:///s.json' } } }), {
        schemas: {
          's.json': {
            type: 'object',
            properties: { a: { $ref: '#/$defs/d0' } },
            $defs: object(n, (i) => [`d${i}`, i === n - 1 ? { type: 'string' } : { $ref: `#/$defs/d${i + 1}` }]),
          },
        },
      }),
  },
  'references of a schema in two chains': {
    n: 30,
    of: (n) =>
      one(
        resource([allow(['view'], ['user'], { condition: when('R.attr.x.a == "x"') })], {
          schemas: { resourceSchema: { ref: 'authz:///s.json' } },
        }),
        {
          schemas: {
            's.json': {
              type: 'object',
              properties: { x: { $ref: '#/$defs/d0' } },
              $defs: object(n, (i) => [
                `d${i}`,
                i === n - 1
                  ? { type: 'object' }
                  : { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
              ]),
            },
          },
        },
      ),
  },
  'alternatives of a schema': {
    n: 20,
    of: (n) =>
      one(
        resource([allow(['view'], ['user'], { condition: when('R.attr.a == "x"') })], {
          schemas: { resourceSchema: { ref: 'authz:///s.json' } },
        }),
        {
          schemas: {
            's.json': {
              anyOf: range(n, (i) => ({ type: 'object', properties: { a: { const: `v${i}` } }, required: ['a'] })),
            },
          },
        },
      ),
  },
  'all-of of a schema': {
    n: 20,
    of: (n) =>
      one(
        resource([allow(['view'], ['user'], { condition: when('R.attr.a == "x"') })], {
          schemas: { resourceSchema: { ref: 'authz:///s.json' } },
        }),
        {
          schemas: {
            's.json': { allOf: range(n, (i) => ({ type: 'object', properties: { [`a${i}`]: { type: 'string' } } })) },
          },
        },
      ),
  },
  'a deep schema': {
    n: 20,
    of: (n) =>
      one(
        resource([allow(['view'], ['user'], { condition: when('R.attr.a == "x"') })], {
          schemas: { resourceSchema: { ref: 'authz:///s.json' } },
        }),
        {
          schemas: {
            's.json': range(n, (i) => i).reduce((inner: object) => ({ type: 'object', properties: { a: inner } }), {
              type: 'string',
            }),
          },
        },
      ),
  },
  'missing schemas': {
    n: 30,
    of: (n) => ({
      ...files(n, (i) =>
        resource(view, { resource: `k${i}`, schemas: { resourceSchema: { ref: `authz:///t${i}.json` } } }),
      ),
      schemas: object(n, (i) => [`s${i}.json`, {}]),
    }),
  },
  'a broken schema': {
    n: 50,
    of: (n) =>
      one(resource(view, { schemas: { resourceSchema: { ref: 'authz:///s.json' } } }), {
        schemas: { 's.json': { type: 'object', properties: object(n, (i) => [`a${i}`, { type: 'strin' }]) } },
      }),
  },
  'missing references of a schema': {
    n: 50,
    of: (n) =>
      one(resource(view, { schemas: { resourceSchema: { ref: 'authz:///s.json' } } }), {
        schemas: { 's.json': { type: 'object', properties: object(n, (i) => [`a${i}`, { $ref: `#/$defs/x${i}` }]) } },
      }),
  },
  'ignored actions of schemas': {
    n: 50,
    of: (n) =>
      one(
        resource(view, {
          schemas: { resourceSchema: { ref: 'authz:///s.json', ignoreWhen: { actions: range(n, (i) => `a${i}`) } } },
        }),
        {
          schemas: { 's.json': {} },
        },
      ),
  },
  'a conjunction': { n: 100, of: (n) => expr(range(n, (i) => `R.attr.a${i} == ${i}`).join(' && ')) },
  'a disjunction': { n: 100, of: (n) => expr(range(n, (i) => `R.attr.a${i} == ${i}`).join(' || ')) },
  'conjunction and disjunction mixed': {
    n: 50,
    of: (n) => expr(`${range(n, (i) => `R.attr.a${i} == ${i} ${i % 2 ? '&&' : '||'} `).join('')}true`),
  },
  'a sum': { n: 100, of: (n) => expr(`${range(n, (i) => `R.attr.a${i}`).join(' + ')} == 1`) },
  'a list literal': { n: 150, of: (n) => expr(`R.attr.a in [${range(n, (i) => i).join(', ')}]`) },
  'a list of texts': { n: 150, of: (n) => expr(`R.attr.a in [${range(n, (i) => `"t${i}"`).join(', ')}]`) },
  'a list of attributes': { n: 50, of: (n) => expr(`R.attr.a in [${range(n, (i) => `R.attr.b${i}`).join(', ')}]`) },
  'a map literal': { n: 100, of: (n) => expr(`{${range(n, (i) => `"k${i}": ${i}`).join(', ')}}[R.attr.a] == 1`) },
  'a long text': { n: 2500, of: (n) => expr(`R.attr.a == "${'x'.repeat(n)}"`) },
  'a long text of escapes': { n: 500, of: (n) => expr(`R.attr.a == "${'\\n\\u00e9'.repeat(n)}"`) },
  'a long selection': { n: 15, of: (n) => expr(`R.attr${'.a'.repeat(n)} == 1`) },
  'a long index': { n: 15, of: (n) => expr(`R.attr${'["a"]'.repeat(n)} == 1`) },
  parentheses: { n: 15, of: (n) => expr(`${'('.repeat(n)}R.attr.a == 1${')'.repeat(n)}`) },
  'too many parentheses': { n: 150, of: (n) => expr(`${'('.repeat(n)}R.attr.a == 1${')'.repeat(n)}`) },
  negations: { n: 15, of: (n) => expr(`${'!'.repeat(n)}R.attr.a`) },
  'nested negations': { n: 20, of: (n) => expr(`${'!('.repeat(n)}R.attr.a == 1${')'.repeat(n)}`) },
  'nested alternation': {
    n: 15,
    of: (n) =>
      expr(
        range(n, (i) => i).reduce(
          (inner: string, i) => `(R.attr.a${i} == 1 ${i % 2 ? '&&' : '||'} ${inner})`,
          'true == R.attr.z',
        ),
      ),
  },
  'nested ternaries': {
    n: 12,
    of: (n) =>
      expr(
        range(n, (i) => i).reduce((inner: string, i) => `(R.attr.a${i} == 1 ? R.attr.b${i} : ${inner})`, 'R.attr.z') +
          ' == 1',
      ),
  },
  'ternaries in conditions of ternaries': {
    n: 12,
    of: (n) =>
      expr(
        range(n, (i) => i).reduce(
          (inner: string, i) => `(${inner} ? R.attr.b${i} == 1 : R.attr.c${i} == 1)`,
          'R.attr.z == 1',
        ),
      ),
  },
  'ternaries on both sides': {
    n: 3,
    of: (n) => expr(`${range(n, (i) => `(R.attr.a${i} == 1 ? R.attr.b${i} : R.attr.c${i})`).join(' + ')} == 1`),
  },
  'nested macros': {
    n: 5,
    of: (n) =>
      expr(range(n, (i) => i).reduce((inner: string, i) => `R.attr.l${i}.exists(x${i}, ${inner})`, 'R.attr.z == 1')),
  },
  'macros in a row': { n: 30, of: (n) => expr(range(n, (i) => `R.attr.l${i}.exists(x, x == ${i})`).join(' && ')) },
  'nested macros of lists': {
    n: 4,
    of: (n) =>
      expr(
        range(n, (i) => i).reduce((inner: string, i) => `${inner}.map(x, x + ${i}).filter(x, x > 1)`, 'R.attr.z') +
          ' == [1]',
      ),
  },
  'bindings in each other': {
    n: 6,
    of: (n) =>
      expr(
        range(n, (i) => i).reduce(
          (inner: string, i) => `cel.bind(x${i}, R.attr.a${i}, ${inner})`,
          range(n, (i) => `x${i} == 1`).join(' && '),
        ),
      ),
  },
  'method calls': { n: 15, of: (n) => expr(`R.attr.a${'.lowerAscii()'.repeat(n)} == "x"`) },
  'calls in each other': { n: 15, of: (n) => expr(`${'string('.repeat(n)}R.attr.a${')'.repeat(n)} == "x"`) },
  'nested lists': { n: 15, of: (n) => expr(`${'['.repeat(n)}R.attr.a${']'.repeat(n)} == R.attr.b`) },
  'parts of a condition': {
    n: 50,
    of: (n) =>
      one(
        resource([
          allow(['view'], ['user'], {
            condition: { match: { all: { of: range(n, (i) => ({ expr: `R.attr.a${i} == 1` })) } } },
          }),
        ]),
      ),
  },
  'nested parts of a condition': {
    n: 20,
    of: (n) =>
      one(
        resource([
          allow(['view'], ['user'], {
            condition: {
              match: range(n, (i) => i).reduce(
                (inner: object, i) => ({
                  [['all', 'any', 'none'][i % 3] as string]: { of: [{ expr: `R.attr.a${i} == 1` }, inner] },
                }),
                { expr: 'R.attr.z == 1' },
              ),
            },
          }),
        ]),
      ),
  },
  'nested none': {
    n: 10,
    of: (n) =>
      one(
        resource([
          allow(['view'], ['user'], {
            condition: {
              match: range(n, (i) => i).reduce(
                (inner: object, i) => ({ none: { of: [{ expr: `R.attr.a${i} == 1` }, inner] } }),
                {
                  expr: 'R.attr.z == 1',
                },
              ),
            },
          }),
        ]),
      ),
  },
  'syntax errors in an expression': { n: 50, of: (n) => expr(range(n, () => ') + (').join(' ')) },
  'type errors in an expression': { n: 50, of: (n) => expr(range(n, (i) => `1 + "x${i}" == 2`).join(' && ')) },
  'type errors in expressions': {
    n: 50,
    of: (n) => one(resource(range(n, (i) => allow(['view'], ['user'], { condition: when(`1 + "x${i}" == 2`) })))),
  },
  'syntax errors in expressions': {
    n: 50,
    of: (n) => one(resource(range(n, (i) => allow(['view'], ['user'], { condition: when(`R.attr.a${i} ==`) })))),
  },
  'undeclared names': {
    n: 50,
    of: (n) => one(resource(range(n, (i) => allow(['view'], ['user'], { condition: when(`resourc${i} == 1`) })))),
  },
  'undefined fields': {
    n: 50,
    of: (n) => one(resource(range(n, (i) => allow(['view'], ['user'], { condition: when(`R.kinda${i} == "x"`) })))),
  },
  'undeclared names in one expression': { n: 50, of: (n) => expr(range(n, (i) => `resourc${i} == 1`).join(' && ')) },
  'ambiguous derived roles': {
    n: 20,
    of: (n) =>
      files(n, (i) => roleSet(`s${i}`, [{ name: 'd', parentRoles: ['user'] }]), {
        'p.yaml': resource([allow(['view'], [], { derivedRoles: ['d'] })], {
          importDerivedRoles: range(n, (i) => `s${i}`),
        }),
      }),
  },
  'duplicate policies': { n: 30, of: (n) => files(n, () => resource(view)) },
  'duplicate derived roles': {
    n: 30,
    of: (n) =>
      one(
        roleSet(
          's',
          range(n, () => ({ name: 'd', parentRoles: ['user'] })),
        ),
      ),
  },
  'duplicate variables': {
    n: 30,
    of: (n) =>
      files(n, (i) => ({ apiVersion: V, exportVariables: { name: `x${i}`, definitions: { v: `${i}` } } }), {
        'p.yaml': resource([allow(['view'], ['user'], { condition: when('V.v == 1') })], {
          variables: { import: range(n, (i) => `x${i}`) },
        }),
      }),
  },
  'duplicate rule names': {
    n: 30,
    of: (n) => one(resource(range(n, (i) => allow([`a${i}`], ['user'], { name: 'r' })))),
  },
  'colliding names of actions': {
    n: 30,
    of: (n) =>
      one(
        principal(
          range(n, (i) => ({
            resource: `k${i}`,
            actions: [{ name: 'r', action: 'view', effect: 'EFFECT_ALLOW', condition: when(`R.attr.a${i} == 1`) }],
          })),
        ),
      ),
  },
  'duplicate resources of a principal': {
    n: 30,
    of: (n) =>
      one(principal(range(n, (i) => ({ resource: 'k', actions: [{ action: `a${i}`, effect: 'EFFECT_ALLOW' }] })))),
  },
  'repeated actions': { n: 50, of: (n) => one(resource([allow(range(n, () => 'a'))])) },
  'repeated imports': {
    n: 50,
    of: (n) => ({
      policies: {
        'r.yaml': roleSet('s', [{ name: 'd', parentRoles: ['user'] }]),
        'p.yaml': resource(view, { importDerivedRoles: range(n, () => 's') }),
      },
    }),
  },
  'fields that nobody knows': { n: 50, of: (n) => one({ ...resource(view), ...object(n, (i) => [`f${i}`, 1]) }) },
  'duplicate keys of YAML': {
    n: 50,
    of: (n) => raw(`${HEAD}resourcePolicy:\n  resource: a\n${'  version: "1"\n'.repeat(n)}`),
  },
  'distinct keys of YAML': {
    n: 100,
    of: (n) => raw(`${HEAD}metadata:\n  annotations:\n${range(n, (i) => `    k${i}: x\n`).join('')}${KIND}`),
  },
  'anchors of YAML': {
    n: 50,
    of: (n) =>
      raw(
        `${POLICY}  rules:\n${range(n, (i) => `  - &a${i}\n    actions: [a${i}]\n    effect: EFFECT_ALLOW\n    roles: [user]\n`).join('')}`,
      ),
  },
  'aliases of YAML': {
    n: 30,
    of: (n) =>
      raw(
        `${POLICY}  rules:\n${ACTIONS}${EFFECT}    roles: &r [user]\n${range(n, (i) => `  - actions: [a${i}]\n${EFFECT}    roles: *r\n`).join('')}`,
      ),
  },
  'aliases of a large value': {
    n: 20,
    of: (n) =>
      raw(
        `${POLICY}${CONSTANTS}      c0: &r [${range(20, (i) => i).join(', ')}]\n${range(n, (i) => `      d${i}: *r\n`).join('')}`,
      ),
  },
  'aliases of aliases': {
    n: 30,
    of: (n) =>
      raw(
        `${POLICY}${CONSTANTS}      c0: &c0 [x, x]\n${range(n, (i) => `      c${i + 1}: &c${i + 1} [*c${i}, *c${i}]\n`).join('')}`,
      ),
  },
  'merge keys': {
    n: 30,
    of: (n) =>
      raw(
        `${POLICY}  rules:\n  - &r\n    actions: [a]\n${EFFECT}    roles: [user]\n${range(n, (i) => `  - <<: *r\n    actions: [a${i}]\n`).join('')}`,
      ),
  },
  'merge keys in a chain': {
    n: 20,
    of: (n) =>
      raw(
        `${POLICY}${CONSTANTS}      c0: &c0 {a: 1}\n${range(n, (i) => `      c${i + 1}: &c${i + 1} {<<: *c${i}, b${i}: 1}\n`).join('')}`,
      ),
  },
  'nested lists of YAML': {
    n: 20,
    of: (n) => raw(`${POLICY}${CONSTANTS}      c: ${'['.repeat(n)}${']'.repeat(n)}\n`),
  },
  'too deep YAML': { n: 500, of: (n) => raw(`${HEAD}a: ${'['.repeat(n)}${']'.repeat(n)}\n`) },
  'nested mappings of YAML in blocks': {
    n: 20,
    of: (n) => raw(`${POLICY}${CONSTANTS}      c:\n${range(n, (i) => `${' '.repeat(i + 8)}a:\n`).join('')}`),
  },
  'comments of YAML': {
    n: 250,
    of: (n) => raw(`${HEAD}${'# comment\n'.repeat(n)}resourcePolicy:\n  resource: a\n  version: "1"\n`),
  },
  'blank lines of YAML': {
    n: 1000,
    of: (n) => raw(`${HEAD}${'\n'.repeat(n)}resourcePolicy:\n  resource: a\n  version: "1"\n`),
  },
  'documents of YAML': { n: 50, of: (n) => raw(`${POLICY}${'---\na: 1\n'.repeat(n)}`) },
  'a block of text': {
    n: 250,
    of: (n) =>
      raw(`${HEAD}description: |\n${'  line of text\n'.repeat(n)}resourcePolicy:\n  resource: a\n  version: "1"\n`),
  },
  'a folded block': {
    n: 250,
    of: (n) =>
      raw(`${HEAD}description: >\n${'  line of text\n'.repeat(n)}resourcePolicy:\n  resource: a\n  version: "1"\n`),
  },
  'a text on many lines': {
    n: 250,
    of: (n) =>
      raw(
        `${HEAD}description: "x\n${'  line of text\n'.repeat(n)}  "\nresourcePolicy:\n  resource: a\n  version: "1"\n`,
      ),
  },
  'an expression on many lines': {
    n: 100,
    of: (n) =>
      raw(
        `${POLICY}  rules:\n${ACTIONS}${EFFECT}    roles: [user]\n    condition:\n      match:\n        expr: |\n` +
          `${range(n, (i) => `          R.attr.a${i} == 1 ||\n`).join('')}          false\n`,
      ),
  },
  'tags of YAML': {
    n: 100,
    of: (n) =>
      raw(
        `${HEAD}metadata:\n  annotations:\n${range(n, (i) => `    k${i}: !!str x\n`).join('')}resourcePolicy:\n  resource: a\n  version: "1"\n`,
      ),
  },
  'empty items': { n: 100, of: (n) => raw(`${POLICY}  rules:\n${'  -\n'.repeat(n)}`) },
  'rules that are wrong': { n: 50, of: (n) => one(resource(range(n, () => ({ actions: [], effect: 9 })))) },
  'files that are broken': { n: 30, of: (n) => ({ policies: object(n, (i) => [`p${i}.yaml`, 'a: [']) }) },
  metadata: {
    n: 100,
    of: (n) => one({ ...resource(view), metadata: { annotations: object(n, (i) => [`k${i}`, 'x']) } }),
  },
};

/**
 * Mistakes that a known name is near to. Expressions are the definitions of variables, which are cheaper than rules.
 */
export const MISTAKES: Record<string, Shape> = {
  'undefined variables': mistaken((n) =>
    definitions(
      n,
      (i) => `V.w${i}`,
      (i) => `v${i}`,
    ),
  ),
  'undefined constants': mistaken((n) =>
    one(
      resource(view, {
        constants: { local: object(n, (i) => [`c${i}`, 1]) },
        variables: { local: object(n, (i) => [`v${i}`, `C.d${i}`]) },
      }),
    ),
  ),
  'undeclared names': mistaken((n) => definitions(n, (i) => `[${i}] == reques`)),
  'undeclared functions': mistaken((n) => definitions(n, (i) => `R.attr.a${i}.startWith("x")`)),
  'undeclared types': mistaken((n) => definitions(n, (i) => `[${i}] == google.protobuf.Timestam{}`)),
  'undefined fields': mistaken((n) => definitions(n, (i) => `[${i}] == R.kinda`)),
  'undefined derived roles': mistaken((n) =>
    rolesOfOneRule(
      n,
      (i) => `d${i}`,
      (i) => `e${i}`,
    ),
  ),
  'missing imports': mistaken((n) => ({
    policies: {
      ...object(50, (i) => [`s${i}.yaml`, roleSet(`s${i}`, [{ name: 'd', parentRoles: ['user'] }])]),
      'p.yaml': resource(view, { importDerivedRoles: range(n, (i) => `t${i}`) }),
    },
  })),
  'resources of role policies': mistaken((n) => ({
    policies: {
      ...object(50, (i) => [`k${i}.yaml`, resource(view, { resource: `album${i}` })]),
      'r.yaml': role(range(n, (i) => ({ resource: `alubm${i}`, allowActions: ['view'] }))),
    },
  })),
  'attributes that a schema does not know': mistaken((n) => ({
    ...withSchema(
      { type: 'object', properties: object(n, (i) => [`a${i}`, { type: 'string' }]) },
      range(n, (i) => `R.attr.b${i}`),
    ),
    strictTypes: true,
  })),
  'values that an enumeration does not have': mistaken((n) =>
    withSchema(
      { type: 'object', required: ['a'], properties: { a: { enum: range(n, (i) => `v${i}`) } } },
      range(n, (i) => `R.attr.a == "w${i}"`),
    ),
  ),
};

/** Compiles an input, with all that is made of it. Returns a sentence about the outcome. */
export function compileInput({ policies, schemas = {}, strictTypes = false }: Input): string {
  const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, undefined, 1));
  const sources = Object.entries(policies).map(([path, value]) => new Source(path, text(value)));
  const schemaTexts = new Map(Object.entries(schemas).map(([path, value]) => [path, text(value)]));
  const { files, program, diagnostics } = compile(sources, new Diagnostics(), { schemaTexts, strictTypes });
  formatPretty(diagnostics, { color: false });
  formatList(diagnostics);
  toReport(diagnostics);
  if (program !== undefined) {
    shards(files);
    emitTypes(program);
  }
  const suggestions = diagnostics.filter(({ notes }) =>
    notes.some(({ message }) => message.startsWith('did you mean')),
  );
  return `${suggestions.length} of ${diagnostics.length} problems have a suggestion; ${program === undefined ? 'refused' : 'compiled'}`;
}
