import { join } from 'node:path';
import { decode } from '@jridgewell/sourcemap-codec';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, explanations } from '../../runtime/engine/index.js';
import type { CompiledBundle } from '../../runtime/engine/parts.js';
import { compile } from '../compile.js';
import { Source } from '../diagnostics/source.js';
import { importBundle } from './import-bundle.js';
import { bundle } from './index.js';

const RUNTIME = join(import.meta.dirname, '..', '..', 'runtime');

const ROLES = `apiVersion: api.authz.dev/v1
derivedRoles:
  name: people
  definitions:
    - name: owner
      parentRoles: [user]
      condition: { match: { expr: R.attr.owner == P.id } }
`;

const policy = (kind: string, status: string) => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${kind}
  version: default
  importDerivedRoles: [people]
  rules:
    - name: view
      actions: [view]
      effect: EFFECT_ALLOW
      derivedRoles: [owner]
      condition: { match: { expr: 'R.attr.status == "${status}"' } }
`;

const bundled = (count: number) => {
  const texts = Array.from(
    { length: count },
    (_, index) => new Source(`p${index}.yaml`, policy(`kind_${index}`, `status ${index}`)),
  );
  return bundle(compile([new Source('roles.yaml', ROLES), ...texts]).files, RUNTIME);
};

test('policies with the same shape keep their own conditions, within one shard and across shards', async () => {
  const { policies } = await importBundle((await bundled(150)).js);
  assert.is(policies.resourcePolicies.length, 150);
  const rule = policies.resourcePolicies.find(({ kind }) => kind === 'kind_149')?.rules[0];
  const request = (status: string) => ({ principal: { id: 'a' }, resource: { attr: { owner: 'a', status } } }) as never;
  assert.is(rule?.when?.(request('status 149')), true);
  assert.is(rule?.when?.(request('status 148')), false);
  assert.is(rule?.derivedRole?.name, 'owner');
});

/** A policy with one condition for each kind. */
const withCondition = (kind: string, expression: string) =>
  policy(kind, '').replace(/'R.attr.status.*'/, JSON.stringify(expression));

test('policies of one shape keep texts with the other quote', async () => {
  for (const count of [31, 40]) {
    const sources = Array.from(
      { length: count },
      (_, index) => new Source(`p${index}.yaml`, withCondition(`k${index}`, `R.attr.status != "Women's ${index}"`)),
    );
    const compilation = compile([new Source('roles.yaml', ROLES), ...sources]);
    const { policies } = await importBundle((await bundle(compilation.files, RUNTIME)).js);
    for (const { kind, rules } of policies.resourcePolicies) {
      const [rule] = rules;
      const status = `Women's ${kind.slice(1)}`;
      const holds = [status, "Women's 99"].map((other) =>
        rule?.when?.({ principal: { id: 'a' }, resource: { attr: { owner: 'a', status: other } } } as never),
      );
      assert.equal(holds, [false, true], `${kind} of ${count}`);
    }
  }
});

test('no text of a policy becomes code', async () => {
  const leaked = globalThis as { leaked?: boolean };
  const expression = (index: number): string =>
    `R.attr.status == "'${index}" || R.attr.status == '"+eval(P.attr.f)+"' || R.attr.status == "'${index}"`;
  const sources = Array.from(
    { length: 40 },
    (_, index) => new Source(`p${index}.yaml`, withCondition(`k${index}`, expression(index))),
  );
  const compilation = compile([new Source('roles.yaml', ROLES), ...sources]);
  const { policies } = await importBundle((await bundle(compilation.files, RUNTIME)).js);
  const principal = { id: 'a', attr: { f: 'globalThis.leaked = true' } };
  for (const { kind, rules } of policies.resourcePolicies) {
    const resource = { attr: { owner: 'a', status: `'${kind.slice(1)}` } };
    assert.is(rules[0]?.when?.({ principal, resource } as never), true, kind);
  }
  assert.is(leaked.leaked, undefined);
});

test('the traced conditions are loaded on demand', async () => {
  const { traced } = await importBundle((await bundled(150)).js);
  assert.is((await traced()).conditions.size, 151);
});

test('the source map leads from a condition to its rule in the policy', async () => {
  const { js, map } = await bundled(120);
  const { sources, mappings } = JSON.parse(map) as { sources: string[]; mappings: string };
  // The traced conditions, which stand first, are not mapped.
  const line = js.split('\n').findLastIndex((text) => text.includes('status 117'));
  const segment = decode(mappings)[line]?.find((candidate) => candidate.length > 1);
  assert.is(sources[segment?.[1] as number], 'p117.yaml');
  assert.is(policy('kind_117', 'status 117').split('\n')[segment?.[2] as number], '    - name: view');
});

const scoped = (kind: string, scope: string) =>
  policy(kind, `status of ${scope}`).replace('version: default', `version: default\n  scope: ${scope}`);

