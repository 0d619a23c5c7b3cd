import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertLinear } from '../../tests/support/growth.js';
import { type Ask, Rows, Subject } from './ask.js';
import { Loader } from './loader.js';
import { decideAll, type Deciders, type LoopOptions } from './loop.js';
import { prepareSources } from './source.js';

const test = suite('deciding while facts are fetched');

const NO_SCHEMAS = { principal: false, resource: false };

/** Allows all whose facts are known. */
const deciders = {
  engine: { isAllowed: () => true },
  partial: { partial: (_: unknown, unknown: ReadonlySet<string>) => new Set(unknown) },
  rejects: () => NO_SCHEMAS,
  effectFacts: () => undefined,
  at: (_: unknown, work: () => unknown) => work(),
} as unknown as Deciders;

const options: LoopOptions = {
  order: 'fast',
  tx: undefined,
  signal: undefined,
  until: Number.POSITIVE_INFINITY,
  isFresh: () => false,
  maxSkew: Number.POSITIVE_INFINITY,
  instant: { seconds: 0, nanos: 0, offset: 0 },
  now: () => 0,
};

test('many questions of one call cost as many times as much', async () => {
  const [source] = prepareSources(
    [
      {
        of: 'doc',
        provides: ['owner'],
        types: { owner: 'string' },
        load: async () => new Map([['d', { owner: 'ann' }]]),
      },
    ],
    { deadline: 60_000, caller: 'use', types: undefined },
  );
  assert.ok(source);
  await assertLinear('deciding', 2000, (size) => {
    const loader = new Loader(source, () => 0);
    const principals = [
      { input: { id: 'ann', roles: ['user'] }, subject: new Subject('principal.attr', 'ann', {}, [], []) },
    ];
    const asks = Array.from(
      { length: size },
      (): Ask => ({
        principals,
        resource: {
          input: { kind: 'doc', id: 'd' },
          subject: new Subject('resource.attr', 'd', {}, [loader], []),
        },
        action: 'view',
        auxData: undefined,
        tenants: undefined,
      }),
    );
    return async () => {
      let allowed = 0;
      await decideAll(asks, new Rows(), deciders, options, (_, decision) => {
        if (decision.allowed) allowed += 1;
      });
      assert.is(allowed, size);
    };
  });
});

test.run();
