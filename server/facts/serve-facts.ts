import type { CompiledBundle } from '../../runtime/engine/index.js';
import type { FactDeciders } from '../../runtime/facts/deciders.js';
import { readingOptions } from '../../runtime/facts/of-check.js';
import type { ReadSetOptions } from '../../runtime/policy/index.js';
import type { SourcesConfig } from '../config.js';
import { ConfigError } from '../config/config-error.js';
import type { Call } from '../service/call.js';
import type { FactsService } from '../service/facts.js';
import type { Populations } from '../service/population.js';
import { ThrottledReporter } from '../throttled-reporter.js';
import type { OnDisagreement } from './bundle-facts.js';
import { type CallFactsOptions, CallFactsService } from './call-facts.js';
import { openPopulations } from './open-populations.js';
import { openSources } from './open-sources.js';
import { listProviders } from './provided.js';
import { type SourceState, SourceStates } from './source-states.js';
import { readSourceTables } from './source-tables.js';
import { describeUnprovided, listUnprovided } from './unprovided.js';

/** Where problems are logged. */
interface Logger {
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** The bundles that decide calls. */
interface Bundles {
  of(call: Pick<Call, 'bundle'>): { readonly facts: FactDeciders | undefined };
}

/** The sources of a server. */
export interface ServedFacts {
  /** Fetches facts for calls that these bundles decide. */
  readonly serviceFor: (bundles: Bundles, fetched?: CallFactsOptions['fetched']) => FactsService;
  /**
   * Tells of facts that the policies of a bundle read and nobody provides. Throws a ConfigError if `sources.require` refuses
   * such a bundle.
   */
  readonly examine: (policies: CompiledBundle, options: ReadSetOptions) => void;
  readonly disagreed: OnDisagreement;
  readonly states: () => readonly SourceState[];
  /** What may be searched; undefined: nothing. */
  readonly populations: Populations | undefined;
  readonly close: () => Promise<void>;
}

/** Opens the sources of a configuration. Rejects with a ConfigError if one cannot be used. */
export async function serveFacts(config: SourcesConfig, logger: Logger | undefined): Promise<ServedFacts> {
  const reporter = new ThrottledReporter((message) => logger?.warn(message));
  const states = new SourceStates(Object.keys(config.from), reporter);
  const tables = readSourceTables(config.from);
  const sources = await openSources(config, tables, states);
  const { gatherer } = sources;
  const providers = listProviders(config, tables);
  const disagreed = (of: string, ids: readonly string[]): void =>
    logger?.error('search/disagree: the database selects rows that a check denies; compare the table file with it', {
      of,
      ids,
    });
  const searched = await openPopulations(config, tables, states, disagreed).catch(async (error: unknown) => {
    await sources.close();
    throw error;
  });
  return {
    populations: searched.populations,
    serviceFor: (bundles, fetched) =>
      new CallFactsService({
        config,
        gatherer,
        deciders: (call) => bundles.of(call).facts as FactDeciders,
        lacked: (source) => states.lacked(source),
        fetched,
      }),
    examine: (policies, engine) => {
      gatherer.addReads(policies.facts?.responsesByKind?.(readingOptions(engine)));
      const read = policies.facts?.byKind(readingOptions(engine)) ?? new Map<string, ReadonlySet<string>>();
      const lacking = listUnprovided(read, providers);
      if (lacking.length === 0) return;
      const described = describeUnprovided(lacking);
      if (config.require)
        throw new ConfigError(
          `no source provides ${described}: add a source, or name the facts that callers send in \`sources.sent\``,
          'sources.require',
        );
      const fields = { hash: policies.hash, facts: described };
      logger?.warn('facts/nobody: no source provides facts that the policies read; callers must send them', fields);
    },
    disagreed: (kind, action) =>
      logger?.error('facts/disagree: a decision from incomplete facts was not confirmed; please report this bug', {
        kind,
        action,
      }),
    states: () => states.list(),
    close: async () => {
      await searched.close();
      await sources.close();
    },
  };
}
