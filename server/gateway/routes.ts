import type { GatewayRoute, Template } from '../config/gateway.js';

/** What a request asks for. */
export interface RoutedRequest {
  readonly kind: string;
  readonly id: string;
  readonly action: string;
  readonly attr: { readonly [attribute: string]: string };
}

/**
 * The routes as a tree of segments: a lookup takes one step for each segment, whatever the number of routes. A literal
 * segment wins over a parameter, and there is no way back (docs/decisions/messages-and-transports.md#0071).
 */
export class RouteTree {
  readonly #root = new Node();

  constructor(routes: readonly GatewayRoute[]) {
    for (const route of routes) {
      let node = this.#root;
      for (const part of route.path) node = 'literal' in part ? node.literal(part.literal) : node.parameter();
      for (const method of route.methods) node.routes.set(method, route);
    }
  }

  /** The question that a request is; undefined if no route matches its method and path. */
  find(method: string, segments: readonly string[]): RoutedRequest | undefined {
    let node: Node | undefined = this.#root;
    for (const segment of segments) node = node?.child(segment);
    const route = node?.routes.get(method);
    return route && fillRoute(route, segments);
  }
}

class Node {
  readonly routes = new Map<string, GatewayRoute>();
  /** Routes by the literal in lower case. */
  readonly #literals = new Map<string, { readonly written: string; readonly node: Node }>();
  #parameter: Node | undefined;

  literal(written: string): Node {
    const known = this.#literals.get(written.toLowerCase());
    if (known?.written === written) return known.node;
    const node = new Node();
    this.#literals.set(written.toLowerCase(), { written, node });
    return node;
  }

  parameter(): Node {
    this.#parameter ??= new Node();
    return this.#parameter;
  }

  child(segment: string): Node | undefined {
    const literal = this.#literals.get(segment.toLowerCase());
    // An upstream that ignores case would take `/contacts/EXPORT` for `/contacts/export`, and not for an id.
    if (literal !== undefined) return literal.written === segment ? literal.node : undefined;
    return segment === '' ? undefined : this.#parameter;
  }
}

function fillRoute(route: GatewayRoute, segments: readonly string[]): RoutedRequest {
  const fill = (template: Template): string =>
    'literal' in template
      ? template.literal
      : (segments[
          route.path.findIndex((part) => 'parameter' in part && part.parameter === template.parameter)
        ] as string);
  return {
    kind: route.kind,
    id: fill(route.id),
    action: route.action,
    attr: Object.fromEntries(Object.entries(route.attr).map(([name, template]) => [name, fill(template)])),
  };
}
