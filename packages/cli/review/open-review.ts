import type { ActorInput, Engine } from '../../../runtime/engine/index.js';
import { currentInstant, makeExplainer } from '../../analysis/explain/explain.js';
import { subjectPlans } from '../../analysis/subjects/subject-plans.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import type { Program } from '../../../compiler/ir/program.js';
import { fold } from '../../../compiler/optimise/index.js';
import { type CommandContext, printNote } from '../context.js';
import { EXIT, UsageError } from '../exit.js';
import { policiesInMemory } from '../policies/compile.js';
import type { EngineFlags } from '../policies/engine-flags.js';
import { decidingOptions } from '../policies/engine-options.js';
import type { NowOption } from '../policies/now-option.js';
import {
  readEnforcedTables,
  readPrincipals,
  readResources as readResourceFile,
  requireTable,
  requireUsers,
} from '../policies/request-files.js';
import { decidingEngine } from '../policies/tenants.js';
import type { TenantsOption } from '../policies/tenants-option.js';
import { reportDatabaseError } from '../rls/database.js';
import type { UserStore } from './cells.js';
import { type Population, readResources, readUsers } from './population.js';
import { Reasons } from './reasons.js';

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

/** A review that is going on. */
export interface OpenReview {
  readonly population: Population;
  readonly store: UserStore;
  readonly engine: Engine;
  readonly program: Program;
  readonly hash: string;
  readonly at: string;
  readonly actors: readonly ActorInput[];
  readonly reasons: Reasons;
}

/** Runs a command of reviews: errors of the database are its own. */
export async function reported(context: CommandContext, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    return reportDatabaseError(error, context);
  }
}

/** How many problems a command prints. */
export const MOST_SHOWN = 20;

/** Reads policies and population, and passes them on while the database is open. */
export async function withReview(
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
  const declared = requireUsers(file, users);
  const { requireUrl, withTables } = await import('../tables/open-tables.js');
  return withTables(requireUrl(options.database, context), async ({ select }, dialect) => {
    const own = await readUsers(select, declared, dialect);
    const stored = [];
    for (const kind of kinds) {
      const table = requireTable(file, kind, users);
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
    return await work({ ...common, population, store: { kind: 'table', users: declared, dialect, select } });
  });
}
