import type { AccessRequest } from '../../../runtime/engine/index.js';
import type { Sight } from '../coverage/rule-record.js';
import type { Score } from '../sampler/climb.js';
import { distanceFromApplying, distanceToApplies } from '../sampler/distance.js';

/** What a decision should become. */
export interface WantedDecision {
  /** Whether the request should be allowed. */
  readonly wanted: boolean;
  /** The roles that the principal may gain. */
  readonly roles: readonly string[];
  /** The rules that a request reaches. */
  readonly observe: (request: AccessRequest) => readonly Sight[];
  readonly isAllowed: (request: AccessRequest) => boolean;
}

/** What the rules that one role reaches would need. */
interface Way {
  readonly distance: number;
  readonly sights: readonly Sight[];
}

/**
 * How far a request is from another decision: an estimate of how many clauses would have to turn, which knows roles but
 * not scopes. Whether it has the other decision is decided by the engine alone.
 */
export function scoreRequest(request: AccessRequest, { wanted, roles, observe, isAllowed }: WantedDecision): Score {
  const own = request.principal.roles;
  const others = roles.filter((role) => !own.includes(role));
  const sights = [
    ...observe(request),
    ...(others.length === 0
      ? []
      : observe({ ...request, principal: { ...request.principal, roles: [...own, ...others] } }).filter(({ role }) =>
          others.includes(role),
        )),
  ];
  if (isAllowed(request) === wanted) return { distance: 0, isMet: true, sights };
  const way = wanted ? wayToAllow(sights, own) : wayToDeny(sights, own);
  // A distance of 0 is of what the engine decides otherwise, such as by another scope.
  return { distance: Math.max(way.distance, 0.5), isMet: false, sights: [...new Set([...way.sights, ...sights])] };
}

/** Principal policies decide first; then one role that allows is enough. */
function wayToAllow(sights: readonly Sight[], own: readonly string[]): Way {
  const { byName, byRole } = grouped(sights);
  const denied = byName.filter(isDenying);
  const allowing = nearest(byName.filter(isAllowing).map((sight) => way([sight], distanceToApplies)));
  const roleWays = [...byRole].map(([role, reached]) => {
    const allow = nearest(reached.filter(isAllowing).map((sight) => way([sight], distanceToApplies)));
    const deny = way(reached.filter(isDenying), distanceFromApplying);
    const limits = way(reached.filter(isLimit), distanceToApplies);
    return together(allow, deny, limits, { distance: own.includes(role) ? 0 : 1, sights: [] });
  });
  return together(nearest([allowing, ...roleWays]), way(denied, distanceFromApplying));
}

/** Every role that allows has to be denied, unless a principal policy denies. */
function wayToDeny(sights: readonly Sight[], own: readonly string[]): Way {
  const { byName, byRole } = grouped(sights);
  const byPolicy = nearest(byName.filter(isDenying).map((sight) => way([sight], distanceToApplies)));
  const roleWays = [...byRole]
    .filter(([role]) => own.includes(role))
    .map(([, reached]) =>
      nearest([
        way(reached.filter(isAllowing), distanceFromApplying),
        ...reached.filter(isDenying).map((sight) => way([sight], distanceToApplies)),
        ...reached.filter(isLimit).map((sight) => way([sight], distanceFromApplying)),
      ]),
    );
  return nearest([byPolicy, together(way(byName.filter(isAllowing), distanceFromApplying), ...roleWays)]);
}

function grouped(sights: readonly Sight[]): {
  readonly byName: readonly Sight[];
  readonly byRole: ReadonlyMap<string, readonly Sight[]>;
} {
  const byRole = new Map<string, Sight[]>();
  const byName: Sight[] = [];
  for (const sight of sights) {
    const { kind } = sight.origin.module;
    if (kind === 'principal') byName.push(sight);
    if (kind !== 'resource' && kind !== 'role') continue;
    const own = byRole.get(sight.role) ?? [];
    byRole.set(sight.role, own);
    own.push(sight);
  }
  return { byName, byRole };
}

function isAllowing({ origin: { rule } }: Sight): boolean {
  return 'effect' in rule && rule.effect === 'allow';
}

function isDenying({ origin: { rule } }: Sight): boolean {
  return 'effect' in rule && rule.effect !== 'allow';
}

/** Whether a rule is of a role policy, which denies where its condition does not hold. */
function isLimit({ origin: { module } }: Sight): boolean {
  return module.kind === 'role';
}

function way(sights: readonly Sight[], distanceOf: (sight: Sight) => number): Way {
  return { distance: sights.reduce((sum, sight) => sum + distanceOf(sight), 0), sights };
}

function together(...ways: readonly Way[]): Way {
  return {
    distance: ways.reduce((sum, { distance }) => sum + distance, 0),
    sights: ways.flatMap(({ sights }) => sights),
  };
}

function nearest(ways: readonly Way[]): Way {
  return ways.reduce((best, other) => (other.distance < best.distance ? other : best), {
    distance: Infinity,
    sights: [],
  });
}
