import { tooLarge } from '../../service/rpc-error.js';

/** In protobuf, JSON never grows to more than this many times its length: `0,` becomes eleven bytes. */
const MAX_GROWTH = 8;

/**
 * Refuses a request that came as JSON of `length` bytes and is too large in protobuf: the limit is about that
 * (docs/spec/server.md#limits-and-deadlines).
 */
export function limitMessageSize<Request>(
  request: Request,
  sizeOf: (request: Request) => number,
  length: number,
  limit: number,
): void {
  if (length * MAX_GROWTH <= limit) return;
  const size = sizeOf(request);
  if (size > limit) throw tooLarge(size, limit);
}
