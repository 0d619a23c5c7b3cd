import { fork } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../compiler/bundle/index.js';
import { compile } from '../compiler/compile.js';
import { Source } from '../compiler/diagnostics/source.js';
import { bundleWorker } from './harness/bundled-worker.js';
import { ROOT } from './harness/paths.js';
import { aim, figure, type Section, table } from './harness/report.js';
import type { LongSample } from './long.worker.js';
import { FOLDER, installLibraries } from './peers/libraries/install.js';
import { documents } from './peers/libraries/workloads/documents.js';
import type { Bundles } from './workload/bundles.js';

export const LONG_TITLE = 'Long runs';

/** How long each version of Node runs (`MINUTES=1` to try). */
const MINUTES = Number(process.env['MINUTES'] ?? 60);
/** How much more a process may use in the last third of its samples than in the second. */
const MOST_GROWTH = 1.1;

/**
 * One process for each version of Node that .ci/run installs, all at the same time: a server, clients, and other
 * libraries (long.worker.ts).
 */
export async function longBench(bundles: Bundles): Promise<Section> {
  installLibraries();
  const { files } = compile(
    Object.entries(documents.policies).map(([path, text]) => new Source(path, text)),
    undefined,
    { explain: true },
  );
  const path = bundles.write('long.mjs', (await bundle(files, join(ROOT, 'runtime'))).js);
  const worker = await bundleWorker('long.worker', FOLDER);
  const runs = await Promise.all(
    nodes().map(async ([version, node]) => ({ version, ...(await run(version, node, [worker, path])) })),
  );
  const failures = runs.flatMap(({ version, samples, end }) => [
    ...(end === 'ended' ? [] : [`Node ${version} ${end}`]),
    ...GROWING.filter((name) => growth(samples, name) > MOST_GROWTH).map((name) => `Node ${version}: ${name} grows`),
  ]);
  return {
    title: LONG_TITLE,
    text: [
      `${MINUTES} minutes in one process each: a server, every question over REST, Connect and gRPC, its plan, an engine in process and the other libraries, explanations, calls of the admin API, and another bundle every 1.2 seconds. All answers to a question are compared. Memory is measured after a garbage collection; *growth* compares the median of the last third of the samples with that of the second.`,
      table(
        [
          'Node',
          'calls',
          'libraries',
          'bundles',
          'heap MB',
          'growth',
          'resident MB',
          'growth',
          'descriptors',
          'growth',
          'end',
        ],
        runs.map(({ version, samples, end }) => [
          version,
          figure(samples.at(-1)?.calls ?? 0),
          String(samples.at(-1)?.libraries ?? 0),
          figure(samples.at(-1)?.swaps ?? 0),
          ...GROWING.flatMap((name) => {
            const last = samples.at(-1)?.[name] ?? 0;
            return [figure(name === 'descriptors' ? last : last / 1e6), `${growth(samples, name).toFixed(2)}x`];
          }),
          end,
        ]),
      ),
      aim('no process ends early, and memory and descriptors grow by less than a tenth', failures.length === 0),
    ].join('\n\n'),
    failures,
  };
}

const GROWING = ['heap', 'resident', 'descriptors'] as const;

/** The versions of Node, from their programs; this one, if none is installed. */
function nodes(): readonly (readonly [version: string, program: string])[] {
  const cache = join(ROOT, '.cache');
  const folders = existsSync(cache) ? readdirSync(cache).filter((name) => /^node-\d/.test(name)) : [];
  if (folders.length === 0) return [[process.versions.node, process.execPath]];
  return folders.map((folder) => {
    const modules = join(cache, folder, 'node_modules');
    const [platform = ''] = readdirSync(modules).filter((name) => name.startsWith('node-'));
    return [folder.slice('node-'.length), join(modules, platform, 'bin', 'node')];
  });
}

/**
 * V8 of Node 20 aborts sooner or later where two libraries are WebAssembly: it cannot return to code that it has optimised
 * together with their functions. That needs none of our code (docs/decisions/packages-page-and-tools.md#0138).
 */
const WITHOUT_INLINED_WASM = ['--no-turbo-inline-js-wasm-calls'];

interface Run {
  readonly samples: readonly LongSample[];
  /** `ended`, or how the process ended instead. */
  readonly end: string;
}

function run(version: string, node: string, parameters: readonly string[]): Promise<Run> {
  const child = fork(parameters[0] as string, [...parameters.slice(1), String(MINUTES)], {
    execPath: node,
    execArgv: version.startsWith('20.') ? WITHOUT_INLINED_WASM : [],
    cwd: ROOT,
  });
  const samples: LongSample[] = [];
  child.on('message', (message) => samples.push(message as LongSample));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) =>
      resolve({ samples, end: code === 0 ? 'ended' : `failed with ${signal ?? `code ${code}`}` }),
    );
  });
}

function growth(samples: readonly LongSample[], name: (typeof GROWING)[number]): number {
  const third = Math.floor(samples.length / 3);
  const median = (part: readonly LongSample[]): number =>
    part.map((sample) => sample[name]).sort((a, b) => a - b)[Math.floor(part.length / 2)] ?? Number.NaN;
  return median(samples.slice(2 * third)) / median(samples.slice(third, 2 * third));
}
