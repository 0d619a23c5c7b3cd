import type { Value } from '../../cel/runtime/index.js';
import type { Attributes } from '../../../runtime/policy/index.js';
import type { LoadedPolicy } from './loaded-policy.js';
import {
  readAuxData,
  EMPTY_PARTS,
  readMap,
  readPrincipal,
  readRequest,
  type RequestParts,
  readResource,
} from './request-json.js';

/** The state of a session. */
export interface State {
  /** Values named by inputs; `_` is the last value. */
  readonly names: ReadonlyMap<string, Value>;
  readonly parts: RequestParts;
  /** Replaces all variables that the policy defines; undefined if nothing was set. */
  readonly variables: Attributes | undefined;
  readonly constants: Attributes | undefined;
  /** Globals as JSON. */
  readonly globals: Attributes;
  readonly policy: LoadedPolicy | undefined;
}

/** The initial state of a session. */
export const EMPTY_STATE: State = {
  names: new Map(),
  parts: EMPTY_PARTS,
  variables: undefined,
  constants: undefined,
  globals: {},
  policy: undefined,
};

/**
 * A state in which a part of the request, or the variables, have a given JSON value. Throws a RequestProblem if the
 * value is invalid.
 */
export type Assign = (state: State, json: unknown) => State;

/** The names for which `:let` accepts JSON (docs/spec/server.md#repl). */
export const ASSIGNMENTS: ReadonlyMap<string, Assign> = byName([
  [['request'], (state, json) => ({ ...state, parts: readRequest(json) })],
  [
    ['request.principal', 'P'],
    (state, json) => ({ ...state, parts: { ...state.parts, principal: readPrincipal(json) } }),
  ],
  [['request.resource', 'R'], (state, json) => ({ ...state, parts: { ...state.parts, resource: readResource(json) } })],
  [['request.auxData'], (state, json) => ({ ...state, parts: { ...state.parts, auxData: readAuxData(json) } })],
  [['variables', 'V'], (state, json) => ({ ...state, variables: readMap(json, '`variables`') })],
  [['constants', 'C'], (state, json) => ({ ...state, constants: readMap(json, '`constants`') })],
  [['globals', 'G'], (state, json) => ({ ...state, globals: readMap(json, '`globals`') })],
]);

/** The maximum depth of a JSON value: later traversals are recursive. */
const DEEPEST = 100;

/** Parses JSON; returns an error message if it is invalid. */
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
