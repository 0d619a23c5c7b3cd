import { hashSync } from 'bcryptjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RpcError } from '../service/rpc-error.js';
import { AdminAuthenticator } from './auth.js';

const authenticator = new AdminAuthenticator({ username: 'admin', passwordHash: hashSync('pass:word', 4) });
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const refusal = async (header: string | undefined): Promise<string> => {
  try {
    await authenticator.authenticate(header);
    return '';
  } catch (error) {
    assert.is((error as RpcError).code, 'unauthenticated');
    return (error as RpcError).message;
  }
};

test('the right name and password are accepted in any case of the scheme, and a password may have colons', async () => {
  assert.is(await refusal(basic('admin:pass:word')), '');
  assert.is(await refusal(basic('admin:pass:word').replace('Basic', 'basic')), '');
});

test('everything else is rejected with a specific message', async () => {
  assert.is(await refusal(undefined), 'authentication required');
  assert.is(await refusal(''), 'authentication required');
  assert.is(await refusal('Bearer abc'), 'unsupported authentication method');
  assert.is(await refusal('Basic %%%'), 'failed to decode credentials');
  assert.is(await refusal(basic('admin')), 'invalid credentials');
  for (const wrong of ['admin:', 'admin:pass', 'root:pass:word', 'Admin:pass:word', ':'])
    assert.is(await refusal(basic(wrong)), 'incorrect credentials');
});

test('attempts are checked one by one and limited in number, and known good credentials do not wait', async () => {
  const open = new AdminAuthenticator({ username: 'admin', passwordHash: hashSync('secret', 6) });
  await open.authenticate(basic('admin:secret'));
  const outcomes: string[] = [];
  const wrong = Array.from({ length: 20 }, (_, index) =>
    open.authenticate(basic(`admin:${index}`)).catch(({ code }: RpcError) => outcomes.push(code)),
  );
  await open.authenticate(basic('admin:secret'));
  assert.not(outcomes.includes('unauthenticated'));
  await Promise.all(wrong);
  assert.equal(
    [
      outcomes.filter((code) => code === 'resource_exhausted').length,
      outcomes.filter((code) => code === 'unauthenticated').length,
    ],
    [12, 8],
  );
});

test('name and password are checked separately', async () => {
  const open = new AdminAuthenticator({ username: 'ab', passwordHash: hashSync('c', 4) });
  await open.authenticate(basic('ab:c'));
  assert.is(await open.authenticate(basic('a:bc')).catch(({ message }: RpcError) => message), 'incorrect credentials');
});

test.run();
