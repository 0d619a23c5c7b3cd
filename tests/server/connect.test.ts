import { type DescMessage, fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ListeningServer } from '../../server/main.js';
import { send } from '../support/server/http-client.js';
import { start } from '../support/server/start.js';
import { findMessage, findService } from '../support/protobuf.js';

const test = suite('Connect');
let server: ListeningServer;
test.before(async () => {
  server = await start();
});
test.after(() => server.close());

const service = findService('authz.svc.v1.AuthzService');
const PATH = '/authz.svc.v1.AuthzService/';
const check = {
  requestId: 'r1',
  principal: { id: 'a', roles: ['user'] },
  resources: [{ resource: { kind: 'contact', id: 'c1' }, actions: ['read', 'delete'] }],
};
const post = (
  method: string,
  body: string | Buffer,
  headers: { readonly [name: string]: string } = { 'content-type': 'application/json' },
) => send(server.httpAddress, 'POST', PATH + method, body, headers);

test('a JSON check has a JSON response', async () => {
  const answer = await post('CheckResources', JSON.stringify(check), {
    'content-type': 'application/json; charset=utf-8',
    'connect-protocol-version': '1',
  });
  assert.is(answer.status, 200);
  assert.is(answer.headers['content-type'], 'application/json');
  assert.equal(JSON.parse(answer.text).results[0].actions, { delete: 'EFFECT_DENY', read: 'EFFECT_ALLOW' });
  assert.is(answer.headers['authz-call-id'], JSON.parse(answer.text).authzCallId);
});

test('a response has its actions by name, over REST and in protobuf, whatever their order in the request', async () => {
  const resources = [
    { resource: { kind: 'contact', id: 'c1' }, actions: ['update', 'read', 'delete', 'create', 'list'] },
  ];
  const request = { ...check, resources, includeMeta: true };
  const sorted = ['create', 'delete', 'list', 'read', 'update'];
  const { text } = await send(server.httpAddress, 'POST', '/api/check/resources', JSON.stringify(request));
  const baseUrl = `http://${server.httpAddress}`;
  const transport = createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: true });
  // biome-ignore lint/suspicious/noExplicitAny: a client of a service known only at runtime has no types.
  const client = createClient(service, transport) as any;
  const answer = await client.checkResources(fromJson(findMessage('authz.request.v1.CheckResourcesRequest'), request));
  // The library keeps the order that the entries of a map have in bytes.
  for (const response of [JSON.parse(text), answer]) {
    const [result] = response.results;
    assert.equal(Object.keys(result.actions), sorted);
    assert.equal(Object.keys(result.meta.actions), sorted);
  }
});

test('the published client reads both formats, of responses and of errors', async () => {
  for (const useBinaryFormat of [true, false]) {
    const transport = createConnectTransport({
      baseUrl: `http://${server.httpAddress}`,
      httpVersion: '1.1',
      useBinaryFormat,
    });
    // biome-ignore lint/suspicious/noExplicitAny: a client of a service known only at runtime has no types.
    const client = createClient(service, transport) as any;
    const request = fromJson(findMessage('authz.request.v1.CheckResourcesRequest'), check);
    const response = toJson(
      findMessage('authz.response.v1.CheckResourcesResponse'),
      await client.checkResources(request),
    ) as unknown as { results: readonly { actions: object }[] };
    assert.equal(response.results[0]?.actions, { delete: 'EFFECT_DENY', read: 'EFFECT_ALLOW' });
    const { version, bundleHash } = await client.serverInfo({});
    assert.equal([version, bundleHash], ['1.2.3', 'e253cbe640079a7a']);
    try {
      await client.checkResources({});
      assert.unreachable();
    } catch (error) {
      assert.is(
        (error as { rawMessage: string }).rawMessage,
        'validation errors:\n - principal: value is required\n - resources: value is required',
      );
      assert.is((error as { code: number }).code, 3);
      const [detail] = (
        error as { findDetails: (type: DescMessage) => readonly { violations: readonly { ruleId: string }[] }[] }
      ).findDetails(findMessage('buf.validate.Violations'));
      assert.equal(
        detail?.violations.map((violation) => violation.ruleId),
        ['required', 'required'],
      );
    }
  }
});

test('errors have their code as a word and the matching status', async () => {
  const invalid = await post('CheckResources', '{');
  assert.is(invalid.status, 400);
  assert.equal(JSON.parse(invalid.text), { code: 'invalid_argument', message: 'unexpected EOF' });
  const crash = await post(
    'CheckResources',
    JSON.stringify({ ...check, resources: [{ resource: { kind: 'k', id: '1' }, actions: ['crash'] }] }),
  );
  assert.is(crash.status, 500);
  assert.equal(JSON.parse(crash.text), { code: 'internal', message: 'Policy check failed' });
  const plan = await post('PlanResources', '{}');
  assert.is(plan.status, 400);
  assert.is(JSON.parse(plan.text).code, 'invalid_argument');
  const binary = await post('CheckResources', Buffer.from([0x0a]), { 'content-type': 'application/proto' });
  assert.is(binary.status, 400);
  assert.is(JSON.parse(binary.text).code, 'invalid_argument');
});

test('unknown procedures, methods and media types have different errors', async () => {
  const unknown = await post('Nope', '{}');
  assert.is(unknown.status, 404);
  assert.is(JSON.parse(unknown.text).code, 'unimplemented');
  const get = await send(server.httpAddress, 'GET', `${PATH}CheckResources`);
  assert.is(get.status, 405);
  assert.is(get.headers['allow'], 'POST');
  for (const type of ['text/plain', 'application/grpc', 'application/json; charset=latin1', 'nonsense']) {
    assert.is((await post('CheckResources', '{}', { 'content-type': type })).status, 415, type);
  }
});

test('protocol version, compression and timeout are validated', async () => {
  const headers = { 'content-type': 'application/json' };
  assert.is(
    (await post('CheckResources', JSON.stringify(check), { ...headers, 'connect-protocol-version': '2' })).status,
    400,
  );
  assert.is(
    (await post('CheckResources', JSON.stringify(check), { ...headers, 'content-encoding': 'gzip' })).status,
    501,
  );
  assert.is(
    (await post('CheckResources', JSON.stringify(check), { ...headers, 'connect-timeout-ms': 'x' })).status,
    400,
  );
  assert.is(
    (await post('CheckResources', JSON.stringify(check), { ...headers, 'connect-timeout-ms': '3600000' })).status,
    200,
  );
  const late = await post('CheckResources', JSON.stringify(check), { ...headers, 'connect-timeout-ms': '0' });
  assert.is(late.status, 504);
  assert.is(JSON.parse(late.text).code, 'deadline_exceeded');
});

test('a binary request has a binary response', async () => {
  const body = Buffer.from(
    toBinary(
      findMessage('authz.request.v1.CheckResourcesRequest'),
      fromJson(findMessage('authz.request.v1.CheckResourcesRequest'), check),
    ),
  );
  const answer = await post('CheckResources', body, { 'content-type': 'application/proto' });
  assert.is(answer.status, 200);
  assert.is(answer.headers['content-type'], 'application/proto');
});

test.run();
