import { fold } from '../../../compiler/optimise/index.js';
import type { Program } from '../../../compiler/ir/program.js';
import {
  type AccessRequest,
  chainOf,
  type CompiledBundle,
  type Engine,
  type EngineOptions,
} from '../../../runtime/engine/index.js';
import {
  FACT_ROOTS,
  factName,
  type FactRoot,
  getAttributes,
  readAttribute,
  withoutFacts,
} from '../../../runtime/facts/fact-names.js';
import { readSetsOfCheck, type ResourceCheck } from '../../../runtime/facts/of-check.js';
import type { Attributes, ReadSet } from '../../../runtime/policy/index.js';
import { ReadSets } from '../facts/of-point.js';
import { PartialDecisions } from '../partial/partial-decisions.js';
import { type KeptFacts, listUnknown } from './reduced-request.js';

/** A fact that a decision cannot do without. */
export interface DecidingFact {
  /** `resource.attr.owner`; `resource.attr.*` for all other attributes, where a condition reads them as a whole. */
  readonly fact: string;
  /** Left out for a fact that is absent. */
  readonly value?: unknown;
}

/** A request of a log. */
export interface LoggedCheck extends ResourceCheck {
  readonly resource: ResourceCheck['resource'] & { readonly id: string };
  /** What the entry keeps of it; undefined if it is whole. */
  readonly kept: KeptFacts | undefined;
}

/** Finds facts by which decisions are made: with these alone, and whatever the others are, they are the same. */
export class LeastFacts {
  private readonly partial: PartialDecisions;
  private readonly sets: ReadSets;
  private readonly isRejecting: boolean;

  /** @param engine the engine of the policies, with the options. */
  constructor(
    program: Program,
    private readonly engine: Engine,
    guard: CompiledBundle['guard'],
    options: EngineOptions,
  ) {
    const folded = fold(program);
    this.partial = new PartialDecisions(folded, guard, options);
    this.sets = new ReadSets(folded, options, false);
    this.isRejecting = options.schemaEnforcement === 'reject';
  }

  /**
   * Facts of which none can be left out; undefined if it is not known, as for principals with actors.
   * @param allowed what was decided.
   */
  find(check: LoggedCheck, action: string, allowed: boolean): readonly DecidingFact[] | undefined {
    if (chainOf(check.principal).length > 1) return undefined;
    const one = { ...check, actions: [action] };
    const sets = readSetsOfCheck((query) => this.sets.of(query), this.engine, one, 'effect');
    const { kept } = check;
    const lacking = kept === undefined ? [] : sets.flatMap((set) => listUnknown(set, { ...check, kept }));
    const all = listFacts(sets, check).filter((fact) => !lacking.includes(fact));
    const decides = (unknown: ReadonlySet<string>): boolean => this.decide(check, action, unknown) === allowed;
    const isOfPolicies = decides(new Set(lacking));
    // What a schema reads, it may reject.
    const ofSchemas = this.isRejecting && (allowed || !isOfPolicies) ? this.schemaFacts(check, action) : [];
    if (!isOfPolicies) return this.isRejecting && !allowed ? this.describe(ofSchemas, check) : undefined;
    const candidates = all.filter((fact) => !ofSchemas.includes(fact));
    const shrink = (order: readonly string[]): readonly string[] => {
      const unknown = new Set(lacking);
      for (const fact of order) {
        unknown.add(fact);
        if (!decides(unknown)) unknown.delete(fact);
      }
      return all.filter((fact) => !unknown.has(fact));
    };
    const [first, second] = [shrink(candidates), shrink([...candidates].reverse())];
    return this.describe([...(second.length < first.length ? second : first), ...listWholes(sets)], check);
  }

  private decide(check: LoggedCheck, action: string, unknown: ReadonlySet<string>): boolean | undefined {
    const { principal, tenants } = check;
    const known: AccessRequest = { ...withoutFacts(check, unknown), action, ...(tenants && { tenants }) };
    const roles = this.engine.tenants?.rolesFor(known).roles ?? principal.roles;
    const answer = this.partial.partial({ ...known, principal: { ...known.principal, roles } }, unknown);
    return typeof answer === 'boolean' ? answer : undefined;
  }

  private schemaFacts({ resource, principal }: LoggedCheck, action: string): readonly string[] {
    const { kind, scope, policyVersion: version } = resource;
    // Without roles, what schemas mention is left.
    return [...this.sets.of({ kind, action, roles: [], scope, version, principal }).facts];
  }

  private describe(facts: readonly string[], check: LoggedCheck): readonly DecidingFact[] {
    return facts.map((fact) => {
      for (const root of FACT_ROOTS) {
        const name = readAttribute(fact, root);
        const attributes: Attributes = getAttributes(root, check) ?? {};
        if (name !== undefined && Object.hasOwn(attributes, name)) return { fact, value: attributes[name] };
      }
      return { fact };
    });
  }
}

/** The sides that are read as a whole: that they have no other attributes may decide. */
function listWholes(sets: readonly ReadSet[]): readonly string[] {
  return FACT_ROOTS.flatMap((root) =>
    sets.some(({ paths }) => paths.some(({ path }) => isWhole(path, root))) ? `${root}.*` : [],
  );
}

function isWhole([part, side, name]: readonly string[], root: FactRoot): boolean {
  const [ownPart, ownSide] = root.split('.');
  return (part ?? ownPart) === ownPart && (side ?? ownSide) === ownSide && (name === undefined || name === '*');
}

/** The facts of read sets by name; those of a side that is read as a whole are the ones that it has. */
function listFacts(sets: readonly ReadSet[], check: LoggedCheck): readonly string[] {
  const found = new Set<string>();
  for (const { paths } of sets)
    for (const { path } of paths)
      for (const root of FACT_ROOTS) {
        const [ownPart, ownSide] = root.split('.');
        const [part, side, name] = path;
        if (isWhole(path, root))
          for (const own of Object.keys(getAttributes(root, check) ?? {})) found.add(factName(root, own));
        else if (part === ownPart && side === ownSide && name !== undefined) found.add(factName(root, name));
      }
  return [...found];
}
