import type { Value } from '#runtime/cel';
import type { Attributes } from '#runtime/policy';
import type { LoadedPolicy } from './loaded-policy.js';
import {
  auxDataOf,
  EMPTY_PARTS,
  mapOf,
  principalOf,
  requestOf,
  type RequestParts,
  resourceOf,
} from './request-json.js';

/** What a session remembers. */
export interface State {
  /** What inputs have named; `_` is the last value. */
  readonly names: ReadonlyMap<string, Value>;
  readonly parts: RequestParts;
  /** What stands in for all that the policy defines; undefined when nothing was set. */
  readonly variables: Attributes | undefined;
  readonly constants: Attributes | undefined;
  /** As JSON. */
  readonly globals: Attributes;
  readonly policy: LoadedPolicy | undefined;
}

/** What a session begins with. */
export const EMPTY_STATE: State = {
  names: new Map(),
  parts: EMPTY_PARTS,
  variables: undefined,
  constants: undefined,
  globals: {},
  policy: undefined,
};

/**
 * A state in which a part of the request, or the variables, are what a JSON value says. Throws a RequestProblem when it
 * cannot be.
 */
export type Assign = (state: State, json: unknown) => State;

/** What `:let` takes JSON for (docs/spec/server.md#repl), by name. */
export const ASSIGNMENTS: ReadonlyMap<string, Assign> = byName([
  [['request'], (state, json) => ({ ...state, parts: requestOf(json) })],
  [
    ['request.principal', 'P'],
    (state, json) => ({ ...state, parts: { ...state.parts, principal: principalOf(json) } }),
  ],
  [['request.resource', 'R'], (state, json) => ({ ...state, parts: { ...state.parts, resource: resourceOf(json) } })],
  [['request.auxData'], (state, json) => ({ ...state, parts: { ...state.parts, auxData: auxDataOf(json) } })],
  [['variables', 'V'], (state, json) => ({ ...state, variables: mapOf(json, '`variables`') })],
  [['constants', 'C'], (state, json) => ({ ...state, constants: mapOf(json, '`constants`') })],
  [['globals', 'G'], (state, json) => ({ ...state, globals: mapOf(json, '`globals`') })],
]);

/** A JSON value has at most so many levels: what walks it later has a stack. */
const DEEPEST = 100;

/** Reads JSON; what is wrong with it as a text when it is none. */
export function readJson(text: string): { readonly json: unknown } | { readonly problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { problem: (error as Error).message };
  }
  let level: readonly unknown[] = [json];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return { problem: `it has more than ${DEEPEST} levels` };
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return { json };
}

function byName(rows: readonly (readonly [names: readonly string[], assign: Assign])[]): ReadonlyMap<string, Assign> {
  return new Map(rows.flatMap(([names, assign]) => names.map((name) => [name, assign] as const)));
}
