import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Load, type SimulationOptions, simulate } from '../../bench/fleet/simulation.js';
import { dockerRegistry, type FleetSource, holdingServer, nginx } from '../../bench/fleet/sources.js';
import { missing, NGINX, REGISTRY } from '../support/sources/daemons.js';
import { skip } from '../support/skip.js';
import { succeedOnce } from '../support/timeout.js';

/* The simulation of bench/fleet with few servers: that it runs, and that nobody asks more often than agreed. */

const test = suite('many servers and one source');
const absent = missing(NGINX, REGISTRY);

if (absent.length > 0) skip(import.meta.url, `not installed: ${absent.join(', ')}`);
else defineTests();

test.run();

/** A test that passes once: on a busy machine, servers that ask twice a second may have no turn for longer. */
function testPatiently(name: string, run: (factor: number) => Promise<void>): void {
  test(name, () => succeedOnce(3, (done) => run(4 ** done)));
}

function defineTests(): void {
  const servers = 20;
  const options: SimulationOptions = {
    pollers: servers,
    processes: 1,
    poll: { interval: 500, jitter: 20, longPoll: 10_000, maxBackoff: 1000 },
    bundleSize: 10_000,
    steady: 1500,
    outage: 0,
  };
  /** Requests of a load if all wait as briefly as they may, in milliseconds. */
  const most = ({ requests, perSecond }: Load, wait: number): number =>
    servers * (Math.ceil((requests / perSecond) * (1000 / wait)) + 1);
  const simulated = async (start: () => Promise<FleetSource>, others: Partial<SimulationOptions> = {}) => {
    const source = await start();
    try {
      return await simulate(source, { ...options, ...others });
    } finally {
      await source.close();
    }
  };

  testPatiently('nginx: all servers change, and none stampedes after an outage', async (factor) => {
    const { steady, change, outage } = await simulated(nginx, { steady: 1500 * factor, outage: 2000 * factor });
    assert.equal(Object.keys(steady.statuses), ['304']);
    assert.ok(steady.requests >= servers && steady.requests <= most(steady, 400), String(steady.requests));
    assert.is(change.statuses['200'], servers);
    assert.ok(change.bytes > servers * 10_000 && change.bytes < servers * 20_000, String(change.bytes));
    assert.ok(change.half <= change.last);
    // A failure, then waits of a second, half of it at random.
    assert.ok(outage !== undefined && outage.away.requests <= most(outage.away, 500), JSON.stringify(outage));
    assert.ok((outage.away.statuses['failed'] ?? 0) >= servers, JSON.stringify(outage));
    assert.ok((outage.back.statuses['304'] ?? 0) >= servers, JSON.stringify(outage));
  });

  testPatiently('a registry: a request is a HEAD until the tag has another digest', async (factor) => {
    const { steady, change } = await simulated(dockerRegistry, { steady: 1500 * factor });
    assert.equal(Object.keys(steady.statuses), ['200']);
    assert.ok(steady.requests <= most(steady, 400), String(steady.requests));
    assert.ok(steady.bytes / steady.requests < 1500, String(steady.bytes / steady.requests));
    assert.ok(change.bytes > servers * 10_000, String(change.bytes));
  });

  testPatiently('a server that holds requests: changes arrive at once', async (factor) => {
    const { steady, change } = await simulated(holdingServer, { steady: 1500 * factor });
    // Those that each begins to hold.
    assert.ok(steady.requests <= servers, String(steady.requests));
    assert.is(change.statuses['200'], servers);
    assert.ok(change.last < 5000, String(change.last));
  });
}