/** One policy at the root and one for each tenant, whose scopes have modules. */
const bundledByScope = (tenants: number) => {
  const ofTenants = Array.from(
    { length: tenants },
    (_, index) => new Source(`t${index}.yaml`, scoped('doc', `tenant_${index}`)),
  );
  const sources = [new Source('roles.yaml', ROLES), new Source('doc.yaml', policy('doc', 'root')), ...ofTenants];
  return bundle(compile(sources, undefined, { scopedFrom: 1 }).files, RUNTIME);
};

test('loading a bundle and deciding at a scope makes the policies of the root and of that scope', async () => {
  const counted = globalThis as { made?: number };
  for (const tenants of [5, 50]) {
    const { js } = await bundledByScope(tenants);
    counted.made = 0;
    const define = 'function resourcePolicy(text) {';
    assert.ok(js.includes(define));
    const { policies } = await importBundle(js.replace(define, `${define} globalThis.made += 1;`));
    const engine = createEngine(policies as CompiledBundle);
    const isAllowed = (scope: string): boolean =>
      engine.isAllowed({
        principal: { id: 'a', roles: ['user'] },
        resource: { kind: 'doc', id: 'd', scope, attr: { owner: 'a', status: `status of ${scope}` } },
        action: 'view',
      });
    assert.is(counted.made, 1);
    assert.equal([isAllowed('tenant_4'), isAllowed('tenant_4'), isAllowed('unknown')], [true, true, false]);
    assert.is(counted.made, 2);
    assert.is(policies.resourcePolicies.length, 1 + tenants);
    assert.is(counted.made, 1 + tenants);
  }
  delete counted.made;
});

const HOSTILE_ACTIONS = [
  ["it's", "isn't"],
  ['"', 'export const a = 1', '=> ({ a: [] });'],
];

test('policies of scopes may name actions with quotes', async () => {
  const condition = { match: { expr: 'R.id == "d"' } };
  for (const actions of HOSTILE_ACTIONS) {
    const rules = actions.map((action) =>
      JSON.stringify({ actions: [action], effect: 'EFFECT_ALLOW', roles: ['user'], condition }),
    );
    const text = (scope: string) =>
      `apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: doc\n  version: default\n${scope}  rules: [${rules.join(', ')}]\n`;
    const tenants = Array.from(
      { length: 40 },
      (_, index) => new Source(`t${index}.yaml`, text(`  scope: tenant_${index}\n`)),
    );
    const { files } = compile([new Source('doc.yaml', text('')), ...tenants], undefined, { scopedFrom: 1 });
    const { policies } = await importBundle((await bundle(files, RUNTIME)).js);
    const engine = createEngine(policies as CompiledBundle);
    const resource = { kind: 'doc', id: 'd', scope: 'tenant_39' };
    const allowed = [...actions, 'it'].map((action) =>
      engine.isAllowed({ principal: { id: 'a', roles: ['user'] }, resource, action }),
    );
    assert.equal(allowed, [...actions.map(() => true), false]);
  }
});

test('policies of scopes that have nothing in common are made from all shards', async () => {
  const sources = Array.from({ length: 130 }, (_, index) => {
    const text = scoped('doc', `tenant_${index}`).replace('R.attr.status', `R.attr.status_${index}`);
    return new Source(`t${index}.yaml`, text);
  });
  const all = [new Source('roles.yaml', ROLES), new Source('doc.yaml', policy('doc', 'root')), ...sources];
  const { js } = await bundle(compile(all, undefined, { scopedFrom: 1 }).files, RUNTIME);
  const { policies, traced } = await importBundle(js);
  const engine = createEngine(policies as CompiledBundle, { traced: await traced(), use: [explanations()] });
  for (let index = 0; index < sources.length; index += 1) {
    const status = { [`status_${index}`]: `status of tenant_${index}` };
    const resource = { kind: 'doc', id: 'd', scope: `tenant_${index}`, attr: { owner: 'a', ...status } };
    const request = { principal: { id: 'a', roles: ['user'] }, resource, action: 'view' };
    assert.is(engine.isAllowed(request), true);
    assert.is(engine.isAllowed({ ...request, resource: { ...resource, attr: { owner: 'a' } } }), false);
    const { effectivePolicies } = engine.explain({ ...request, resources: [{ resource, actions: ['view'] }] });
    assert.is(effectivePolicies[0]?.policy, `resource.doc.vdefault/tenant_${index}`);
  }
});

test('the source map leads from the policy of a scope to its file', async () => {
  const { js, map } = await bundledByScope(40);
  const { sources, mappings } = JSON.parse(map) as { sources: string[]; mappings: string };
  // The function of its traced conditions follows, and is not mapped.
  const line = js.split('\n').findIndex((text) => text.includes('status of tenant_17'));
  const segment = decode(mappings)[line]?.find((candidate) => candidate.length > 1);
  assert.is(sources[segment?.[1] as number], 't17.yaml');
});

test('equal policies give equal bundles', async () => {
  assert.equal(await bundled(3), await bundled(3));
});

test.run();
