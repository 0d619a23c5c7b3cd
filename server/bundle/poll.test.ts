import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PollConfig } from '../config/bundle-config.js';
import { type Fetched, type Origin, OriginError } from './origin.js';
import { OriginPoll } from './poll.js';

const test = suite('asking an origin');

const POLL: PollConfig = { interval: 60_000, jitter: 20, longPoll: 30_000, maxBackoff: 300_000 };
const HOUR = 3_600_000;

// The timers of a poll do not keep a process alive.
const alive = setInterval(() => undefined, 1000);
test.after(() => clearInterval(alive));

test('asks at jittered intervals', async () => {
  const { times } = await run(HOUR, async () => unchanged());
  assert.ok(times.length >= 50 && times.length <= 75, String(times.length));
  const waits = times.slice(1).map((time, index) => time - (times[index] as number));
  assert.ok(waits.every((wait) => wait >= 48_000 && wait <= 72_000));
  assert.ok(new Set(waits).size > waits.length / 2);
});

test('asks first after a random part of the interval', async () => {
  const first = await Promise.all([0, 0.5, 0.99].map((random) => run(70_000, async () => unchanged(), { random })));
  assert.equal(
    first.map(({ times: [time] }) => time),
    [0, 30_000, 59_400],
  );
});

test('waits longer after each failure, up to a limit', async () => {
  const { times } = await run(HOUR, async () => Promise.reject(new OriginError('unreachable', 'gone')), { random: 1 });
  const waits = times.slice(1).map((time, index) => time - (times[index] as number));
  assert.equal(
    waits.slice(0, 10),
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 300].map((seconds) => seconds * 1000),
  );
  assert.ok(times.length < 25, String(times.length));
});

test('an origin that asks for a pause gets it, within the limit', async () => {
  const asked = [20_000, 10 * HOUR];
  const { times } = await run(HOUR, async () => {
    throw new OriginError('status', 'busy', asked.shift());
  });
  assert.is((times[1] as number) - (times[0] as number), 20_000);
  assert.is((times[2] as number) - (times[1] as number), 300_000);
});

test('a version that is refused is asked for unconditionally, less and less often', async () => {
  const known: unknown[] = [];
  const { times } = await run(
    HOUR,
    async (version) => {
      known.push(version);
      return fetched('bad');
    },
    { offer: async () => Promise.reject(new Error('refused')) },
  );
  assert.equal(known.slice(0, 3), ['v0', undefined, undefined]);
  assert.ok(times.length < 20, String(times.length));
});

test('an origin that flaps between versions is asked once an interval', async () => {
  let count = 0;
  const offered: string[] = [];
  const { times } = await run(HOUR, async () => fetched(`v${count++ % 2}`), {
    offer: async ({ version }) => void offered.push(version),
  });
  assert.ok(times.length <= 75);
  assert.is(offered.length, times.length);
});

test('an origin that holds requests is asked again at once, but not in a loop', async () => {
  const holding = await run(HOUR, async (_, clock) => {
    clock.time += 30_000;
    return { kind: 'unchanged', holds: true };
  });
  assert.ok(holding.times.length >= 115 && holding.times.length <= 121, String(holding.times.length));
  let count = 0;
  const flapping = await run(HOUR, async () => ({ ...fetched(`v${count++}`), holds: true }));
  assert.ok(flapping.times.length <= HOUR / 4000, String(flapping.times.length));
});

test('a look asks at once, ends a request that is held, and shares one request with other looks', async () => {
  const asked: string[] = [];
  let held: (() => void) | undefined;
  const poll = new OriginPoll({
    origin: {
      fetch: (_, _signal, hold) => {
        asked.push(hold === undefined ? 'look' : 'held');
        if (hold === undefined) return Promise.resolve(unchanged());
        return new Promise((resolve) => {
          held?.();
          hold.addEventListener('abort', () => resolve({ kind: 'unchanged', holds: true }));
        });
      },
    },
    poll: POLL,
    known: 'v0',
    offer: async () => undefined,
    attempted: () => undefined,
  });
  const isHeld = new Promise<void>((resolve) => {
    held = resolve;
  });
  poll.start(0);
  await isHeld;
  const looks = [poll.look(), poll.look(), poll.look()];
  assert.equal(await Promise.all(looks), [undefined, undefined, undefined]);
  assert.equal(asked.filter((kind) => kind === 'look').length, 1);
  poll.stop();
});

test('a look has the reason why what the origin has is not served', async () => {
  const problems = [new OriginError('timeout', 'slow'), new Error('bad bundle')];
  const poll = new OriginPoll({
    origin: {
      fetch: async () => {
        if (problems.length === 2) throw problems.shift() as Error;
        return fetched('v1');
      },
    },
    poll: POLL,
    known: undefined,
    offer: async () => {
      const problem = problems.shift();
      if (problem !== undefined) throw problem;
    },
    attempted: () => undefined,
  });
  assert.is((await poll.look())?.message, 'slow');
  assert.is((await poll.look())?.message, 'bad bundle');
  assert.is(await poll.look(), undefined);
  poll.stop();
});

test.run();

function unchanged(): Fetched {
  return { kind: 'unchanged', holds: false };
}

function fetched(version: string): FetchedVersion {
  return { kind: 'fetched', version, bytes: new Uint8Array(), holds: false };
}

type FetchedVersion = Extract<Fetched, { readonly kind: 'fetched' }>;

interface RunOptions {
  readonly offer?: (version: FetchedVersion) => Promise<void>;
  /** Always this; else pseudo-random numbers. */
  readonly random?: number;
}

/** Polls for some time of a clock that sleeping moves, and returns when the origin was asked, in milliseconds. */
async function run(
  duration: number,
  answer: (known: string | undefined, clock: { time: number }) => Promise<Fetched>,
  { offer = async () => undefined, random }: RunOptions = {},
): Promise<{ readonly times: readonly number[] }> {
  const clock = { time: 0 };
  const times: number[] = [];
  let seed = 1;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const origin: Pick<Origin, 'fetch'> = {
    fetch: (known) => {
      times.push(clock.time);
      return answer(known, clock);
    },
  };
  const poll: OriginPoll = new OriginPoll({
    origin,
    poll: POLL,
    known: 'v0',
    offer,
    attempted: () => undefined,
    clock: {
      sleep: async (milliseconds) => {
        clock.time += milliseconds;
        if (clock.time < duration) return;
        poll.stop();
        end();
      },
      random: () => {
        if (random !== undefined) return random;
        seed = (seed * 48_271) % 0x7fffffff;
        return seed / 0x7fffffff;
      },
    },
  });
  poll.start();
  await ended;
  return { times };
}
