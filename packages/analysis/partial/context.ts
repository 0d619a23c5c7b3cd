import { readAttribute, type FactRoot } from '../../../runtime/facts/fact-names.js';
import { FAILS, FALSE, OTHER, TRUE } from '../../../runtime/facts/outcomes.js';
import type { Attributes, Request } from '../../../runtime/policy/index.js';
import { readPart } from '../../../compiler/evaluate.js';
import type { Module } from '../../../compiler/ir/program.js';
import { survives } from '../../../compiler/ir/survives.js';
import type { Value } from '../../../compiler/ir/value.js';
import * as cel from '../../cel/runtime/index.js';
import { type Definitions, readDefinitions } from '../program/definitions.js';
import {
  factsOfAll,
  type FactNames,
  isUnknown,
  NO_FACTS,
  PartialMap,
  PartialPart,
  type PartialResult,
  union,
  Unknown,
  whole,
  type WholeResult,
  withOutcomes,
} from './unknown.js';

/** A request, without the facts that are unknown. */
export class PartialRequest {
  readonly principal: cel.JsonMap | PartialMap;
  readonly resource: cel.JsonMap | PartialMap;
  readonly jwt: cel.JsonMap | PartialMap;

  /** @param unknown facts that may exist. Of the others it is known whether they do. */
  constructor(
    readonly request: Request,
    readonly unknown: FactNames,
  ) {
    this.principal = splitAttributes('principal.attr', request.principal.attr, unknown);
    this.resource = splitAttributes('resource.attr', request.resource.attr, unknown);
    this.jwt = splitAttributes('auxData.jwt', request.auxData.jwt, unknown);
  }

  /** The unknown facts of a part of the request, or of all of it. */
  factsOf(part: 'request' | 'principal' | 'resource' | 'auxData'): FactNames {
    if (part === 'request') return this.unknown;
    const side = part === 'auxData' ? this.jwt : this[part];
    return side instanceof PartialMap ? side.asWhole().facts : NO_FACTS;
  }
}

function splitAttributes(root: FactRoot, attr: Attributes, unknown: FactNames): cel.JsonMap | PartialMap {
  const own = new Set<string>();
  for (const fact of unknown) {
    const name = readAttribute(fact, root);
    if (name !== undefined) own.add(name);
  }
  if (own.size === 0) return attr;
  // A stale value of a fact that is unknown is not known.
  const known = Object.fromEntries(Object.entries(attr).filter(([name]) => !own.has(name)));
  return new PartialMap(root, known, own);
}

/** The derived roles that a condition sees. */
export interface ListedRoles {
  /** The active ones, sorted. */
  readonly active: readonly string[];
  /** Those that may be active, and the facts that decide it. */
  readonly unknown: ReadonlyMap<string, FactNames>;
}

export const NO_ROLES: ListedRoles = { active: [], unknown: new Map() };

/** What the expressions of a module see of a request. Each variable is evaluated once, on first use. */
export class Context {
  private readonly results = new Map<string, WholeResult>();
  private readonly definitions: Definitions;
  /** The request with the derived roles that are active. */
  private ownRequest: Request | undefined;

  constructor(
    module: Pick<Module, 'variables' | 'constants'>,
    readonly given: PartialRequest,
    /** Whether a variable that fails reads as null (docs/spec/policy-language.md#evaluating-variables). */
    private readonly failedIsNull: boolean,
    private readonly roles: ListedRoles,
    private readonly evaluate: (value: Value, context: Context) => PartialResult,
  ) {
    this.definitions = readDefinitions(module);
  }

  get request(): Request {
    if (this.roles === NO_ROLES) return this.given.request;
    // With the prototype of the request, so that its time is read on demand.
    this.ownRequest ??= Object.create(this.given.request, {
      effectiveDerivedRoles: { value: this.roles.active, enumerable: true },
    }) as Request;
    return this.ownRequest;
  }

  variable(name: string): WholeResult {
    const { results } = this;
    if (results.has(name)) return results.get(name);
    const definition = this.definitions.variables.get(name);
    if (definition === undefined) return cel.undefinedField(name);
    const kept = stored(whole(this.evaluate(definition.value, this)), survives(definition.value.type));
    const read = this.failedIsNull ? orNull(kept) : kept;
    results.set(name, read);
    return read;
  }

  constant(name: string): cel.Result {
    const { constants } = this.definitions;
    return constants.has(name) ? constants.get(name) : cel.undefinedField(name);
  }

  /** All variables, or those before one, as a message. */
  variables(before?: string): WholeResult {
    const names = [...this.definitions.variables.keys()];
    const listed = before === undefined ? names : names.slice(0, names.indexOf(before));
    const results = listed.map((name) => [name, this.variable(name)] as const);
    if (results.some(([, result]) => isUnknown(result)))
      return new Unknown(OTHER, factsOfAll(results.map(([, result]) => result)));
    return cel.variablesMessage(Object.fromEntries(results) as { readonly [name: string]: cel.Result });
  }

  constants(): cel.Result {
    return cel.variablesMessage(Object.fromEntries(this.definitions.constants));
  }

  /** The list of active derived roles. */
  derivedRoles(): WholeResult {
    const { unknown } = this.roles;
    return unknown.size === 0
      ? cel.effectiveDerivedRoles(this.request)
      : new Unknown(OTHER, union([...unknown.values()]));
  }

  /** Whether a derived role is in the list: that depends on its own condition alone. */
  listsRole(name: string): WholeResult {
    const { active, unknown } = this.roles;
    const facts = active.includes(name) ? undefined : unknown.get(name);
    return facts === undefined ? active.includes(name) : new Unknown(TRUE | FALSE, facts);
  }

  /** The part of a request as a message, or as a part if something in it is unknown. */
  part(part: PartialPart['part']): cel.Result | PartialPart {
    const facts = part === 'runtime' ? union([...this.roles.unknown.values()]) : this.given.factsOf(part);
    if (facts.size > 0) return new PartialPart(part, facts);
    return readPart(part, this.request);
  }
}

/** A result as a variable keeps it. A stored optional is what it contains, so one that is unknown may be a boolean. */
function stored(result: WholeResult, survives: boolean): WholeResult {
  if (!isUnknown(result)) return survives ? result : cel.stored(result);
  if (survives || (result.outcomes & OTHER) === 0) return result;
  return new Unknown(result.outcomes | TRUE | FALSE, result.facts);
}

function orNull(result: WholeResult): WholeResult {
  if (!isUnknown(result)) return cel.orNull(result);
  if ((result.outcomes & FAILS) === 0) return result;
  return withOutcomes((result.outcomes & ~FAILS) | OTHER, result.facts);
}
