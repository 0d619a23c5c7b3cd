import { existsSync, readFileSync } from 'node:fs';
import type { ActorInput, Engine, ResourceInput } from '../../../runtime/engine/index.js';
import { sanitize } from '../../../runtime/policy/index.js';
import { readPublicKeys, readSigningKey, signDocument, verifyDocument } from '../../bundle/index.js';
import { currentInstant, makeExplainer } from '../../analysis/explain/explain.js';
import { subjectPlans } from '../../analysis/subjects/subject-plans.js';
import { listActions } from '../../analysis/decision/narrowing.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import type { Program } from '../../../compiler/ir/program.js';
import { fold } from '../../../compiler/optimise/index.js';
import { type CommandContext, printNote } from '../context.js';
import { EXIT, UsageError } from '../exit.js';
import { named } from '../bundles/archive-file.js';
import { replaceFiles } from '../outputs/replace-files.js';
import { policiesInMemory } from '../policies/compile.js';
import type { EngineFlags } from '../policies/engine-flags.js';
import { decidingOptions } from '../policies/engine-options.js';
import type { NowOption } from '../policies/now-option.js';
import { readEnforcedTables, readPrincipals, readResources as readResourceFile } from '../policies/request-files.js';
import { decidingEngine } from '../policies/tenants.js';
import type { TenantsOption } from '../policies/tenants-option.js';
import { InputError } from '../report.js';
import { reportDatabaseError } from '../rls/database.js';
import { evaluateReview, type UserStore } from '../review/evaluate.js';
import {
  type Decision,
  exportGaps,
  exportPairs,
  groupPairs,
  type PairName,
  pairKey,
  type ReviewExport,
} from '../review/export.js';
import { findIrregular } from '../review/findings.js';
import { reviewCsv, reviewHtml } from '../review/formats.js';
import { digestPopulation, type Population, readResources, readUsers } from '../review/population.js';
import { Reasons } from '../review/reasons.js';
import { readJson, readReview, type ReviewState } from '../review/state.js';

/** What a review is about: users, resources and the database of both. */
export interface ReviewSources extends EngineFlags, NowOption, TenantsOption {
  /** A file of tables, with `users` and the tables of resources. */
  readonly users?: string;
  /** A file of principals. */
  readonly data?: string;
  /** A file of resources. */
  readonly resources?: string;
  /** The kinds of resources that are read from tables. */
  readonly kind?: readonly string[];
  /** A database; true for that of the environment. */
  readonly database?: string | true;
  /** A file of principals that act for users. */
  readonly actors?: string;
  /** The file of the review. */
  readonly review: string;
}

/** The command line options of `authzc review start`. */
export interface ReviewStartOptions extends ReviewSources {
  readonly action?: readonly string[];
}

/** The command line options of `authzc review export`. */
export interface ReviewExportOptions extends ReviewSources {
  readonly output: 'csv' | 'json' | 'html';
  readonly out: string;
  /** The file of a private key. */
  readonly key?: string;
}

/** The command line options of `authzc review record`. */
export interface ReviewRecordOptions extends ReviewSources {
  /** A file of `review export -o json`. */
  readonly export: string;
  /** A file of decisions. */
  readonly decisions?: string;
  readonly by?: string;
}

/** `authzc review start`: freezes who and what is reviewed. Returns the exit code. */
export function reviewStartCommand(
  directory: string,
  options: ReviewStartOptions,
  context: CommandContext,
): Promise<number> {
  return reported(context, () =>
    withReview(directory, options, context, async ({ population, program, hash, at }) => {
      const actions = options.action ?? namedActions(program, population.resources);
      if (actions.length === 0)
        throw new UsageError('no policy names an action of these kinds: name some by `--action`');
      const state: ReviewState = {
        format: 1,
        started: at,
        policies: hash,
        actions: [...new Set(actions)].sort(),
        population: digestPopulation(population),
        decisions: [],
      };
      writeJson(options.review, state);
      const { users, resources } = state.population;
      context.stdout.write(
        `${visible(options.review)}: ${users.count} users, ${resources.count} resources, ${state.actions.length} actions\n`,
      );
      return EXIT.done;
    }),
  );
}

