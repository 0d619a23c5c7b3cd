import type { Context, TextMapGetter, TextMapPropagator } from '@opentelemetry/api';
import type { PropagatorName } from '../otel/settings.js';

/** Headers of a call, by lower-case name. */
export type Headers = ReadonlyMap<string, readonly string[]>;

/**
 * Reads the trace of a call from headers in the configured formats; the first one present counts. Baggage is accepted
 * but not forwarded, because the server makes no calls on behalf of a call.
 */
export async function parentReader(names: readonly PropagatorName[]): Promise<(headers: Headers) => Context> {
  const { createTraceState, isSpanContextValid, ROOT_CONTEXT, trace } = await import('@opentelemetry/api');
  const traceContext = (headers: Headers): Context | undefined => {
    const parent = readTraceParent(headers);
    if (parent === undefined || !isSpanContextValid(parent)) return undefined;
    const state = headers.get('tracestate')?.join(',');
    return trace.setSpanContext(ROOT_CONTEXT, {
      ...parent,
      isRemote: true,
      ...(state === undefined ? {} : { traceState: createTraceState(state) }),
    });
  };
  const b3 = names.some((name) => name.startsWith('b3')) ? await b3Reader() : undefined;
  const readers = names.flatMap((name) =>
    name === 'tracecontext' ? [traceContext] : name.startsWith('b3') && b3 !== undefined ? [b3] : [],
  );
  return (headers) => {
    for (const read of readers) {
      const found = read(headers);
      if (found !== undefined) return found;
    }
    return ROOT_CONTEXT;
  };
}

/** The header `traceparent` of W3C Trace Context; undefined when it is absent, doubled or malformed. */
function readTraceParent(
  headers: Headers,
): { readonly traceId: string; readonly spanId: string; readonly traceFlags: number } | undefined {
  const values = headers.get('traceparent');
  if (values?.length !== 1) return undefined;
  const parts = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(values[0] as string);
  if (parts === null) return undefined;
  const [, version, traceId, spanId, flags, more] = parts as unknown as readonly [
    string,
    string,
    string,
    string,
    string,
    string | undefined,
  ];
  // The only version there is has four parts; later ones may have more.
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

async function b3Reader(): Promise<(headers: Headers) => Context | undefined> {
  const { ROOT_CONTEXT, trace } = await import('@opentelemetry/api');
  const { B3Propagator } = await import('@opentelemetry/propagator-b3');
  // Reads both the one header and the many, whichever of the two was configured.
  const propagator: TextMapPropagator<Headers> = new B3Propagator();
  const getter: TextMapGetter<Headers> = {
    keys: (headers) => [...headers.keys()],
    get: (headers, name) => headers.get(name)?.[0],
  };
  return (headers) => {
    if (!headers.has('b3') && !headers.has('x-b3-traceid')) return undefined;
    const context = propagator.extract(ROOT_CONTEXT, headers, getter);
    return trace.getSpanContext(context) === undefined ? undefined : context;
  };
}
