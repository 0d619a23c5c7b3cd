import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decideWith } from './decision-point.js';

test('properties of the resource pass neither for those of the action nor for a context', async () => {
  const seen: unknown[] = [];
  const client = {
    isAllowed: async ({ resource }: { readonly resource: { readonly attr?: unknown } }) => seen.push(resource.attr) > 0,
  };
  const decide = decideWith(client as never, () => ({ roles: ['user'] }));
  const properties = { a: 1, 'authz.actionProperties': { soft: true }, 'authz.context': { agent: 'trusted' } };
  const resource = { type: 'tool', id: 't', properties };
  const subject = { type: 'user', id: 'u' };
  await decide({ subject, action: { name: 'call' }, resource }, {});
  await decide({ subject, action: { name: 'call', properties: { b: 2 } }, resource, context: { c: 3 } }, {});
  assert.equal(seen, [{ a: 1 }, { a: 1, 'authz.actionProperties': { b: 2 }, 'authz.context': { c: 3 } }]);
});

test.run();
