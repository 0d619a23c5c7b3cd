import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import { importBundle } from '../../compiler/bundle/import-bundle.js';
import type { Compilation } from '../../compiler/compile.js';
import { createEngine } from '../../runtime/engine/index.js';
import { builtOnce } from '../support/built-once.js';
import { compileTexts, SHARED } from '../support/compiled.js';
import { linkedBundle } from '../support/linked-bundle.js';
import { type Outcome, readKnownFailures, settle } from '../support/known-failures.js';
import { type Environment, policyOf, problemOf, type RecordedCase } from './recorded-case.js';
import { auxDataOf } from './recorded-claims.js';
import { skip } from '../support/skip.js';

const file = join(SHARED, 'cases', 'cel-cases.json');
const test = suite('recorded CEL cases');

if (existsSync(file)) {
  const { cases, environment } = JSON.parse(readFileSync(file, 'utf8')) as {
    cases: readonly RecordedCase[];
    environment: Environment;
  };
  const known = readKnownFailures(join(import.meta.dirname, 'known-failures.txt'));
  const running = cases.filter(({ errorKind }) => errorKind !== 'compile');
  const refused = cases.filter(({ errorKind }) => errorKind === 'compile');

  test('every expression has the recorded value or failure, as output and as condition, strict or not', async () => {
    settle('cel-cases', await replay(running, environment, known), known, 2448);
  });

  test('every expression that must not compile is rejected with the recorded message', () => {
    settle('cel-refusals', refusals(refused), known, 324);
  });
} else {
  skip(import.meta.url, 'the recorded CEL cases are not here (../shared/cases)');
}

test.run();

/** All cases compile as one set, a policy each. Cases that do not compile are left out of the set that is evaluated. */
async function replay(
  cases: readonly RecordedCase[],
  environment: Environment,
  known: ReadonlyMap<string, string>,
): Promise<readonly Outcome[]> {
  const byKind = new Map(cases.map((entry, index) => [`case${index}`, entry]));
  const suspects = [...byKind].filter(([, { id }]) => known.has(`cel-cases/${id}`)).map(([kind]) => kind);
  const { failures, js } = await compiledOnce(textsOf(byKind), suspects);
  for (const [kind] of failures) byKind.delete(kind);
  const outcomes: Outcome[] = [...failures].map(([kind, [message]]) => ({
    id: `cel-cases/${cases[Number(kind.slice('case'.length))]?.id}`,
    problem: `does not compile: ${message}`,
  }));

  const { policies, traced } = await importBundle(js);
  const globals = asGlobals(environment.globals);
  const lenient = createEngine(policies, { globals });
  const strict = createEngine(policies, { globals, strictEvaluation: true, traced: await traced() });
  for (const [kind, entry] of byKind) {
    const engine =
      entry.globals === undefined ? lenient : createEngine(policies, { globals: asGlobals(entry.globals) });
    const strictly =
      entry.globals === undefined
        ? strict
        : createEngine(policies, { globals: asGlobals(entry.globals), strictEvaluation: true, traced: await traced() });
    const request = await requestOf(entry, kind, environment);
    const [result] = engine.check(request);
    const [strictResult] = strictly.check(request);
    const condition = result?.actions[1]?.effect === 1;
    const isSteady = (strictResult?.actions[1]?.effect === 1) === condition;
    const output = result?.outputs.find(({ action }) => action === 'out');
    const problem =
      problemOf(entry, output, condition) ?? (isSteady ? undefined : 'strict evaluation decides otherwise');
    outcomes.push({ id: `cel-cases/${entry.id}`, problem: problem && `${entry.expr}: ${problem}` });
  }
  return outcomes;
}

interface CompiledCases {
  /** The errors of policies that do not compile, by kind. */
  readonly failures: readonly (readonly [kind: string, problems: readonly string[]])[];
  /** The bundle of the others. */
  readonly js: string;
}

