import { RpcError } from '../service/rpc-error.js';
import type { Explainer } from '../service/services.js';
import type { ServedBundles } from './served-bundles.js';

/** Explains decisions of the bundles in use. */
export function createExplainer(bundles: ServedBundles): Explainer {
  return {
    rolesFor: (request, bundle) => bundles.of({ bundle }).tenants?.roles.rolesFor(request),
    explain(request, search, bundle) {
      const { explainer } = bundles.of({ bundle });
      if (explainer === undefined) throw new RpcError('failed_precondition', NOT_EXPLAINED);
      return explainer.explain(request, search);
    },
    texts() {
      const { texts } = bundles.current;
      if (texts === undefined) throw new RpcError('failed_precondition', NOT_EXPLAINED);
      return texts;
    },
  };
}

const NOT_EXPLAINED = 'the bundle cannot explain decisions: compile it with `authzc compile --explain`';
