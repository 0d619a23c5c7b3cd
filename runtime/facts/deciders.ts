import type {
  CompiledBundle,
  Engine,
  EngineOptions,
  EnginePart,
  FactNames,
  MakePartialDecider,
  PrincipalInput,
  ResourceInput,
} from '../engine/index.js';
import { requestedScope } from '../engine/parts.js';
import type { Instant, ReadSetOptions, ReadSetQuery } from '../policy/index.js';
import type { Ask, Place } from './ask.js';
import type { Deciders, SchemaSides } from './loop.js';
import { readingOptions, rolesForAny } from './of-check.js';

export type ExtensibleEngine = Parameters<EnginePart>[0];

/** The facts that decisions read: with further options of the engine, about a query. */
export type ReadFacts = (options: ReadSetOptions, query: ReadSetQuery) => FactNames | undefined;

/** An engine whose decisions about a request are all made at one instant, and what decides while facts are unknown. */
export interface FactDeciders extends Deciders {
  readonly clock: () => Instant;
  readonly reads: ReadFacts | undefined;
  readonly settings: ExtensibleEngine['settings'];
  /** Whether an answer about a resource has more than effects: outputs, or violations of schemas. */
  readonly tellsMore: (principals: readonly PrincipalInput[], resource: Omit<ResourceInput, 'id'>) => boolean;
}

/** What deciders are made of. */
export interface DeciderParts {
  readonly policies: CompiledBundle;
  /** Those of the engine, with the clock. */
  readonly options: EngineOptions;
  readonly clock: () => Instant;
  /** Creates the engine; the options have a clock that stands still while a decision is made. */
  readonly create: (options: EngineOptions) => Engine;
  readonly onDisagreement: Deciders['onDisagreement'];
}

/**
 * Creates what decides while facts are unknown.
 * @throws an Error if the policies were compiled without `--facts`.
 */
export function makeDeciders({ policies, options, clock, create, onDisagreement }: DeciderParts): FactDeciders {
  let instant: Instant | undefined;
  let extensible: ExtensibleEngine | undefined;
  const settings: EngineOptions = { ...options, clock: () => instant ?? clock() };
  const engine = create({
    ...settings,
    use: [
      ...(options.use ?? []),
      (own) => {
        extensible = own;
      },
    ],
  });
  const reads = readFacts(policies, options);
  const own = extensible as unknown as ExtensibleEngine;
  return {
    engine,
    partial: requirePartial(policies)(policies.guard, settings),
    clock,
    reads,
    settings: own.settings,
    tellsMore: (principals, resource) => principals.some((principal) => tellsMore(own, principal, resource)),
    rejects: (ask) => findSchemas(own, ask),
    // Without roles, what schemas mention is left.
    schemaFacts: (ask, index) =>
      reads?.(
        { schemaEnforcement: 'reject' },
        { ...aboutOne(engine, ask, index), action: listActions(ask), roles: [] },
      ),
    effectFacts: (ask, index) => reads?.({}, aboutOne(engine, ask, index)),
    responseFacts: (ask, index) => reads?.({}, { ...aboutOne(engine, ask, index), level: 'response' }),
    at: (chosen, work) => {
      const before = instant;
      instant = chosen;
      try {
        return work();
      } finally {
        instant = before;
      }
    },
    onDisagreement,
  };
}

/** The place of a request is that of its resource. */
export function findPlace(
  { settings }: Pick<FactDeciders, 'settings'>,
  { scope, policyVersion }: Pick<ResourceInput, 'scope' | 'policyVersion'>,
): Place {
  return {
    scope: requestedScope(scope, settings.defaultScope),
    version: policyVersion || settings.defaultPolicyVersion,
  };
}

/** Whether policies that apply to a request have outputs or schemas. */
function tellsMore(
  { settings, registry }: ExtensibleEngine,
  principal: PrincipalInput,
  resource: Omit<ResourceInput, 'id'>,
): boolean {
  const { scope, version } = findPlace({ settings }, resource);
  const chain = registry.resourceChain(resource.kind, version, scope);
  if (settings.schemaEnforcement !== 'none' && chain.schemas !== undefined) return true;
  const own = registry.principals?.chain(principal.id, version, requestedScope(principal.scope, settings.defaultScope));
  return chain.hasOutputs || own?.hasOutputs === true;
}

/** The sides whose schemas reject requests. */
function findSchemas({ settings, registry }: ExtensibleEngine, ask: Ask): SchemaSides {
  const { input } = ask.resource;
  if (settings.schemaEnforcement !== 'reject') return NO_SCHEMAS;
  const { scope, version } = findPlace({ settings }, input);
  const { schemas } = registry.resourceChain(input.kind, version, scope);
  const applies = (schema: { readonly ignores?: (action: string) => boolean } | undefined): boolean =>
    schema !== undefined && !listActions(ask).every((action) => schema.ignores?.(action));
  return { principal: applies(schemas?.principal), resource: applies(schemas?.resource) };
}

function listActions({ action, actions = [action] }: Ask): readonly string[] {
  return actions;
}

const NO_SCHEMAS: SchemaSides = { principal: false, resource: false };

/** Undefined for policies without read sets, whose decisions are then taken to read everything. */
function readFacts(policies: CompiledBundle, engine: EngineOptions): ReadFacts | undefined {
  const { facts } = policies;
  if (facts === undefined) return undefined;
  const own = readingOptions(engine);
  return (options, query) => facts.readSets({ ...own, ...options })(query).facts;
}

/** What a read set is asked about: an ask of one of its principals, with the roles that its tenant gives it. */
function aboutOne(
  engine: Engine,
  { principals, resource: { input }, action, tenants }: Ask,
  index: number,
): ReadSetQuery {
  const principal = (principals[index] as Ask['principals'][number]).input;
  const { id, scope, policyVersion } = principal;
  return {
    kind: input.kind,
    action,
    roles: rolesForAny(engine, { principal, resource: input, actions: [action], tenants }),
    scope: input.scope,
    version: input.policyVersion,
    principal: { id, scope, policyVersion },
  };
}

function requirePartial({ partial }: CompiledBundle): MakePartialDecider {
  if (partial === undefined)
    throw new Error('the policies cannot be decided in part: compile them with `authzc compile --facts`');
  return partial;
}
