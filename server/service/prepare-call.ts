import type { Principal } from '../../proto/gen/messages.js';
import { type BundleChoice, chooseBundle, type Waiting } from './bundle-choice.js';
import type { Call } from './call.js';
import type { Asked, FactsService } from './facts.js';
import { loadTenants, type TenantService } from './tenants.js';

/**
 * Gives a call something that it needs to decide about some principals, such as its bundle: at once, which returns
 * undefined, if it is there. Throws, or rejects with, an RpcError.
 */
export type Step = (call: Call, principals: readonly Principal[], asks: Asks) => Waiting;

/** What a call is about to ask, once its bundle is chosen. */
export type Asks = () => Asked;

/** The parts of a server that calls may need before they can be decided. */
export interface Preparation {
  readonly bundles?: BundleChoice | undefined;
  readonly tenants?: TenantService | undefined;
  readonly facts?: FactsService | undefined;
}

/**
 * The steps of all calls, in order: the bundle of a call, then the documents of tenants that this bundle needs, then the
 * facts that its questions need. Made when the server starts; parts that are not configured add none.
 */
export function createSteps({ bundles, tenants, facts }: Preparation): readonly Step[] {
  return [
    ...(bundles === undefined
      ? []
      : ([(call, principals) => chooseBundle(bundles, call, principals)] satisfies Step[])),
    ...tenantSteps(tenants),
    ...factsSteps(facts),
  ];
}

/** The steps of calls about requests of clients whose headers the call repeats: these may not demand a bundle. */
export function createProxySteps({ bundles, tenants, facts }: Preparation): readonly Step[] {
  const choose: Step = (call, principals) => {
    call.bundle = bundles?.choose(principals);
    return undefined;
  };
  return [...(bundles === undefined ? [] : [choose]), ...tenantSteps(tenants), ...factsSteps(facts)];
}

function tenantSteps(tenants: TenantService | undefined): readonly Step[] {
  return tenants === undefined ? [] : [(call, principals) => loadTenants(tenants, call, principals)];
}

function factsSteps(facts: FactsService | undefined): readonly Step[] {
  return facts === undefined ? [] : [(call, _, asks) => facts.fetch(call, asks())];
}

/** Takes the steps of a call. At once, which returns undefined, unless one of them has to wait. */
export function prepare(
  steps: readonly Step[] | undefined,
  call: Call,
  principals: readonly Principal[],
  asks: Asks,
): Waiting {
  if (steps === undefined) return undefined;
  for (let index = 0; index < steps.length; index++) {
    const waiting = (steps[index] as Step)(call, principals, asks);
    if (waiting !== undefined) return waiting.then(() => prepare(steps.slice(index + 1), call, principals, asks));
  }
  return undefined;
}

/** Goes on when a call is prepared. */
export function prepared<T>(
  { steps }: { readonly steps?: readonly Step[] | undefined },
  call: Call,
  principals: readonly Principal[],
  asks: Asks,
  goOn: () => T,
): T | Promise<T> {
  const waiting = prepare(steps, call, principals, asks);
  return waiting === undefined ? goOn() : waiting.then(goOn);
}
