import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { loadConfig } from '../../server/config.js';
import { startServer } from '../../server/main.js';
import { codesFor } from '../support/attribute-diagnostics.js';
import { loaded } from '../support/compiled.js';
import { send } from '../support/server/http-client.js';

/** The limit of a transfer concerns the amount that the enforcement point puts into the context. */
const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: transfer
  version: default
  schemas:
    resourceSchema:
      ref: authz:///transfer.json
  rules:
    - actions: [send]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: R.attr["authz.context"].amount <= 100.0
`;
const SCHEMA = {
  type: 'object',
  properties: {
    'authz.context': { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } },
  },
  required: ['authz.context'],
};

test('conditions read the context, and the schema of the resource checks it', async () => {
  const { config } = loadConfig({
    sets: ['server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0', 'schema.enforcement=reject'],
    environment: {},
  });
  const server = await startServer(
    config,
    await loaded(
      compile([new Source('transfer.yaml', POLICY)], new Diagnostics(), {
        schemaTexts: new Map([['transfer.json', JSON.stringify(SCHEMA)]]),
      }),
    ),
  );
  const decision = async (context?: object): Promise<unknown> => {
    const body = {
      subject: { type: 'user', id: 'alice' },
      resource: { type: 'transfer', id: 't1', properties: { 'authz.context': { amount: 1 } } },
      action: { name: 'send' },
      context,
    };
    const { text } = await send(server.httpAddress, 'POST', '/access/v1/evaluation', JSON.stringify(body), {
      'Content-Type': 'application/json',
    });
    return JSON.parse(text);
  };
  try {
    assert.equal(await decision({ amount: 100 }), { decision: true });
    assert.equal(await decision({ amount: 101 }), { decision: false });
    assert.equal(await decision({ amount: '100' }), { decision: false });
    assert.equal(await decision({ currency: 'EUR' }), { decision: false });
    assert.equal(await decision(), { decision: false });
  } finally {
    await server.close();
  }
});

test('the compiler checks conditions about the context by that schema', () => {
  const attribute = 'R.attr["authz.context"]';
  assert.equal(codesFor(`${attribute}.amount <= 100.0`, SCHEMA), []);
  assert.equal(codesFor(`${attribute}.amont <= 100.0`, { ...SCHEMA, additionalProperties: false }), ['not-in-schema']);
  assert.equal(codesFor(`${attribute}.amount == "much"`, SCHEMA), ['never-equal']);
});

test.run();
