import { sanitize } from '../../../runtime/policy/index.js';
import type { Source } from '../../../compiler/diagnostics/source.js';
import type { Module, Program } from '../../../compiler/ir/program.js';
import type { SuiteFiles, TestFile } from '../../../compiler/load/index.js';
import { testFilter } from '../../policy-tests/filter.js';
import { testCalls } from '../../policy-tests/run-tests.js';

/** What the results of tests depend on. */
export interface TestInputs {
  readonly sources: readonly Source[];
  /** The JSON schemas of the policies, by path. */
  readonly schemas: ReadonlyMap<string, string>;
  readonly program: Program;
  readonly suites: readonly SuiteFiles[];
}

/**
 * The suites whose results a change can affect: those that changed, with their fixtures, and those about a kind whose
 * resource policies changed. Any other change of the policies can affect every suite: derived roles and exported
 * variables are shared, a policy of a principal or a role may be about any kind, and a policy that is added or removed
 * may change which scopes exist.
 */
export function affectedSuites(before: TestInputs | undefined, now: TestInputs): readonly SuiteFiles[] {
  if (before === undefined) return now.suites;
  const kinds = affectedKinds(before, now);
  if (kinds === 'all') return now.suites;
  const textsBefore = new Map(before.suites.map((suite) => [suite.path, joinTexts(suite)]));
  return now.suites.filter((suite) => textsBefore.get(suite.path) !== joinTexts(suite) || isAbout(suite, kinds));
}

/** Whether nothing that tests depend on differs, as after a file was only touched. */
export function isUnchanged(before: TestInputs | undefined, now: TestInputs): boolean {
  if (before === undefined || affectedSuites(before, now).length > 0) return false;
  const paths = ({ suites }: TestInputs): string => suites.map(({ path }) => path).join('\0');
  return paths(before) === paths(now) && changedPaths(before.sources, now.sources).length === 0;
}

function affectedKinds(before: TestInputs, now: TestInputs): ReadonlySet<string> | 'all' {
  if (!isSame(before.schemas, now.schemas)) return 'all';
  const kinds = new Set<string>();
  for (const path of changedPaths(before.sources, now.sources)) {
    const [old, own] = [findModule(before.program, path), findModule(now.program, path)];
    if (old?.kind !== 'resource' || own?.kind !== 'resource' || old.key !== own.key) return 'all';
    kinds.add(own.kindName);
  }
  return kinds;
}

function changedPaths(before: readonly Source[], now: readonly Source[]): readonly string[] {
  const old = new Map(before.map(({ path, text }) => [path, text]));
  const own = new Map(now.map(({ path, text }) => [path, text]));
  return [...new Set([...old.keys(), ...own.keys()])].filter((path) => old.get(path) !== own.get(path));
}

/** The only policy of a file; undefined if it is to be imported, or disabled. */
function findModule({ modules }: Program, path: string): Module | undefined {
  return modules.find(({ sourcePath }) => sourcePath === path);
}

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([path, text]) => other.get(path) === text);
}

/** A suite that cannot be run makes no calls: it runs, to be shown again. */
function isAbout(suite: SuiteFiles, kinds: ReadonlySet<string>): boolean {
  if (kinds.size === 0) return false;
  const calls = testCalls([suite], { filter: testFilter([]), skipBatching: false, traced: false });
  return calls.length === 0 || calls.some(({ question }) => kinds.has(sanitize(question.resource.kind)));
}

function joinTexts({ file, principals, resources, auxData }: SuiteFiles): string {
  return JSON.stringify([file, principals, resources, auxData].map((own) => own && readText(own)));
}

function readText(file: TestFile): string {
  return 'unreadable' in file ? file.unreadable : file.source.text;
}
