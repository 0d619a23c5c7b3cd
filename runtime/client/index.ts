import { isMap } from './json.js';

/**
 * Answers which actions are surely allowed or surely denied, by the part of policies that a browser may have
 * (`authzc compile --client`). The answer is for what a page shows: the server decides again.
 */
export {
  atLeast,
  atMost,
  equals,
  FAILED,
  greaterThan,
  has,
  inCollection,
  json,
  lessThan,
  notEquals,
  select,
} from './json.js';

/** What a request tells of one row. */
interface Asked {
  /** The attributes of the resource and of the principal; undefined if they are not known. */
  readonly given: readonly [Attributes | undefined, Attributes | undefined];
  readonly id: string | undefined;
  readonly principal: Principal;
  readonly isComplete: boolean;
  /** The results of conditions, once evaluated; undefined if one reads something unknown. */
  readonly values: unknown[];
  readonly time: RequestTime;
}

/** What conditions on the time read. */
interface RequestTime {
  readonly now: { readonly seconds: number; readonly nanos: number; readonly offset: 0 };
}

interface Attributes {
  readonly [name: string]: unknown;
}

interface Principal {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr?: Attributes | undefined;
  readonly scope?: string | undefined;
  readonly policyVersion?: string | undefined;
  readonly actors?: readonly unknown[] | undefined;
}

interface Row {
  readonly id?: string | undefined;
  readonly attr?: Attributes | undefined;
  readonly scope?: string | undefined;
  readonly policyVersion?: string | undefined;
}

/**
 * A condition, and the paths of what it reads: in the attributes of the resource (0) or of the principal (1), or the id
 * (2). Steps are names, `EACH` and `WHOLE`.
 */
export type Leaf = readonly [
  evaluate: (
    resource: Attributes,
    principal: Attributes,
    id: string | undefined,
    of: Principal,
    time: RequestTime,
  ) => unknown,
  ...reads: (readonly [side: 0 | 1 | 2, ...steps: (string | number)[]])[],
];

/** Every element of a list. */
const EACH = 0;
/** Values within a value, at any depth. */
const WHOLE = 1;

/** Tests a formula: whether a condition is true, is false, is not true, is not false. */
export type Test = (t: Is, f: Is, n: Is, g: Is) => boolean;
type Is = (leaf: number) => boolean;

/** Where each action is surely allowed, and where it surely is not. */
export type Entry = readonly (readonly [sure: Test, never: Test])[];

export interface Kind {
  readonly actions: readonly string[];
  /** What the module knows by scope; empty for rows without one. */
  readonly scopes: ReadonlyMap<string, Scope>;
}

interface Scope {
  readonly roles: ReadonlyMap<string, Entry>;
  /** The entry of all other roles. */
  readonly others: Entry;
}

/** The rows of a kind, and the actions that are asked about. */
export interface ClientRequest {
  readonly principal: Principal;
  readonly resource: Omit<Row, 'id' | 'attr'> & { readonly kind: string };
  readonly rows: readonly Row[];
  readonly actions: readonly string[];
  /** Whether rows and principal have all attributes of the view that they have on the server. */
  readonly complete?: boolean;
  /** The hash of the bundle that served the page: if it is another one, nothing is certain. */
  readonly bundleHash?: string;
}

export type ClientAnswer = 'allowed' | 'denied' | 'conditional';

/** Makes the function that answers requests. */
export function createClient(
  leaves: readonly Leaf[],
  kinds: ReadonlyMap<string, Kind>,
  hash: string,
): (request: ClientRequest) => readonly { readonly [action: string]: ClientAnswer }[] {
  return ({ principal, resource, rows, actions, complete = false, bundleHash = hash }) => {
    const kind = kinds.get(resource.kind);
    const isAsked = bundleHash === hash && !principal.policyVersion && !principal.actors?.length;
    const milliseconds = Date.now();
    const seconds = Math.floor(milliseconds / 1000);
    const time = { now: { seconds, nanos: (milliseconds - seconds * 1000) * 1e6, offset: 0 } } as const;
    return rows.map((row) => {
      const given = [copied(row.attr), copied(principal.attr)] as const;
      const asked = { given, id: row.id, principal, isComplete: complete, values: [], time };
      // Only the policies of the usual version, and of the scopes that the projection has.
      const isUsual = isAsked && !(row.policyVersion ?? resource.policyVersion);
      const scope = isUsual ? kind?.scopes.get(row.scope ?? resource.scope ?? '') : undefined;
      return Object.fromEntries(
        actions.map((action) => {
          const position = kind?.actions.indexOf(action) ?? -1;
          return [action, scope && position >= 0 ? answer(leaves, scope, position, asked) : 'conditional'];
        }),
      );
    });
  };
}

/** The attributes that a server would get; undefined if it would get others, as of a class or by a `toJSON`. */
function copied(attr: Attributes | null | undefined): Attributes | undefined {
  const given = attr ?? {};
  return isMap(given) && !('toJSON' in given) ? { ...given } : undefined;
}

function answer(leaves: readonly Leaf[], scope: Scope, position: number, asked: Asked): ClientAnswer {
  const { roles } = asked.principal;
  const value = (leaf: number): unknown => {
    if (!(leaf in asked.values)) asked.values[leaf] = evaluate(leaves[leaf] as Leaf, asked);
    return asked.values[leaf];
  };
  const t: Is = (leaf) => value(leaf) === true;
  const f: Is = (leaf) => value(leaf) === false;
  const n: Is = (leaf) => value(leaf) !== undefined && !t(leaf);
  const g: Is = (leaf) => value(leaf) !== undefined && !f(leaf);
  const tested = (which: 0 | 1) => (role: string) =>
    (scope.roles.get(role) ?? scope.others)[position]?.[which](t, f, n, g) === true;
  try {
    if (roles.some(tested(0))) return 'allowed';
    return roles.every(tested(1)) ? 'denied' : 'conditional';
  } catch {
    // A value that only a server can judge.
    return 'conditional';
  }
}

/** The value of a condition; undefined if it reads something unknown. */
function evaluate([read, ...paths]: Leaf, { given, id, principal, isComplete, time }: Asked): unknown {
  const [resource = NOTHING, own = NOTHING] = given;
  const isRead = paths.every(([side, ...path]) =>
    side === 2 ? id !== undefined : isKnown(given[side], path, isComplete),
  );
  return isRead ? read(resource, own, id, principal, time) : undefined;
}

const NOTHING: Attributes = {};

/** Whether all is known that a path leads to. What a map lacks is unknown, unless the request is complete. */
function isKnown(value: unknown, [step, ...path]: readonly (string | number)[], isComplete: boolean): boolean {
  if (value === undefined) return false;
  // Nothing is below a scalar, which is certain.
  if (step === undefined || typeof value !== 'object' || value === null) return true;
  const isList = Array.isArray(value);
  if (step === EACH || step === WHOLE)
    return (
      (isList || isComplete) &&
      Object.values(value).every((part) => isKnown(part, step === WHOLE ? [step] : path, isComplete))
    );
  if (isList) return true;
  return Object.hasOwn(value, step) ? isKnown((value as Attributes)[step], path, isComplete) : isComplete;
}
