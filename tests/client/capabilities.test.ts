import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { capabilities as capabilitiesPart, createEngine } from '../../runtime/engine/index.js';
import { policies } from '../../generated/index.js';
import type { Policies } from '../../generated/types.js';
import { capabilities, inProcessClient } from '../../packages/client/index.js';

const test = suite('capabilities over a client');

test('are those of the engine, in the order of the rows, in requests that a server accepts', async () => {
  const engine = createEngine<Policies>(policies, { use: [capabilitiesPart()] });
  const client = inProcessClient<Policies>(engine);
  const sizes: number[] = [];
  const counted = {
    checkAll: (...args: Parameters<typeof client.checkAll>) => {
      sizes.push(args[0].resources.length);
      return client.checkAll(...args);
    },
  };
  const rows = Array.from({ length: 120 }, (_, index) => ({
    id: `${index}`,
    attr: { owner: index % 3 === 0 ? 'bob' : 'ann', visibility: 'public', friends: [], status: 'OPEN' },
  }));
  const request = {
    principal: { id: 'bob', roles: ['user'] },
    resource: { kind: 'album' },
    rows,
    actions: ['view', 'edit'],
  } as const;
  assert.equal(await capabilities(counted as typeof client, request as never), engine.capabilities(request as never));
  assert.equal(sizes, [50, 50, 20]);
});

test.run();