/** `authzc review export`: who may do what, why, and what is not known. Returns the exit code. */
export function reviewExportCommand(
  directory: string,
  options: ReviewExportOptions,
  context: CommandContext,
): Promise<number> {
  return reported(context, async () => {
    const state = readReview(options.review, context);
    if (options.key !== undefined && options.output !== 'html') throw new UsageError('--key signs a page: use -o html');
    return withReview(directory, options, context, async (review) => {
      const exported = await evaluated(review, state);
      const changes = populationChanges(state, exported);
      if (changes.length > 0) {
        for (const change of changes) printNote(context, `error: ${change}`);
        return EXIT.failed;
      }
      const { output, out, key } = options;
      const text =
        output === 'json'
          ? `${JSON.stringify(exported, undefined, 2)}\n`
          : output === 'csv'
            ? reviewCsv(exported)
            : reviewHtml(exported);
      const files = [{ path: out, text, durable: true }];
      if (key !== undefined) {
        const pem = named(key, () => readFileSync(key, 'utf8'));
        const signature = await signDocument(Buffer.from(text), await readSigningKey(pem), Date.now());
        files.push({ path: `${out}.jws`, text: signature, durable: true });
      }
      replaceFiles(files);
      const gaps = exported.notEvaluated.length;
      context.stdout.write(`${visible(out)}: ${exported.pairs.length} pairs, ${gaps} not evaluated\n`);
      for (const { kind, resource, action, reason, place } of exported.notEvaluated.slice(0, MOST_SHOWN))
        printNote(
          context,
          visible(
            `${place === '' ? '' : `${place}: `}error: not evaluated: ${action} of ${kind} ${resource}: ${reason}`,
          ),
        );
      return gaps > 0 ? EXIT.failed : EXIT.done;
    });
  });
}

const MOST_SHOWN = 20;

/** `authzc review record`: takes decisions, and says what changed since an export. Returns the exit code. */
export function reviewRecordCommand(
  directory: string,
  options: ReviewRecordOptions,
  context: CommandContext,
): Promise<number> {
  return reported(context, async () => {
    const state = readReview(options.review, context);
    const before = readJson(options.export, context) as Partial<ReviewExport>;
    if (before.format !== 1 || !Array.isArray(before.pairs))
      throw new InputError(
        'this is not an export: `authzc review export -o json` writes one',
        undefined,
        [],
        options.export,
      );
    const pairs = before.pairs as ReviewExport['pairs'];
    const known = new Set(pairs.map(pairKey));
    const taken =
      options.decisions === undefined
        ? []
        : readDecisions(readJson(options.decisions, context), options, known, new Date().toISOString());
    const all = new Map([...state.decisions, ...taken].map((one) => [pairKey(one), one]));
    const next: ReviewState = { ...state, decisions: [...all.values()] };
    return withReview(directory, options, context, async (review) => {
      const now = await evaluated(review, next);
      writeJson(options.review, next);
      const current = new Set(now.pairs.map(pairKey));
      const open = pairs.filter((pair) => !all.has(pairKey(pair)));
      const { stdout } = context;
      stdout.write(`${taken.length} decisions recorded, ${open.length} of ${pairs.length} pairs are not decided\n`);
      const tell = (title: string, names: readonly PairName[]): void => {
        if (names.length > 0) stdout.write(`${title}: ${names.length}\n`);
        for (const name of names.slice(0, MOST_SHOWN)) stdout.write(`  ${visible(pairText(name))}\n`);
      };
      for (const change of populationChanges(state, now)) stdout.write(`${visible(change)}\n`);
      const revoked = next.decisions.filter((one) => one.decision === 'revoke' && current.has(pairKey(one)));
      tell('revoked, and still allowed', revoked);
      tell(
        'allowed since',
        now.pairs.filter((pair) => !known.has(pairKey(pair))),
      );
      tell(
        'no longer allowed',
        pairs.filter((pair) => !current.has(pairKey(pair))),
      );
      const gaps = now.notEvaluated.length;
      if (gaps > 0) printNote(context, `error: ${gaps} parts could not be evaluated, so that they may have changed`);
      return gaps > 0 ? EXIT.failed : EXIT.done;
    });
  });
}

