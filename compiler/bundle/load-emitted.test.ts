import { join } from 'node:path';
import { inspect } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CompiledBundle, createEngine } from '../../runtime/engine/index.js';
import { compile, type CompileOptions } from '../compile.js';
import { Source } from '../diagnostics/source.js';
import { type BundleModule, importBundle } from './import-bundle.js';
import { bundle } from './index.js';
import { loadEmitted } from './load-emitted.js';

const RUNTIME = join(import.meta.dirname, '..', '..', 'runtime');

/** A policy of a scope, whose condition uses the parts of the runtime that conditions use. */
const policy = (scope: string): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  scope: "${scope}"
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: ["us*r"]
      condition:
        match:
          expr: R.attr.name.matches("^[a-${scope === '' ? 'f' : 'c'}]+$") && hierarchy("a.b").ancestorOf(hierarchy(R.attr.place))
      output: { when: { ruleActivated: '"viewed in ${scope}"', conditionNotMet: '"linkedPolicies, givenParts"' } }
`;

const compiled = (scopes: readonly string[], options?: CompileOptions) =>
  compile(
    scopes.map((scope, index) => new Source(`p${index}.yaml`, policy(scope))),
    undefined,
    options,
  );

/** What is decided about albums in every scope, and the filters of the plans. */
function decisions({ policies }: BundleModule, scopes: readonly string[]): string {
  const engine = createEngine(policies as CompiledBundle);
  const principal = { id: 'a', roles: ['user'] };
  const decided = scopes.map((scope) => [
    ['abc', 'def', 'g', 7].map((name) =>
      engine.check({
        principal,
        resources: [{ resource: { kind: 'album', id: '1', scope, attr: { name, place: 'a.b.c' } }, actions: ['view'] }],
      } as never),
    ),
    engine.plan({ principal, resource: { kind: 'album', scope }, actions: ['view'] } as never),
  ]);
  return inspect(decided, { depth: Number.POSITIVE_INFINITY });
}

test('policies decide and plan as their bundle does, also when scopes are made on demand', async () => {
  const scopes = ['', 'a', 'a.b', 'a.c', 'd'];
  for (const options of [{}, { scopedFrom: 1 }, { explain: true }]) {
    const { files } = compiled(scopes, options);
    const alone = await importBundle((await bundle(files, RUNTIME)).js);
    const linked = await loadEmitted(files, RUNTIME);
    assert.equal(Object.keys({ ...linked }).sort(), Object.keys({ ...alone }).sort());
    assert.is(decisions(linked, scopes), decisions(alone, scopes));
    assert.equal(Object.keys(await linked.traced()), Object.keys(await alone.traced()));
  }
});

test('policies of a process share one runtime', async () => {
  const failures = async (scopes: readonly string[]): Promise<unknown> =>
    ((await loadEmitted(compiled(scopes).files, RUNTIME)) as unknown as { readonly patternsFailedOnHost: unknown })
      .patternsFailedOnHost;
  assert.type(await failures(['']), 'function');
  assert.is(await failures(['']), await failures(['', 'a']));
});

test.run();
