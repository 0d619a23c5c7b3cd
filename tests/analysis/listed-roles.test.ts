import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fold } from '../../compiler/optimise/index.js';
import { invariant } from '../../compiler/diagnostics/invariant.js';
import { NO_SESSION } from '../../compiler/tables/session.js';
import { compileTexts } from '../support/compiled.js';
import { Decisions } from '../../packages/analysis/decision/decisions.js';
import { rowCondition, SharedParts } from '../../packages/analysis/rls/policy.js';

const test = suite('conditions that read which derived roles are active');

const ROLES = `apiVersion: api.authz.dev/v1
derivedRoles:
  name: common
  definitions:
    - {name: anyone, parentRoles: ["*"]}
    - {name: clerk, parentRoles: [clerk, "cl*"]}
`;

const policy = (expr: string): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  importDerivedRoles: [common]
  rules:
    - {actions: [view], effect: EFFECT_ALLOW, derivedRoles: [anyone, clerk], condition: {match: {expr: '${expr}'}}}
`;

test('ask for the parent roles of roles without a condition', () => {
  for (const [expr, condition] of [
    [
      '"clerk" in runtime.effectiveDerivedRoles',
      "(SELECT authz.is_set()) AND ((SELECT authz.has_role('cl*')) OR (SELECT authz.has_role('clerk')))",
    ],
    [
      '!("clerk" in runtime.effectiveDerivedRoles)',
      "(SELECT authz.is_set()) AND ((SELECT authz.has_role('cl*'))) IS NOT TRUE AND ((SELECT authz.has_role('clerk'))) IS NOT TRUE",
    ],
    ['"anyone" in runtime.effectiveDerivedRoles', '(SELECT authz.is_set())'],
  ] as const) {
    const { lowered } = compileTexts({ 'roles.yaml': ROLES, 'doc.yaml': policy(expr) });
    const decisions = new Decisions(fold(lowered ?? invariant('no program')), {});
    const { conjuncts } = rowCondition(
      decisions,
      { kind: 'doc', version: 'default', scope: '' },
      { of: 'all', actions: ['view'] },
      { name: 'public.docs', alias: 'docs', columns: {} },
      new SharedParts(NO_SESSION),
    );
    assert.is(conjuncts.join(' AND '), condition);
  }
});

test.run();