/** `authzc review verify`: whether a page is what a key has signed. Returns the exit code. */
export function reviewVerifyCommand(
  file: string,
  { key }: { readonly key: readonly string[] },
  context: CommandContext,
): Promise<number> {
  return reported(context, async () => {
    const lists = key.map(async (path) => readPublicKeys(named(path, () => readFileSync(path, 'utf8'))));
    const keys = (await Promise.all(lists)).flat();
    const signature = `${file}.jws`;
    if (!existsSync(signature)) throw new InputError('the page has no signature beside it', undefined, [], signature);
    const bytes = named(file, () => readFileSync(file));
    const signer = await verifyDocument(bytes, readFileSync(signature, 'utf8'), keys);
    if (signer === undefined) throw new Error(`\`${visible(file)}\` is not what one of these keys has signed`);
    context.stdout.write(`${visible(file)}: signed by ${signer}\n`);
    return EXIT.done;
  });
}

/** A review that is going on. */
interface OpenReview {
  readonly population: Population;
  readonly store: UserStore;
  readonly engine: Engine;
  readonly program: Program;
  readonly hash: string;
  readonly at: string;
  readonly actors: readonly ActorInput[];
  readonly reasons: Reasons;
}

async function reported(context: CommandContext, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    return reportDatabaseError(error, context);
  }
}

/** Reads policies and population, and passes them on while the database is open. */
async function withReview(
  directory: string,
  options: ReviewSources,
  context: CommandContext,
  work: (review: OpenReview) => Promise<number>,
): Promise<number> {
  const { users, data, resources: resourceFile, kind: kinds = [], actors: actorFile, now, tenants } = options;
  if ((users === undefined) === (data === undefined))
    throw new UsageError('name the users once: by `--users tables.yaml` with a database, or by `--data users.yaml`');
  if (users === undefined && kinds.length > 0)
    throw new UsageError('`--kind` reads the tables of `--users tables.yaml`');
  if (resourceFile === undefined && kinds.length === 0)
    throw new UsageError('name the resources: by `--kind KIND` with their tables, or by `--resources FILE`');
  const policies = await policiesInMemory(directory, context);
  if (policies === undefined) return EXIT.refused;
  const program = fold(policies.lowered);
  const instant = now ?? { ...currentInstant() };
  const engineOptions = { ...decidingOptions(options, context), clock: () => instant, traced: await policies.traced() };
  const deciding = decidingEngine(
    policies.policies,
    { ...engineOptions, use: [subjectPlans(program)] },
    tenants,
    context,
  );
  const explainer = makeExplainer(program, engineOptions);
  const common = {
    engine: deciding.engine,
    program,
    hash: policies.policies.hash,
    at: new Date(instant.seconds * 1000 + instant.nanos / 1e6).toISOString(),
    actors: actorFile === undefined ? [] : readPrincipals(actorFile, context),
    reasons: new Reasons(program, deciding.decided, (request) => explainer.explain(request)),
  };
  const listed = resourceFile === undefined ? [] : readResourceFile(resourceFile, context);
  if (users === undefined) {
    const principals = readPrincipals(data as string, context);
    const population = {
      users: principals.map((principal) => ({ id: principal.id, principal })),
      resources: listed,
      unread: [],
    };
    return work({ ...common, population, store: { kind: 'file' } });
  }
  const file = readEnforcedTables(users, context);
  if (file.users === undefined)
    throw new InputError(
      'the file declares no users',
      undefined,
      [{ message: 'add `users`: docs/access-reviews.md' }],
      users,
    );
  const { detectDialect, openTables, requireUrl } = await import('../tables/open-tables.js');
  const url = requireUrl(options.database, context);
  const dialect = detectDialect(url);
  const tables = await openTables(url);
  try {
    const { select } = tables;
    const own = await readUsers(select, file.users, dialect);
    const stored = [];
    for (const kind of kinds) {
      const table = file.tables.get(kind);
      if (table === undefined) throw new InputError(`no table is declared for \`${kind}\``, undefined, [], users);
      stored.push(await readResources(select, kind, table, dialect, file.rowSecurity.get(kind)?.scope));
    }
    const population = {
      users: own.users,
      resources: [...listed, ...stored.flatMap(({ resources }) => resources)],
      unread: [...own.unread, ...stored.flatMap(({ unread }) => unread)],
    };
    if (population.unread.length > 0) {
      for (const problem of population.unread.slice(0, MOST_SHOWN)) printNote(context, visible(`error: ${problem}`));
      printNote(context, `error: ${population.unread.length} rows could not be read, so nothing is written`);
      return EXIT.failed;
    }
    return await work({ ...common, population, store: { kind: 'table', users: file.users, dialect, select } });
  } finally {
    await tables.close();
  }
}

