import type { GatewayRoute } from '../config/gateway.js';
import type { KindNames } from '../service/services.js';

/**
 * The kinds and actions of routes that no policy of a bundle names, as messages. They are warnings: a bundle may be
 * older than the routes, and such requests are denied.
 */
export function unknownNames(routes: readonly GatewayRoute[], known: readonly KindNames[]): readonly string[] {
  const kinds = new Map(known.map(({ kind, actions }) => [kind, actions]));
  const messages = routes.flatMap(({ kind, action, place }) => {
    const actions = kinds.get(kind);
    if (actions === undefined) return [`${place}: no policy covers kind \`${kind}\``];
    return actions.includes(action) ? [] : [`${place}: no policy of kind \`${kind}\` names action \`${action}\``];
  });
  return [...new Set(messages)];
}