/** Compiles policies, once for all versions of Node: that takes far longer than evaluating them. */
async function compiledOnce(texts: Texts, suspects: readonly string[]): Promise<CompiledCases> {
  const key = createHash('sha256')
    .update(JSON.stringify([texts, suspects]))
    .digest('hex');
  const folder = builtOnce('cel-cases', [], (empty) =>
    writeFileSync(join(empty, 'compiled.json'), JSON.stringify({ key, ...compiled(texts, suspects) })),
  );
  const stored = JSON.parse(readFileSync(join(folder, 'compiled.json'), 'utf8')) as ReturnType<typeof compiled> & {
    readonly key: string;
  };
  // What tests change is not in the name of the folder.
  const { failures, files } = stored.key === key ? stored : compiled(texts, suspects);
  return { failures, js: await linkedBundle(files) };
}

function compiled(texts: Texts, suspects: readonly string[]) {
  const rest = { ...texts };
  const failures = new Map<string, readonly string[]>();
  const omit = (problems: ReadonlyMap<string, readonly string[]>): void => {
    for (const [kind, messages] of problems) {
      failures.set(kind, messages);
      delete rest[`${kind}.yaml`];
    }
  };
  // First those that are known to fail: without them, the others need to be compiled only once.
  omit(
    problemsIn(compileTexts(Object.fromEntries(suspects.map((kind) => [`${kind}.yaml`, texts[`${kind}.yaml`] ?? ''])))),
  );
  let compilation = compileTexts(rest);
  const unexpected = problemsIn(compilation);
  omit(unexpected);
  if (unexpected.size > 0) compilation = compileTexts(rest);
  return { failures: [...failures], files: compilation.files.map(({ path, text }) => ({ path, text })) };
}

function refusals(cases: readonly RecordedCase[]): readonly Outcome[] {
  return cases.map((entry) => {
    const id = `cel-refusals/${entry.id}`;
    const messages = problemsIn(compileTexts(textsOf(new Map([['case0', entry]])))).get('case0') ?? [];
    const isAsRecorded = messages.some(
      (message) => message === entry.wantError || message.includes(`[${entry.wantError}]`),
    );
    if (messages.length > 0 && (isAsRecorded || entry.messageIsImplementationSpecific === true))
      return { id, problem: undefined };
    return { id, problem: `${entry.expr}: ${entry.wantError} expected, got ${messages.join('; ')}` };
  });
}

/** The compile errors of policies, by kind. */
function problemsIn({ diagnostics }: Compilation): ReadonlyMap<string, readonly string[]> {
  const problems = new Map<string, string[]>();
  for (const { severity, source, message } of diagnostics) {
    const kind = source?.path.replace('.yaml', '') ?? '';
    if (severity === 'error') problems.set(kind, [...(problems.get(kind) ?? []), message]);
  }
  return problems;
}

/** Policies by path. */
type Texts = { readonly [path: string]: string };

function textsOf(cases: ReadonlyMap<string, RecordedCase>): Texts {
  return Object.fromEntries([...cases].map(([kind, entry]) => [`${kind}.yaml`, policyOf(entry, kind)]));
}

async function requestOf(
  entry: RecordedCase,
  kind: string,
  { principal, resource }: Environment,
): Promise<Parameters<ReturnType<typeof createEngine>['check']>[0]> {
  return {
    principal: {
      id: principal.id,
      roles: principal.roles,
      attr: entry.principalAttr as never,
      policyVersion: entry.principalPolicyVersion,
    },
    resources: [{ resource: { kind, id: resource.id, attr: entry.resourceAttr as never }, actions: ['out', 'cond'] }],
    auxData: (await auxDataOf(entry)) as never,
  };
}

/** Globals of a configuration: integers are CEL ints (docs/spec/conditions.md#numbers-in-requests). */
function asGlobals(value: unknown): never {
  if (typeof value === 'number') return (Number.isInteger(value) ? BigInt(value) : value) as never;
  if (Array.isArray(value)) return value.map(asGlobals) as never;
  if (typeof value !== 'object' || value === null) return value as never;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asGlobals(item)])) as never;
}
