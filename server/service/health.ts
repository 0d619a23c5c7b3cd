import type { HealthListResponse } from '../../proto/gen/health-messages.js';

/** What grpc.health.v1 says of a service. */
export type ServingStatus = 'SERVING' | 'NOT_SERVING';

/**
 * The health of the server and of the services it has (docs/spec/server.md#health): all alike, serving until the server
 * stops.
 */
export class Health {
  readonly #listeners = new Set<(status: ServingStatus) => void>();
  #status: ServingStatus = 'SERVING';

  /** `services` by full name; the empty name is the whole server. */
  constructor(readonly services: readonly string[]) {}

  /** Undefined for an unknown service. */
  of(service: string): ServingStatus | undefined {
    return this.services.includes(service) ? this.#status : undefined;
  }

  /** The status of each registered service, sorted by name. */
  all(): HealthListResponse {
    const status = this.#status;
    return { statuses: new Map([...this.services].sort().map((service) => [service, { status }])) };
  }

  /** From now on everything is NOT_SERVING. */
  stop(): void {
    this.#status = 'NOT_SERVING';
    for (const listener of [...this.#listeners]) listener(this.#status);
  }

  /** Calls back at every change, until the returned function is called. */
  onChange(listener: (status: ServingStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
