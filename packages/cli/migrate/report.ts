import { visible } from '../../../compiler/diagnostics/visible.js';
import type { Comparison } from './compare.js';
import { FOLDER_IMAGE, newService } from './compose.js';
import type { KeyNote } from './config.js';
import type { PlannedConfig } from './config-files.js';
import type { Plan } from './plan.js';
import { type Finding, TOPICS, type Topic, type WriteStep } from './steps.js';
import type { Trial } from './trial.js';

/** What a migration found and did. */
export interface Outcome {
  readonly plan: Plan;
  readonly trials: readonly Trial[];
  /** The server that was asked, and what differs; undefined if none answers. */
  readonly server: { readonly url: string; readonly comparisons: readonly Comparison[] } | undefined;
  /** The address that did not answer; undefined if no server was looked for. */
  readonly silent: string | undefined;
  /** What was written, for people; undefined without `--write`. */
  readonly written: string | undefined;
}

/** The most places with the same advice that are listed. */
const MOST_PLACES = 20;

/** A report for people: what changes, what is left to do by hand, and whether the result works. */
export function reportText({ plan, trials, server, silent, written }: Outcome): string {
  const sections = [
    policiesSection(plan),
    ...plan.configs.map(configSection),
    containerSection(plan),
    ...(Object.keys(TOPICS) as Topic[])
      .filter((topic) => topic !== 'policies')
      .map((topic) =>
        findingsSection(
          TOPICS[topic],
          plan.findings.filter((finding) => finding.topic === topic),
        ),
      ),
    trialsSection(trials),
    serverSection(server, silent),
    [writtenText(plan, written)],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

function policiesSection({ folders, writes, findings, configs }: Plan): readonly string[] {
  if (folders.length === 0) return ['Policies', '  none found: no YAML or JSON file has an `apiVersion` of policies'];
  const isConfig = (path: string): boolean => configs.some((config) => config.path === path);
  return [
    'Policies',
    ...folders.map(
      ({ path, policies, schemas, suites }) =>
        `  ${visible(path)}: ${counted(policies, 'policy', 'policies')}, ${counted(schemas, 'schema')}, ${counted(suites, 'suite of tests', 'suites of tests')}`,
    ),
    ...writes.filter(({ path }) => !isConfig(path)).map((step) => `    ${writeText(step)}`),
    ...findings
      .filter(({ topic }) => topic === 'policies')
      .map((finding) => `    by hand  ${placed(finding)}: ${finding.advice}`),
  ];
}

function writeText({ path, files, changes }: WriteStep): string {
  const others = files.filter((file) => file.path !== path).map((file) => visible(file.path));
  if (files.length > 1) return `split    ${visible(path)} → itself and ${others.join(', ')}: ${changes.join(', ')}`;
  if (others.length > 0) return `rename   ${visible(path)} → ${others.join(', ')}: ${changes.join(', ')}`;
  return `rewrite  ${visible(path)}: ${changes.join(', ')}`;
}

function configSection({ path, target, notes }: PlannedConfig): readonly string[] {
  const name = target === path ? visible(path) : `${visible(path)} → ${visible(target)}`;
  if (notes.length === 0) return [`Configuration ${name}`, '  nothing to change'];
  return [`Configuration ${name}`, ...notes.map((note) => `  ${noteText(note)}`)];
}

function noteText({ key, line, change, advice }: KeyNote): string {
  const place = line === 0 ? '' : ` (line ${line})`;
  return `${change.padEnd(8)} ${key === '' ? 'file' : `\`${visible(key)}\``}${place}: ${advice}`;
}

/** A service for compose files: those that exist change in one line. */
function containerSection({ services, folders: [first] }: Plan): readonly string[] {
  if (services.length === 0 && first === undefined) return [];
  const lines = services.flatMap(({ path, line, image, text }) => [
    `  ${visible(path)}:${line}: \`image: ${visible(image)}\` becomes \`image: ${FOLDER_IMAGE}\`:`,
    ...indented(text),
  ]);
  return [
    `A service for compose files (docker build --target folder -t ${FOLDER_IMAGE} .)`,
    ...(services.length > 0 ? lines : indented(newService(first?.path ?? 'policies'))),
  ];
}

function findingsSection(title: string, findings: readonly Finding[]): readonly string[] {
  if (findings.length === 0) return [];
  const byAdvice = new Map<string, Finding[]>();
  for (const finding of findings) byAdvice.set(finding.advice, [...(byAdvice.get(finding.advice) ?? []), finding]);
  return [
    title,
    ...[...byAdvice].flatMap(([advice, places]) => [
      `  ${advice}`,
      ...places.slice(0, MOST_PLACES).map((finding) => `    ${placed(finding)}`),
      ...(places.length > MOST_PLACES ? [`    and ${places.length - MOST_PLACES} more (-o json lists all)`] : []),
    ]),
  ];
}

function placed({ path, line, what }: Finding): string {
  return `${visible(path)}:${line}  ${visible(what)}`;
}

function trialsSection(trials: readonly Trial[]): readonly string[] {
  if (trials.length === 0) return [];
  return [
    'Compiled and tested',
    ...trials.flatMap(({ text, ...trial }) => [`  ${trialText(trial)}`, ...indented(text)]),
  ];
}

function trialText({ path, result, warnings, tests }: Omit<Trial, 'text'>): string {
  const name = visible(path);
  const warned =
    warnings === 0 ? '' : ` with ${counted(warnings, 'warning')} (authzc compile ${name} --no-emit shows them)`;
  switch (result) {
    case 'refused':
      return `${name}: does not compile`;
    case 'tests failed':
      return `${name}: compiles${warned}; of ${counted(tests, 'test')}, some failed`;
    case 'compiles':
      return `${name}: compiles${warned}; ${tests === 0 ? 'it has no tests' : `${counted(tests, 'test')} passed`}`;
  }
}

function serverSection(server: Outcome['server'], silent: string | undefined): readonly string[] {
  if (silent !== undefined)
    return [
      'Comparison',
      `  no Cerbos server answers at ${visible(silent)}; use --server URL to compare decisions with one`,
    ];
  if (server === undefined) return [];
  const compared = server.comparisons.reduce((sum, comparison) => sum + comparison.compared, 0);
  const differences = server.comparisons.flatMap((comparison) => comparison.differences);
  const count = `${counted(compared, 'request')} sent to ${visible(server.url)}`;
  if (differences.length === 0) return ['Comparison', `  ${count}: all decisions are the same`];
  return [
    'Comparison',
    `  ${count}: ${counted(differences.length, 'decision')} ${differences.length === 1 ? 'differs' : 'differ'}`,
    ...differences
      .slice(0, MOST_PLACES)
      .map(
        ({ request, theirs, ours }) =>
          `    ${visible(theirs)} there, ${ours} here: ${visible(JSON.stringify(request))}`,
      ),
    ...(differences.length > MOST_PLACES
      ? [`    and ${differences.length - MOST_PLACES} more (-o json lists all)`]
      : []),
  ];
}

function writtenText({ writes }: Plan, written: string | undefined): string {
  if (writes.length === 0) return 'No file needs to change.';
  return (
    written ??
    `Nothing was written. With --write, ${counted(writes.length, 'file')} ${writes.length === 1 ? 'changes' : 'change'}.`
  );
}

function indented(text: string): readonly string[] {
  return text
    .trimEnd()
    .split('\n')
    .filter((line, index) => line !== '' || index > 0)
    .map((line) => `    ${line}`);
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
