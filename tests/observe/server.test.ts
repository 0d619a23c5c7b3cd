import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openLog } from '../../server/observe/log/open-log.js';
import { observe } from '../../server/observe/observe.js';
import { fakeDecider } from '../support/server/fake-decider.js';
import { start } from '../support/server/start.js';

const CHECK = {
  requestId: 'r1',
  principal: { id: 'u', roles: ['user'] },
  resources: [{ actions: ['view'], resource: { kind: 'album', id: 'a' } }],
};

test('the server counts and logs calls of every protocol', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'authz-observe-'));
  const [output, errors] = ['out', 'err'].map((name) => openSync(join(folder, name), 'w')) as [number, number];
  const log = openLog({ output, errors, environment: {} });
  const findConditionErrors = () => [{ expression: 'R.attr.x', message: 'no such key: x' }];
  const observation = await observe({
    log,
    metricsEnabled: true,
    logRequestPayloads: true,
    celErrorLogLevel: 'warn',
    version: '1',
    environment: {},
    findConditionErrors,
    // A busy machine must not use up the budget of the search.
    now: () => 0,
  });
  const server = await start([], fakeDecider, observation.watchers);
  try {
    const post = async (path: string, body: unknown): Promise<string | null> => {
      const response = await fetch(`http://${server.httpAddress}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return ((await response.json()) as { readonly authzCallId?: string }).authzCallId ?? null;
    };
    const id = await post('/api/check/resources', CHECK);
    await post('/authz.svc.v1.AuthzService/CheckResources', CHECK);
    await post('/api/check/resources', { principal: {} });
    await fetch(`http://${server.httpAddress}/_authz/health`);
    await server.close();
    await observation.close();

    const text = (await observation.metrics?.text()) ?? '';
    assert.match(text, 'authz_http_requests_total{rpc="CheckResources",protocol="rest",status="200"} 1\n');
    assert.match(text, 'authz_http_requests_total{rpc="CheckResources",protocol="rest",status="400"} 1\n');
    assert.match(text, 'authz_http_requests_total{rpc="CheckResources",protocol="connect",status="200"} 1\n');
    assert.match(text, '\nauthz_check_batch_size_count 2\n');
    assert.match(text, '\nauthz_evaluation_errors_total 2\n');

    const lines = readFileSync(join(folder, 'out'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    const handled = lines.filter(({ message }) => message === 'Handled request');
    assert.equal(
      handled.map((line) => [line['authz.protocol'], line['grpc.code'], line['log.level']]),
      [
        ['rest', 'OK', 'info'],
        ['connect', 'OK', 'info'],
        ['rest', 'InvalidArgument', 'info'],
      ],
    );
    assert.is(handled[0]?.['authz.call_id'], id);
    assert.is(handled[0]?.['grpc.request.meta.request_id'], 'r1');
    assert.is(lines.filter(({ message }) => message === 'Checked').length, 2);
    assert.is(lines.filter(({ message }) => message === 'Condition could not be evaluated').length, 2);
    assert.is(readFileSync(join(folder, 'err'), 'utf8'), '');
  } finally {
    closeSync(output);
    closeSync(errors);
    rmSync(folder, { recursive: true });
  }
});

test.run();
