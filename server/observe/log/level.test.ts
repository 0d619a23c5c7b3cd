import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { debugOnSignal } from './debug-signal.js';
import { chooseLogLevel } from './open-log.js';
import type { Log } from './logger.js';

test('the environment variable overrides the option, in any case, and info is the default', () => {
  assert.is(chooseLogLevel(undefined, {}), 'info');
  assert.is(chooseLogLevel('WARN', {}), 'warn');
  assert.is(chooseLogLevel('warn', { AUTHZ_LOG_LEVEL: 'Debug' }), 'debug');
  assert.is(chooseLogLevel('warn', { AUTHZ_LOG_LEVEL: '' }), 'warn');
});

test('an invalid level is rejected by name', () => {
  assert.throws(() => chooseLogLevel('loud', {}), '--log-level: `loud` must be one of debug, info, warn, error');
  assert.throws(() => chooseLogLevel(undefined, { AUTHZ_LOG_LEVEL: 'loud' }), 'AUTHZ_LOG_LEVEL: `loud`');
});

test('an invalid duration of debug lines is rejected by name', () => {
  for (const text of ['10', '0', '-1m', 'x', '10000h']) {
    assert.throws(
      () => debugOnSignal({} as Log, { AUTHZ_TEMP_LOG_LEVEL_DURATION: text }),
      `AUTHZ_TEMP_LOG_LEVEL_DURATION: \`${text}\``,
    );
  }
});

test.run();
