import { chainOf, type PrincipalInput, type ResourceInput } from '../engine/index.js';
import type { Need } from './ask.js';
import type { FactsCheck, FactsPlan, Gathered, LackingFact } from './facts-call.js';
import type { Selected, SelectedChain, SelectOptions, Selectors } from './selectors.js';

/** A check, and what sources say of it. */
export interface SelectedCheck {
  /** The part of the check whose policies are known. */
  readonly known: FactsCheck;
  /** What is said of every resource of the check. */
  readonly resources: readonly Selected<ResourceInput>[];
  /** Undefined if no source says anything. */
  readonly chain: SelectedChain | undefined;
  /** The resources that are in `known`; undefined: all. */
  readonly indexes: readonly number[] | undefined;
}

/** What sources say of the roles, the scopes and the versions of a call. */
export class CallSelectors {
  /** @param maxSkew how far apart the facts of a decision may have been fetched, in milliseconds. */
  constructor(
    private readonly selectors: Selectors,
    private readonly maxSkew: number,
  ) {}

  /** Whether sources say anything by which the policies of some questions are chosen. */
  choose(checks: readonly FactsCheck[], plans: readonly FactsPlan[]): boolean {
    if (this.selectors.isEmpty) return false;
    return (
      (this.selectors.isOf(undefined) && checks.length + plans.length > 0) ||
      checks.some(({ resources }) => resources.some(({ resource }) => this.selectors.isOf(resource.kind))) ||
      plans.some(({ resource }) => this.selectors.isOf(resource.kind))
    );
  }

  /** The rows that choose policies, and that are to be asked for first, as everything else depends on them. */
  listNeeds(checks: readonly FactsCheck[], plans: readonly FactsPlan[], gathered: Gathered): readonly Need[] {
    if (this.selectors.isEmpty) return [];
    return [
      ...checks.flatMap((check) => [
        ...this.selectChain(check.principal, gathered).needs,
        ...check.resources.flatMap(({ resource }) => this.selectResource(resource, gathered).needs),
      ]),
      ...plans.flatMap(({ principal }) => this.selectChain(principal, gathered).needs),
    ];
  }

  /** A principal and its actors with what sources say of their roles, scopes and versions. Asks no source. */
  selectChain(principal: PrincipalInput, gathered: Gathered): SelectedChain {
    // Refuses chains that are too long.
    chainOf(principal);
    return this.selectors.ofChain(principal, gathered.rows, this.selectOptions(gathered));
  }

  /** A check with what sources say of roles, scopes and versions; of those resources whose policies are known. */
  selectCheck(check: FactsCheck, gathered: Gathered): SelectedCheck {
    if (this.selectors.isEmpty) return { known: check, resources: [], chain: undefined, indexes: undefined };
    const chain = this.selectChain(check.principal, gathered);
    const resources = check.resources.map(({ resource }) => this.selectResource(resource, gathered));
    const isChainKnown = listUnselected(chain).length === 0;
    const indexes = [...resources.keys()].filter(
      (index) => isChainKnown && listUnselected(resources[index] as Selected<ResourceInput>).length === 0,
    );
    const known = {
      ...check,
      principal: chain.input,
      resources: indexes.map((index) => ({
        actions: check.resources[index]?.actions ?? [],
        resource: resources[index]?.input as ResourceInput,
      })),
    };
    return { known, resources, chain, indexes };
  }

  private selectResource(resource: ResourceInput, gathered: Gathered): Selected<ResourceInput> {
    return this.selectors.ofResource(resource, gathered.rows, this.selectOptions(gathered));
  }

  private selectOptions({ began }: Gathered): SelectOptions {
    return { now: Date.now(), ...(this.maxSkew < Number.POSITIVE_INFINITY && { oldest: began - this.maxSkew }) };
  }
}

/** What a source should say of roles, scopes and versions, and is not known. */
export function listUnselected({
  unknown,
  needs,
}: Pick<Selected<unknown>, 'unknown' | 'needs'>): readonly LackingFact[] {
  return [...unknown, ...needs.map(({ fact, source }) => ({ fact, source, reason: 'not asked' as const }))];
}
