import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './harness/paths.js';
import { figure, percent, ratio, type Section, table } from './harness/report.js';
import { type Measurement, statisticsOf } from './harness/rounds.js';
import { OURS, OVERVIEW_TITLE, type OverviewRow, printOverview, readOverview } from './overview.js';
import { installLibraries, VERSIONS } from './peers/libraries/install.js';
import { runWorkload, startLibrary } from './peers/libraries/run-workload.js';
import { weighAuthz, weighLibrary } from './peers/libraries/weigh.js';
import { LIBRARIES, type Library } from './peers/libraries/libraries.js';
import type { Workload } from './peers/libraries/workload.js';
import type { WorkloadReport } from './peers/libraries/worker.js';
import { WORKLOADS } from './peers/libraries/workloads.js';
import { documents } from './peers/libraries/workloads/documents.js';
import { roles } from './peers/libraries/workloads/roles.js';
import { drawPicture } from './picture.js';

export const LIBRARIES_TITLE = 'Beside other libraries';

/** The picture beside results.md. */
const PICTURE = join(ROOT, 'bench', 'results.svg');

const QUESTIONS = 1_024;
const ROUNDS = 15;
const STARTS = 7;

/**
 * Decisions in process beside libraries from npm, on policies of our own and on workloads that others published. All
 * libraries decide all questions alike before one is measured.
 */
export async function librariesBench(): Promise<readonly Section[]> {
  const notInstalled = installLibraries();
  const reports = new Map<Workload, WorkloadReport>();
  for (const workload of WORKLOADS) {
    reports.set(workload, await runWorkload(workload, QUESTIONS, ROUNDS));
    process.stderr.write(`${workload.name}: measured\n`);
  }
  const missing = new Map(
    [...notInstalled, ...[...reports.values()].flatMap((report) => report.missing)].map(({ name, reason }) => [
      name,
      reason,
    ]),
  );
  const present = LIBRARIES.filter(({ name }) => !missing.has(name));
  const starts = await measureStarts(present);
  const rows: OverviewRow[] = [];
  const [byRoles, byAttributes] = [roles, documents].map(
    (workload) => (reports.get(workload) as WorkloadReport).measurements,
  ) as [readonly Measurement[], readonly Measurement[]];
  for (const { name, median } of byRoles) {
    const library = present.find((one) => one.name === name);
    rows.push({
      name,
      roles: median,
      attributes: byAttributes.find((one) => one.name === name)?.median,
      bytes:
        library !== undefined ? await weighLibrary(library) : name === OURS ? await weighAuthz(documents) : undefined,
      start: starts.get(name),
    });
  }
  const overview = printOverview(rows);
  writeFileSync(PICTURE, drawPicture(readOverview(overview)));
  return [
    { title: OVERVIEW_TITLE, text: overviewText(overview), failures: [] },
    { title: LIBRARIES_TITLE, text: details(reports, missing), failures: [] },
  ];
}

function overviewText(overview: string): string {
  return [
    '![CPU time of one decision in process, by library](results.svg)',
    overview,
    [
      'One decision in process, in nanoseconds of CPU: by roles alone, and with attributes of the principal and of a document. *By hand* is the',
      'same in TypeScript, and *prepared* is `for(principal).can`, as sessions use it and as CASL and Permix work. The rules do little,',
      'so this is where authz is farthest from code by hand, as it is by [a trivial rule](#a-trivial-rule); rules that do more are below. *KB gzipped* is what a program grows by,',
      `with WebAssembly, and *first decision* is CPU time from the import of the package on. See [${LIBRARIES_TITLE}](#${LIBRARIES_TITLE.toLowerCase().replaceAll(' ', '-')}) for the method.`,
    ].join(' '),
  ].join('\n\n');
}

function details(reports: ReadonlyMap<Workload, WorkloadReport>, missing: ReadonlyMap<string, string>): string {
  const sections = [...reports].map(([workload, report]) => {
    const reference = (report.measurements.find(({ name }) => name === OURS) as Measurement).median;
    const rows = report.measurements.map(({ name, minimum, median, spread }) => [
      name,
      ratio(median / reference),
      figure(minimum),
      figure(median),
      percent(spread),
    ]);
    return [
      `### ${workload.title}`,
      workload.about,
      table(['measured', 'to authz', 'minimum ns', 'median ns', 'spread'], rows),
      `${report.questions.toLocaleString('en-US')} questions, of which ${report.allowed.toLocaleString('en-US')} are allowed.`,
      ...(workload.quoted === undefined ? [] : [workload.quoted]),
    ].join('\n\n');
  });
  return [
    'Nanoseconds of CPU per decision. All libraries decide all questions alike before one is measured. What can be prepared is prepared beforehand, in the form of each library: abilities, entities, requests as JSON. Libraries take turns of at least 30 ms; promises of those that answer with one are part of the cost. Nine libraries decide the first two workloads; for those of others, policies are written for CASL, Cedar and, where it is short, casbin and Cedarling.',
    notes(),
    ...[...missing].map(([name, reason]) => `Not measured: ${name} (${reason}).`),
    ...sections,
    provenance(),
  ].join('\n\n');
}

function notes(): string {
  return LIBRARIES.flatMap(({ name, note }) => (note === undefined ? [] : [`- ${name}: ${note}.`])).join('\n');
}

/** What the figures depend on. */
function provenance(): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const versions = LIBRARIES.map((library) => `${library.package} ${VERSIONS[library.package]}`).join(', ');
  return table(
    ['provenance', ''],
    [
      ['processor', `${cpus()[0]?.model.trim()}, ${cpus().length} of them, shared`],
      ['Node', process.version],
      ['commit', commit],
      ['samples', `${ROUNDS} rounds, medians; ${STARTS} starts`],
      ['versions', versions],
    ],
  );
}

async function measureStarts(libraries: readonly Library[]): Promise<ReadonlyMap<string, number>> {
  const samples = new Map<string, number[]>([OURS, ...libraries.map(({ name }) => name)].map((name) => [name, []]));
  const byRoles = new Set(libraries.filter(({ rolesOnly }) => rolesOnly).map(({ name }) => name));
  for (let round = 0; round < STARTS; round++)
    for (const [name, list] of samples)
      list.push((await startLibrary(byRoles.has(name) ? roles : documents, name)).cpu);
  return new Map([...samples].map(([name, list]) => [name, statisticsOf(list).median]));
}
