import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Pdp } from '../../examples/contact-api/pdp.js';
import { settingsOf } from '../../examples/contact-api/settings.js';
import { ROOT } from '../support/compiled.js';
import { LAST_RESORT } from '../support/timeout.js';

const SECRET = { CONTACTS_SECRET: 's' };

test('the API does not start without a secret', () => {
  for (const environment of [{}, { CONTACTS_SECRET: '' }])
    assert.throws(() => settingsOf(environment), /CONTACTS_SECRET is not set/);
  const { CONTACTS_SECRET: _, ...environment } = process.env;
  try {
    execFileSync(process.execPath, ['--import', 'tsx', 'examples/contact-api/main.ts'], {
      cwd: ROOT,
      env: environment,
      stdio: 'pipe',
      timeout: LAST_RESORT,
    });
    assert.unreachable();
  } catch (error) {
    const { status, stderr } = error as { readonly status: number; readonly stderr: Buffer };
    assert.equal(
      [status, stderr.toString()],
      [1, 'contacts: CONTACTS_SECRET is not set: it verifies the tokens of callers\n'],
    );
  }
});

test('one setting selects how decisions are made', () => {
  const reached = (AUTHZ_PDP: string): unknown => settingsOf({ ...SECRET, AUTHZ_PDP }).pdp;
  assert.equal(reached('in-process'), { transport: 'in-process' });
  assert.equal(reached('rest'), { transport: 'rest', address: 'http://127.0.0.1:3592' });
  assert.equal(reached('connect'), { transport: 'connect', address: 'http://127.0.0.1:3592' });
  assert.equal(reached('grpc'), { transport: 'grpc', address: '127.0.0.1:3593' });
  assert.equal(settingsOf({ ...SECRET, AUTHZ_PDP_ADDRESS: 'http://pdp:80' }).pdp, {
    transport: 'rest',
    address: 'http://pdp:80',
  });
  for (const wrong of ['', 'http', 'REST', '__proto__']) assert.throws(() => reached(wrong), /AUTHZ_PDP is/);
});

test('a port is a number in the valid range', () => {
  assert.is(settingsOf({ ...SECRET, CONTACTS_PORT: '0' }).port, 0);
  for (const wrong of ['', '-1', '65536', '3000x', '1e3', '0x1'])
    assert.throws(() => settingsOf({ ...SECRET, CONTACTS_PORT: wrong }), /CONTACTS_PORT is/);
});

test('questions with unknown names do not compile', () => {
  // Never runs: only the type checker reads it.
  const ask = async (pdp: Pdp): Promise<void> => {
    const principal = { id: 'sally', roles: ['user'] };
    const attr = { name: '', email: '', owner: '', private: false };
    await pdp.isAllowed({ principal, resource: { kind: 'contact', id: '1', attr }, action: 'read' });
    // @ts-expect-error: no such action
    await pdp.isAllowed({ principal, resource: { kind: 'contact', id: '1', attr }, action: 'raed' });
    // @ts-expect-error: no such kind
    await pdp.plan({ principal, resource: { kind: 'contacts' }, actions: ['list'] });
    await pdp.check({
      principal,
      // @ts-expect-error: no such attribute
      resource: { kind: 'contact', id: '1', attr: { ...attr, secret: true } },
      actions: ['read'],
    });
    // @ts-expect-error: an attribute is missing
    await pdp.check({ principal, resource: { kind: 'contact', id: '1', attr: { name: '' } }, actions: ['read'] });
  };
  assert.type(ask, 'function');
});

test.run();
