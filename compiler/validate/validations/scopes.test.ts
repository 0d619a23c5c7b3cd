import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allow, CONSENT, deny, resourcePolicy, warningCodesOf } from '../../../tests/support/warnings.js';

const RULES = [allow('[view]', '[user]')];

test('no request reaches a policy with scope `.`, because `.` in a request is the root (8.4)', () => {
  assert.equal(warningCodesOf(resourcePolicy(RULES), resourcePolicy(RULES, ', scope: "."')), ['scope/unreachable']);
  assert.equal(warningCodesOf(resourcePolicy(RULES), resourcePolicy(RULES, ', scope: a')), []);
});

test('the root has no parent, so an ALLOW that requires consent never applies there (8.3)', () => {
  assert.equal(warningCodesOf(resourcePolicy([allow('[view]', '[user]')], CONSENT)), ['scope/consent-at-root']);
  assert.equal(
    warningCodesOf(
      `principalPolicy: {principal: p, version: default${CONSENT}, rules: [{resource: a, actions: [{action: x, effect: EFFECT_ALLOW}]}]}`,
    ),
    ['scope/consent-at-root'],
  );
});

test('a policy that only denies needs no consent, and below the root there is a parent', () => {
  assert.equal(warningCodesOf(resourcePolicy([deny('[view]', '[user]')], CONSENT)), []);
  assert.equal(
    warningCodesOf(resourcePolicy([]), resourcePolicy([allow('[view]', '[user]')], `, scope: a${CONSENT}`)),
    [],
  );
});

test.run();