/** Evaluates a review. */
async function evaluated(review: OpenReview, state: ReviewState): Promise<ReviewExport> {
  const { population, engine, program, hash, at, actors, store, reasons } = review;
  const { pairs, unevaluated } = await evaluateReview(engine, population, state.actions, actors, store);
  const decisions = new Map<string, Decision>(
    state.decisions.map(({ decision, by, at: when, note, ...pair }) => [
      pairKey(pair),
      { decision, by, at: when, ...(note !== undefined && { note }) },
    ]),
  );
  const exported = exportPairs(pairs, (pair) => reasons.of(pair), decisions);
  return {
    format: 1,
    at,
    policies: hash,
    population: digestPopulation(population),
    actions: state.actions,
    pairs: exported,
    groups: groupPairs(exported),
    notEvaluated: exportGaps(unevaluated),
    findings: findIrregular(population, program, engine.tenants),
  };
}

/** What is no longer as it was when a review was started. */
function populationChanges(
  { policies, population }: ReviewState,
  now: Pick<ReviewExport, 'policies' | 'population'>,
): readonly string[] {
  return [
    ...(policies === now.policies ? [] : ['the policies changed since the review was started']),
    ...(['users', 'resources'] as const).flatMap((part) => {
      const [before, after] = [population[part], now.population[part]];
      if (before.hash === after.hash) return [];
      const counts = before.count === after.count ? '' : `: there were ${before.count}, and there are ${after.count}`;
      return [`the ${part} changed since the review was started${counts}`];
    }),
  ];
}

/** The actions that policies name for the kinds of resources. */
function namedActions({ modules }: Program, resources: readonly ResourceInput[]): readonly string[] {
  const kinds = new Set(resources.map(({ kind }) => sanitize(kind)));
  return modules
    .filter((module) => module.kind !== 'resource' || kinds.has(module.kindName))
    .flatMap(listActions)
    .filter((action) => !action.includes('*'));
}

function readDecisions(
  given: unknown,
  { decisions: file = '', by: reviewer }: ReviewRecordOptions,
  known: ReadonlySet<string>,
  now: string,
): readonly (PairName & Decision)[] {
  if (!Array.isArray(given)) throw new InputError('expected a list of decisions', undefined, [], file);
  return given.map((entry: unknown, index) => {
    const read = typeof entry === 'object' && entry !== null ? (entry as { readonly [name: string]: unknown }) : {};
    const text = (name: string, otherwise?: string): string => {
      const value = read[name] ?? otherwise;
      if (typeof value !== 'string') throw new InputError(`[${index}].${name} is not a string`, undefined, [], file);
      return value;
    };
    const decision = text('decision');
    if (decision !== 'keep' && decision !== 'revoke')
      throw new InputError(`[${index}].decision is \`keep\` or \`revoke\``, undefined, [], file);
    const by = text('by', reviewer);
    if (by === '') throw new InputError(`[${index}].by is empty: who decided?`, undefined, [], file);
    const at = text('at', now);
    if (Number.isNaN(Date.parse(at))) throw new InputError(`[${index}].at is not a time`, undefined, [], file);
    const pair = {
      user: text('user'),
      kind: text('kind'),
      resource: text('resource'),
      scope: text('scope', ''),
      action: text('action'),
      through: text('through', ''),
    };
    if (!known.has(pairKey(pair)))
      throw new InputError(`[${index}]: the export does not have ${pairText(pair)}`, undefined, [], file);
    const note = read['note'];
    return { ...pair, decision, by, at, ...(typeof note === 'string' && { note }) };
  });
}

function pairText({ user, kind, resource, scope, action, through }: PairName): string {
  const via = through === '' ? '' : ` through ${through}`;
  return `${user}${via}: ${action} of ${kind} ${resource}${scope === '' ? '' : ` in ${scope}`}`;
}

function writeJson(path: string, value: unknown): void {
  replaceFiles([{ path, text: `${JSON.stringify(value, undefined, 2)}\n`, durable: true }]);
}
