import { hashSync } from 'bcryptjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RpcError } from '../service/rpc-error.js';
import { verifyCredentials } from './admin-auth.js';

const credentials = { username: 'admin', passwordHash: hashSync('pass:word', 4) };
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const refusal = async (header: string | undefined): Promise<string> => {
  try {
    await verifyCredentials(header, credentials);
    return '';
  } catch (error) {
    assert.is((error as RpcError).code, 'unauthenticated');
    return (error as RpcError).message;
  }
};

test('the right name and password pass, whatever the case of the scheme; a password may have colons', async () => {
  assert.is(await refusal(basic('admin:pass:word')), '');
  assert.is(await refusal(basic('admin:pass:word').replace('Basic', 'basic')), '');
});

test('everything else is refused with the text of its case', async () => {
  assert.is(await refusal(undefined), 'authentication required');
  assert.is(await refusal(''), 'authentication required');
  assert.is(await refusal('Bearer abc'), 'unsupported authentication method');
  assert.is(await refusal('Basic %%%'), 'failed to decode credentials');
  assert.is(await refusal(basic('admin')), 'invalid credentials');
  for (const wrong of ['admin:', 'admin:pass', 'root:pass:word', 'Admin:pass:word', ':']) assert.is(await refusal(basic(wrong)), 'incorrect credentials');
});

test.run();
