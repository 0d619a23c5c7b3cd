import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runChild } from './harness/child.js';
import { ROOT } from './harness/paths.js';
import { aim, figure, megabytes, type Section, table } from './harness/report.js';
import { tenantPolicies } from './workload/tenant-policies.js';

export const SIZE_TITLE = 'Large sets';

/** What a bundle costs that is loaded once and asked about all tenants. */
export interface SizeReport {
  /** Milliseconds. */
  readonly load: number;
  /** Bytes, after loading and after questions about all tenants. */
  readonly loadedHeap: number;
  readonly usedHeap: number;
  /** Microseconds; undefined without tenants. */
  readonly first: number | undefined;
  /** Nanoseconds of CPU. */
  readonly hot: number;
  readonly random: number;
  /** Microseconds of CPU. */
  readonly plan: number;
}

/** What compiling a set costs. */
interface Compiled {
  readonly seconds: number;
  readonly peakMemory: number;
  /** The same with a heap of `BOUND` megabytes. */
  readonly bounded: number;
  readonly bytes: number;
}

/** Sets of policies of tenants, ten a tenant, up to a hundred thousand (`POLICIES=10000` for fewer). */
export async function sizeBench(): Promise<Section> {
  const most = Number(process.env.POLICIES ?? 100_000);
  const rows: { readonly count: number; readonly compiled: Compiled; readonly used: SizeReport }[] = [];
  for (const count of [10, 1_000, 10_000, 100_000].filter((count) => count <= most)) rows.push(await measured(count));
  const [least, last] = [rows[0], rows.at(-1)];
  return {
    title: SIZE_TITLE,
    text: [
      `Ten kinds at the root, of six rules each, and ten policies for each tenant: eight resource policies of three rules, of which two are a scope below, a role policy and a principal policy. \`dist/authzc.js compile --no-cache\`, without tests of policies. Peak memory is that of the compiler with its threads, without esbuild; *bounded* is the same with \`--max-old-space-size=${BOUND}\`.`,
      table(
        ['policies', 'compiled in s', 'a policy ms', 'peak memory', 'bounded', 'bundle'],
        rows.map(({ count, compiled: { seconds, peakMemory, bounded, bytes } }) => [
          count.toLocaleString('en-US'),
          figure(seconds),
          figure((seconds * 1000) / count),
          megabytes(peakMemory),
          megabytes(bounded),
          `${figure(bytes / 1e6)} MB`,
        ]),
      ),
      'Loaded into a process: the heap after loading, and after two questions about each tenant. *First* is the first decision at a scope. *Hot* are decisions about one tenant, *all* about all tenants in turn.',
      table(
        ['policies', 'load ms', 'heap', 'heap, all', 'first us', 'hot ns', 'all ns', 'plan us'],
        rows.map(({ count, used: { load, loadedHeap, usedHeap, first, hot, random, plan } }) => [
          count.toLocaleString('en-US'),
          figure(load),
          `${figure(loadedHeap / 1e6)} MB`,
          `${figure(usedHeap / 1e6)} MB`,
          first === undefined ? '' : figure(first),
          figure(hot),
          figure(random),
          figure(plan),
        ]),
      ),
      ...(least === undefined || last === undefined || last.count < 10_000
        ? []
        : [
            aim(
              'a hot decision takes at most 1.5 times as long as with 1,000 policies',
              last.used.hot <= 1.5 * (rows[1]?.used.hot ?? 0),
            ),
            aim(
              'compiling takes at most 20 KB of peak memory a policy, beyond 500 MB',
              last.compiled.peakMemory <= 500e6 + 20e3 * last.count,
            ),
            aim(`compiling takes at most 1 GB with a heap of ${BOUND} MB`, last.compiled.bounded <= 1e9),
          ]),
    ].join('\n\n'),
    failures: [],
  };
}

/** The heap that is enough for the largest set, in megabytes. */
const BOUND = 750;

async function measured(count: number) {
  const folder = mkdtempSync(join(tmpdir(), 'authz-bench-'));
  try {
    for (const [path, text] of tenantPolicies(count)) {
      const file = join(folder, 'policies', path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    const compiled = compiledIn(folder);
    rmSync(join(folder, 'generated'), { recursive: true });
    const { peakMemory: bounded } = compiledIn(folder, `--max-old-space-size=${BOUND}`);
    const bundle = join(folder, 'policies.mjs');
    const used = await runChild<SizeReport>('size.worker.ts', [String(count), bundle]);
    process.stderr.write(`${count} policies: ${JSON.stringify({ ...compiled, bounded, ...used })}\n`);
    return { count, compiled: { ...compiled, bounded, bytes: statSync(bundle).size }, used };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function compiledIn(folder: string, ...options: readonly string[]): Omit<Compiled, 'bounded' | 'bytes'> {
  const begin = performance.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      ...options,
      `--import=data:text/javascript,${encodeURIComponent(AT_EXIT)}`,
      join(ROOT, 'dist', 'authzc.js'),
      'compile',
      'policies',
      '--no-cache',
      '--skip-tests',
      '--bundle=policies.mjs',
    ],
    { cwd: folder, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  const seconds = (performance.now() - begin) / 1000;
  return { seconds, peakMemory: Number(/peak (\d+)/.exec(stderr)?.[1]) * 1024 };
}

/** Only the main thread reports: threads share its memory. */
const AT_EXIT = `
import { isMainThread } from 'node:worker_threads';
if (isMainThread) process.on('exit', () => console.error('peak ' + process.resourceUsage().maxRSS));
`;
