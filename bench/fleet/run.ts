import { missing, NGINX, REGISTRY } from '../../tests/support/sources/daemons.js';
import { figure, percent, table } from '../harness/report.js';
import { dockerRegistry, type FleetSource, holdingServer, nginx } from './sources.js';
import { type Load, type SimulationOptions, type SimulationResult, simulate } from './simulation.js';

/*
 * `node --import tsx bench/fleet/run.ts [POLLERS]`: 1,000 servers, or as many as given, ask one nginx, one registry and one
 * server that holds requests, on loopback. Prints what docs/fleet.md cites. Takes about three minutes.
 */

/** A tenth of the defaults, so that requests a second are ten times what they are with the defaults. */
const POLL = { interval: 6000, jitter: 20, longPoll: 3000, maxBackoff: 30_000 };

async function run(pollers: number): Promise<void> {
  const options: SimulationOptions = {
    pollers,
    processes: 4,
    poll: POLL,
    bundleSize: 100_000,
    steady: 2 * POLL.interval,
    outage: 0,
  };
  const results = [
    await simulated(nginx, { ...options, outage: 60_000 }),
    await simulated(dockerRegistry, options),
    await simulated(holdingServer, options),
  ];
  console.log(`${pollers} servers, interval ${POLL.interval / 1000} s, bundle of ${results[0]?.bundleSize} bytes\n`);
  console.log(
    table(
      ['', ...results.map(({ source }) => source)],
      ROWS.map(([name, cell]) => [name, ...results.map(cell)]),
    ),
  );
}

async function simulated(start: () => Promise<FleetSource>, options: SimulationOptions): Promise<SimulationResult> {
  const source = await start();
  try {
    return await simulate(source, options);
  } finally {
    await source.close();
  }
}

const NONE = '–';
const seconds = (milliseconds: number): string => `${figure(milliseconds / 1000)} s`;
const perRequest = ({ bytes, requests }: Load): string => figure(bytes / requests);
const cpu = ({ cpu: time, requests }: Load): string => (time === undefined ? NONE : `${figure(time / requests)} ms`);
const statuses = (load: Load): string => {
  const all = Object.values(load.statuses).reduce((sum, count) => sum + count, 0);
  return Object.entries(load.statuses)
    .map(([status, count]) => `${status}: ${percent(count / all)}`)
    .join(', ');
};

const ROWS: readonly (readonly [name: string, cell: (result: SimulationResult) => string])[] = [
  ['nothing new: requests a second', ({ steady }) => figure(steady.perSecond)],
  ['nothing new: most requests in a second', ({ steady }) => figure(steady.peak)],
  ['nothing new: statuses', ({ steady }) => statuses(steady)],
  ['nothing new: bytes a request', ({ steady }) => perRequest(steady)],
  ['nothing new: CPU of the source a request', ({ steady }) => cpu(steady)],
  ['new bundle: until half of the servers have it', ({ change }) => seconds(change.half)],
  ['new bundle: until the last server has it', ({ change }) => seconds(change.last)],
  ['new bundle: most requests in a second', ({ change }) => figure(change.peak)],
  ['new bundle: requests until then', ({ change }) => figure(change.requests)],
  ['new bundle: bytes', ({ change }) => figure(change.bytes)],
  ['new bundle: CPU of the source', ({ change }) => (change.cpu === undefined ? NONE : seconds(change.cpu))],
  ['source away: attempts a second', ({ outage }) => (outage === undefined ? NONE : figure(outage.away.perSecond))],
  ['source away: most attempts in a second', ({ outage }) => (outage === undefined ? NONE : figure(outage.away.peak))],
  ['source back: most requests in a second', ({ outage }) => (outage === undefined ? NONE : figure(outage.back.peak))],
  ['source back: until the last server has a response', ({ outage }) => (outage ? seconds(outage.recovered) : NONE)],
];

const absent = missing(NGINX, REGISTRY);
if (absent.length > 0) console.log(`skipped: not installed: ${absent.join(', ')}`);
else await run(Number(process.argv[2] ?? 1000));
