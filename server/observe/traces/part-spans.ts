import type { Attributes, Context, SpanStatusCode, Tracer } from '@opentelemetry/api';
import type { Call } from '../../service/call.js';
import type { Period } from '../../service/call-times.js';
import type { Watcher } from '../../service/watcher.js';
import {
  checkAttributes,
  evaluationAttributes,
  fetchAttributes,
  planAttributes,
  schemaAttributes,
  tokensAttributes,
} from './attributes.js';

/** What makes the spans of the parts of calls. */
export interface PartSpansOptions {
  readonly tracer: Tracer;
  /** The context that has a span as the parent of what is below it. */
  readonly below: (parent: Context, span: ReturnType<Tracer['startSpan']>) => Context;
  /** Context of the span of the RPC; undefined for a call that is not sampled. */
  readonly contextOf: (call: Call) => Context | undefined;
  readonly errorStatus: SpanStatusCode.ERROR;
}

/**
 * The spans below that of an RPC, by the names of docs/spec/server.md#opentelemetry. They are made when a part is over,
 * from the times it noted: making them is in none of them, and a part belongs to its call by the call itself, whatever
 * else is served meanwhile.
 */
export function partSpans({
  tracer,
  below,
  contextOf,
  errorStatus,
}: PartSpansOptions): Pick<Watcher, 'checked' | 'planned' | 'verified' | 'fetched' | 'assembled' | 'audited'> {
  const part = (
    call: Call,
    parent: Context,
    name: string,
    time: Period,
    { attributes = {}, failure }: PartDetails = {},
  ): Context => {
    const span = tracer.startSpan(name, { startTime: toWallTime(call, time.start), attributes }, parent);
    if (failure !== undefined) span.setStatus({ code: errorStatus, message: failure });
    span.end(toWallTime(call, time.end));
    return below(parent, span);
  };
  return {
    checked: (call, check) => {
      const rpc = contextOf(call);
      if (rpc === undefined) return;
      const whole = part(call, rpc, 'engine.Check', findPeriod(check), { attributes: checkAttributes(call, check) });
      const evaluations = check.times?.evaluations ?? [];
      const [first] = evaluations;
      const last = evaluations.at(-1);
      if (first === undefined || last === undefined) return;
      const all = part(call, whole, nameOfAll(check.resources.length), { start: first.start, end: last.end });
      for (const [index, evaluation] of evaluations.entries()) {
        const one = part(call, all, 'engine.Evaluate', evaluation, { attributes: evaluationAttributes(check, index) });
        if (evaluation.schema !== undefined)
          part(call, one, 'schema.Validate', evaluation.schema, {
            attributes: schemaAttributes(check.decisions[index]),
          });
      }
    },
    planned: (call, plan) => {
      const rpc = contextOf(call);
      if (rpc === undefined) return;
      const whole = part(call, rpc, 'engine.Plan', findPeriod(plan), { attributes: planAttributes(call, plan) });
      for (const { schema } of plan.times?.evaluations ?? []) {
        if (schema !== undefined)
          part(call, whole, 'schema.Validate', schema, { attributes: schemaAttributes(plan.plan) });
      }
    },
    verified: (call, times) => {
      const rpc = contextOf(call);
      if (rpc === undefined) return;
      const whole = part(call, rpc, 'aux_data.Extract', times, {
        attributes: tokensAttributes(times),
        failure: times.isRefused ? 'a token was refused' : undefined,
      });
      for (const token of times.tokens) part(call, whole, 'aux_data.ExtractJWT', token, { failure: token.refusal });
    },
    fetched: (call, fetch) => {
      const rpc = contextOf(call);
      if (rpc === undefined) return;
      const failure = NO_FAILURES.has(fetch.outcome) ? undefined : fetch.outcome;
      part(call, rpc, 'facts.Fetch', fetch, { attributes: fetchAttributes(fetch), failure });
    },
    assembled: (call, time) => {
      const rpc = contextOf(call);
      if (rpc !== undefined) part(call, rpc, 'assemble_response', time);
    },
    audited: (call, time) => {
      const rpc = contextOf(call);
      if (rpc !== undefined)
        part(call, rpc, time.kind === 'access' ? 'audit.WriteAccessLog' : 'audit.WriteDecisionLog', time);
    },
  };
}

/** A moment of `performance.now()` in milliseconds since 1970, as fine as the platform can tell. */
export function toWallTime({ timestamp, start }: Call, moment: number): number {
  return timestamp + moment - start;
}

/** Outcomes of asking a source for which it is not at fault. */
const NO_FAILURES: ReadonlySet<string> = new Set(['fetched', 'not found', 'aborted']);

interface PartDetails {
  readonly attributes?: Attributes;
  /** Undefined: all was well. */
  readonly failure?: string | undefined;
}

/** What a decider did that does not tell its times is over just now. */
function findPeriod({
  times,
  duration,
}: {
  readonly times?: { readonly start: number } | undefined;
  readonly duration: number;
}): Period {
  const start = times?.start ?? performance.now() - duration;
  return { start, end: start + duration };
}

/**
 * The names that dashboards know (docs/spec/server.md#opentelemetry). This engine takes one resource after another,
 * however many there are.
 */
function nameOfAll(resources: number): string {
  return resources < 5 ? 'engine.CheckSerial' : 'engine.CheckParallel';
}
