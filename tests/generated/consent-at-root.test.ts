import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { compileTexts, loaded } from '../support/compiled.js';

/** The properties of the rules in a scope chain. Each combination is compiled and looked up differently. */
interface Shape {
  readonly depth: number;
  readonly condition: string | undefined;
  readonly roles: readonly string[] | undefined;
  readonly action: string;
  readonly hasOutput: boolean;
}

const SHAPES: readonly Shape[] = [1, 2, 3].flatMap((depth) =>
  [undefined, 'true', 'R.attr.open'].flatMap((condition) =>
    [['user'], ['*'], ['us*'], undefined].flatMap((roles) =>
      ['view', '*', 'v*'].flatMap((action) =>
        [false, true].map((hasOutput) => ({ depth, condition, roles, action, hasOutput })),
      ),
    ),
  ),
);
const SCOPES = ['', 'a', 'a.b'];
const CONSENT = 'SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS';
const OVERRIDE = 'SCOPE_PERMISSIONS_OVERRIDE_PARENT';

const test = suite('consent at the root');

test('a root policy that requires parental consent never allows, in any API (docs/spec/policy-language.md#effect-of-a-rule)', async () => {
  const resourcePolicy = {
    resource: 'doc',
    version: 'default',
    scopePermissions: 'SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS',
    rules: [{ actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['*'] }],
  };
  const { policies } = await loaded(
    compileTexts({ 'doc.yaml': JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy }) }),
  );
  const engine = createEngine(policies);
  const principal = { id: 'ann', roles: ['user'] };
  const resource = { kind: 'doc', id: '1' };
  assert.is(engine.isAllowed({ principal, resource, action: 'view' }), false);
  for (const includeMeta of [false, true]) {
    const [result] = engine.check({ principal, resources: [{ resource, actions: ['view'] }], includeMeta });
    assert.is(result?.actions[0]?.effect, 2);
  }
});

test('a scope chain that requires consent everywhere never allows, and does allow once the root overrides', async () => {
  for (const source of ['resource', 'principal'] as const) {
    const consenting = await allowedBy(source, CONSENT);
    assert.is(consenting.size, source === 'resource' ? 216 : 54);
    assert.equal(
      [...consenting].filter(([, ways]) => ways.length > 0),
      [],
      `${source} policies that all require consent`,
    );
    const overriding = await allowedBy(source, OVERRIDE);
    assert.equal(
      [...overriding].filter(([, ways]) => ways.join() !== 'isAllowed,check,explain,plan'),
      [],
      `${source} policies below a root that overrides`,
    );
  }
});

test.run();

/** The APIs in which each shape is allowed. All chains compile as one set. */
async function allowedBy(
  source: 'resource' | 'principal',
  permissionsOfRoot: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  // Rules of principal policies have no roles.
  const shapes = SHAPES.filter(({ roles }) => source === 'resource' || roles?.[0] === '*');
  const documents = shapes.flatMap((shape, index) =>
    SCOPES.slice(0, shape.depth).map((scope) =>
      policyOf(source, shape, index, { scope, permissions: scope === '' ? permissionsOfRoot : CONSENT }),
    ),
  );
  const derivedRoles = { name: 'case-roles', definitions: [{ name: 'reader', parentRoles: ['user'] }] };
  const texts = [{ derivedRoles }, ...documents].map(
    (document, index) => [`p${index}.yaml`, JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...document })] as const,
  );
  const { policies, traced } = await loaded(compileTexts(Object.fromEntries(texts)));
  const engine = createEngine(policies);
  const explaining = createEngine(policies, { traced: await traced() });
  return new Map(
    shapes.map((shape, index) => {
      const principal = { id: `p${index}`, roles: ['user'] };
      const resource = { kind: `doc${index}`, id: '1', scope: SCOPES[shape.depth - 1] as string, attr: { open: true } };
      const asked = { principal, resources: [{ resource, actions: ['view'] }] };
      const isAllow = (results: ReturnType<typeof engine.check>): boolean => results[0]?.actions[0]?.effect === 1;
      const ways = {
        isAllowed: engine.isAllowed({ principal, resource, action: 'view' }),
        check: isAllow(engine.check(asked)),
        explain: isAllow(explaining.check({ ...asked, includeMeta: true })),
        plan: engine.plan({ principal, resource, actions: ['view'] }).filter.kind === 'KIND_ALWAYS_ALLOWED',
      };
      return [JSON.stringify(shape), Object.entries(ways).flatMap(([way, allows]) => (allows ? [way] : []))];
    }),
  );
}

function policyOf(
  source: 'resource' | 'principal',
  { condition, roles, action, hasOutput }: Shape,
  index: number,
  { scope, permissions }: { readonly scope: string; readonly permissions: string },
): object {
  const rule = {
    effect: 'EFFECT_ALLOW',
    ...(condition !== undefined && { condition: { match: { expr: condition } } }),
    ...(hasOutput && { output: { when: { ruleActivated: '"seen"' } } }),
  };
  const head = { version: 'default', scope, scopePermissions: permissions };
  if (source === 'principal')
    return {
      principalPolicy: {
        ...head,
        principal: `p${index}`,
        rules: [{ resource: `doc${index}`, actions: [{ ...rule, action }] }],
      },
    };
  const reaches = roles === undefined ? { derivedRoles: ['reader'] } : { roles };
  return {
    resourcePolicy: {
      ...head,
      resource: `doc${index}`,
      importDerivedRoles: ['case-roles'],
      rules: [{ ...rule, actions: [action], ...reaches }],
    },
  };
}
