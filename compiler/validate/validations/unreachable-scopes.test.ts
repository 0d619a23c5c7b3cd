import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allow, resourcePolicy, warningCodesOf } from '../../../tests/support/warnings.js';

const RULES = [allow('[view]', '[user]')];

test('a policy at scope `.` is reached by no request, for there `.` is the root (8.4)', () => {
  assert.equal(warningCodesOf(resourcePolicy(RULES), resourcePolicy(RULES, ', scope: "."')), ['scope/unreachable']);
  assert.equal(warningCodesOf(resourcePolicy(RULES), resourcePolicy(RULES, ', scope: a')), []);
});

test.run();
