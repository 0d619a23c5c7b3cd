import type { Macro, Value } from '../../../compiler/ir/value.js';
import { mapParts, some } from '../../../compiler/ir/visit.js';

/** A macro as a function: its shape, and the values from outside that its result depends on besides the range. */
export interface Abstracted {
  /** All of the body but those values: equal shapes are equal functions. */
  readonly shape: string;
  readonly outside: readonly Value[];
}

/** Separates a macro from the largest parts of its body that read none of its variables. */
export function abstracted({ runtime, variables, predicate, body }: Macro): Abstracted {
  const outside: Value[] = [];
  const abstract = (part: Value, bound: ReadonlySet<string>): unknown => {
    if (!readsAny(part, bound)) {
      outside.push(part);
      return outside.length;
    }
    const inside = part.kind === 'macro' ? new Set([...bound, ...part.variables]) : bound;
    const holes: unknown[] = [];
    let at = 0;
    const own = part.kind === 'macro' ? [part.range] : [];
    const open = mapParts(part, (inner) => {
      holes.push(abstract(inner, own.includes(inner) && at++ === 0 ? bound : inside));
      return HOLE;
    });
    return [toPlain(open), holes];
  };
  const names = new Set(variables);
  const parts = [predicate, body].map((part) => (part === undefined ? null : abstract(part, names)));
  return { shape: JSON.stringify([runtime, variables, parts]), outside };
}

const HOLE: Value = { kind: 'literal', literal: 'null', value: null, type: { kind: 'null' } };

/** Whether a value reads a variable of the macros around it. */
function readsAny(value: Value, bound: ReadonlySet<string>): boolean {
  return some(value, (part) => part.kind === 'local' && bound.has(part.name));
}

/** A value whose parts are holes, without its type. */
function toPlain(value: Value): unknown {
  const { type: _, ...members } = value;
  return JSON.parse(
    JSON.stringify(members, (key, member: unknown) => (key === 'type' ? undefined : bigintText(member))),
  ) as unknown;
}

function bigintText(member: unknown): unknown {
  return typeof member === 'bigint' ? `${member}n` : member;
}
