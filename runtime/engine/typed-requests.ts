import type {
  ActionOf,
  KindOf,
  Permissions,
  PlannedResourceOf,
  PrincipalOf,
  ResourceActionsOf,
  ResourceOf,
} from '../policy/index.js';
import type { PlanRequest } from './plan-request.js';
import type { AccessRequest, AuxDataInput, CheckRequest } from './requests.js';

/** A check that only names what the policies know; a CheckRequest when it is run. */
export interface CheckRequestOf<P extends Permissions> extends CheckRequest {
  readonly principal: PrincipalOf<P>;
  readonly resources: readonly ResourceActionsOf<P>[];
}

/** One action of one resource, likewise. */
export interface AccessRequestOf<P extends Permissions, K extends KindOf<P>> extends AccessRequest {
  readonly principal: PrincipalOf<P, K>;
  readonly resource: ResourceOf<P, K>;
  readonly action: ActionOf<P, K>;
}

/** A plan, likewise. */
export interface PlanRequestOf<P extends Permissions, K extends KindOf<P>> extends PlanRequest {
  readonly principal: PrincipalOf<P, K>;
  readonly resource: PlannedResourceOf<P, K>;
  readonly actions: readonly ActionOf<P, K>[];
  readonly auxData?: AuxDataInput | undefined;
}
