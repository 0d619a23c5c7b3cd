import type { HealthCheckResponse, HealthListResponse } from '../../proto/gen/health-messages.js';
import { RpcError } from './rpc-error.js';

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

  /** Throws an RpcError with code `not_found` for an unknown service. */
  check(service: string): HealthCheckResponse {
    const status = this.of(service);
    if (status === undefined) throw new RpcError('not_found', 'unknown service');
    return { status };
  }

  /** The status now and once it changes, which ends the stream; so does the signal that the watcher is gone. */
  async *watch(service: string, gone: AbortSignal): AsyncGenerator<HealthCheckResponse, void> {
    const current = this.of(service);
    yield { status: current ?? 'SERVICE_UNKNOWN' };
    if (current === 'NOT_SERVING') return;
    const status = await this.#nextStatus(gone);
    if (current !== undefined && status !== undefined) yield { status };
  }

  /** Stops serving: everything is NOT_SERVING from now on. */
  stop(): void {
    this.#status = 'NOT_SERVING';
    for (const listener of [...this.#listeners]) listener(this.#status);
  }

  /** The status after the next change; undefined when the watcher leaves before. */
  #nextStatus(gone: AbortSignal): Promise<ServingStatus | undefined> {
    return new Promise((resolve) => {
      const finish = (status?: ServingStatus): void => {
        this.#listeners.delete(finish);
        resolve(status);
      };
      if (gone.aborted) return finish();
      this.#listeners.add(finish);
      gone.addEventListener('abort', () => finish(), { once: true });
    });
  }
}
