import type { AuxDataInput } from '../../runtime/engine/index.js';
import { factName, type FactRoot } from '../../runtime/facts/fact-names.js';
import { projectAttributes, projectClaims } from '../../runtime/facts/project.js';
import { readSetsDigest } from '../../runtime/facts/set-digest.js';
import type { Attributes, ReadPath, ReadSet } from '../../runtime/policy/index.js';
import type {
  Actor,
  AuxData,
  CheckInput,
  DecisionLogEntry,
  JWT,
  KeptInput,
  PlanInput,
  Principal,
  Resource,
} from '../../proto/gen/audit-messages.js';
import { rfc3339 } from '../../proto/wire/moment.js';
import { isSameList } from './same-list.js';
import type { FactsOfCheck } from '../service/facts.js';
import { isEmpty, setOwn } from '../../packages/cel/runtime/own-property.js';

type Input = CheckInput | PlanInput;

/** The read sets of the decisions about an input: for its principal, then for its actors. */
export type FindReadSets = (input: Input) => readonly ReadSet[];

/**
 * An entry whose inputs keep only the attributes and claims that decisions can read (docs/audit.md). The original entry,
 * which shares its attributes with the request, is not changed.
 *
 * @param find undefined if nothing is to be kept.
 * @param facts what sources provided.
 */
export function keepReadSets(
  entry: DecisionLogEntry,
  find: FindReadSets | undefined,
  facts?: FactsOfCheck,
): DecisionLogEntry {
  const { checkResources, planResources } = entry;
  const described: KeptInput[] = [];
  const projector = new Projector();
  const keep = <I extends Input>(input: I): I => {
    const sets = find?.(input) ?? NO_SETS;
    const kept = projector.project(input, sets);
    if (sets.length > 0) described.push(projector.describe(factsOfInput(facts, described.length)));
    return kept;
  };
  return {
    ...entry,
    ...(checkResources && { checkResources: { ...checkResources, inputs: checkResources.inputs.map(keep) } }),
    ...(planResources && { planResources: { ...planResources, input: keep(planResources.input) } }),
    facts: find === undefined ? { kept: 'none' } : { kept: 'read-set', inputs: described },
  };
}

/** An entry that keeps everything, with what sources provided; the same entry if they provided nothing. */
export function keepAll(entry: DecisionLogEntry, facts: FactsOfCheck | undefined): DecisionLogEntry {
  if (facts === undefined) return entry;
  return { ...entry, facts: { kept: 'all', inputs: facts.resources.map((_, index) => factsOfInput(facts, index)) } };
}

/** What sources provided for the input about a resource. */
function factsOfInput(facts: FactsOfCheck | undefined, index: number): Pick<KeptInput, 'unknown' | 'fetched'> {
  const resource = facts?.resources[index];
  if (facts === undefined || resource === undefined) return {};
  const subjects = [facts.principal, ...facts.actors, resource];
  const unknown = [...new Set(subjects.flatMap((subject) => subject.unknown))].sort();
  const fetched = subjects.flatMap((subject) =>
    subject.fetched.map(({ fact, source, at, stale }) => ({
      fact,
      source,
      at: rfc3339(at),
      ...(stale === true && { stale }),
    })),
  );
  return { ...(unknown.length > 0 && { unknown }), ...(fetched.length > 0 && { fetched }) };
}

const NO_SETS: readonly ReadSet[] = [];

/**
 * Asks for the read sets of an input only if they can differ from those of the input before it: most resources of a batch
 * are of one kind and place, and are asked about alike. Only for policies whose roles no tenant defines.
 */
export function askOncePerKind(find: FindReadSets): FindReadSets {
  let last: { readonly input: Input; readonly sets: readonly ReadSet[] } | undefined;
  return (input) => {
    if (last === undefined || !isAskedAlike(last.input, input)) last = { input, sets: find(input) };
    return last.sets;
  };
}

/** Whether all is the same on which it depends what decisions about an input read. */
function isAskedAlike(one: Input, other: Input): boolean {
  const [a, b] = [one.resource, other.resource];
  return (
    one.principal === other.principal &&
    a.kind === b.kind &&
    a.scope === b.scope &&
    a.policyVersion === b.policyVersion &&
    isSameList(one.actions ?? [], other.actions ?? [])
  );
}

/** A part of an input with what is kept of it. */
interface Kept<Part> {
  readonly from: Part;
  readonly kept: Part;
  readonly difference: Difference;
}

/** The facts that are read of a side: those that it does not have, and those that are kept in part. */
interface Difference {
  readonly absent: readonly string[];
  readonly partial: readonly string[];
}

/** Projects one input after the other. What inputs share, their principal and their claims, it projects once. */
class Projector {
  #sets: SetsPrepared | undefined;
  #principal: Kept<Principal> | undefined;
  #auxData: Kept<AuxData | undefined> | undefined;
  #resource: Kept<Resource> | undefined;

  /** An input with what read sets name. */
  project<I extends Input>(input: I, sets: readonly ReadSet[]): I {
    const { auxData } = input;
    if (this.#sets === undefined || !isSameList(this.#sets.sets, sets)) {
      this.#sets = prepare(sets);
      this.#principal = undefined;
      this.#auxData = undefined;
    }
    if (this.#principal?.from !== input.principal) this.#principal = keepPrincipal(input.principal, this.#sets);
    this.#resource = keepResource(input.resource, this.#sets);
    if (this.#auxData === undefined || this.#auxData.from !== auxData) this.#auxData = keepClaims(auxData, this.#sets);
    const kept = (auxData === undefined ? { ...input } : others(input)) as { -readonly [N in keyof Input]: Input[N] };
    kept.principal = this.#principal.kept;
    kept.resource = this.#resource.kept;
    if (this.#auxData.kept !== undefined) kept.auxData = this.#auxData.kept;
    return kept as I;
  }

  /** What the input that was projected last keeps, so that what it does not keep is not taken for missing. */
  describe(facts: Pick<KeptInput, 'unknown' | 'fetched'>): KeptInput {
    const [principal, resource, auxData] = [this.#principal, this.#resource, this.#auxData];
    const { alone } = this.#sets as SetsPrepared;
    const { unknown, fetched } = facts;
    const isAlone = unknown === undefined && fetched === undefined;
    if (isAlone && isWhole(principal) && isWhole(resource) && isWhole(auxData)) return alone;
    const sides = [principal, resource, auxData].flatMap((side) => side?.difference ?? []);
    const absent = sides.flatMap((side) => side.absent).filter((fact) => unknown?.includes(fact) !== true);
    const partial = sides.flatMap((side) => side.partial);
    return {
      ...alone,
      ...(absent.length > 0 && { absent: absent.sort() }),
      ...(partial.length > 0 && { partial: partial.sort() }),
      ...facts,
    };
  }
}

function isWhole(side: { readonly difference: Difference } | undefined): boolean {
  return side === undefined || side.difference === WHOLE;
}

/** An input without claims. */
function others<I extends Input>({ auxData: _, ...rest }: I): Omit<I, 'auxData'> {
  return rest;
}

/** What is prepared of the read sets of an input. */
interface SetsPrepared {
  readonly sets: readonly ReadSet[];
  /** What is read by any of the decisions about the principal and its actors. */
  readonly united: ReadSet;
  /** What describes an input that keeps all that is read. */
  readonly alone: KeptInput;
  readonly names: { readonly [R in FactRoot]: NamesRead };
}

/** Read sets are few and entries many. */
const PREPARED = new WeakMap<ReadSet, SetsPrepared>();

function prepare(sets: readonly ReadSet[]): SetsPrepared {
  const [only, ...others] = sets;
  if (only === undefined || others.length > 0)
    return prepareAs(sets, { paths: sets.flatMap(({ paths }) => paths), facts: new Set(), now: false, whole: [] });
  const known = PREPARED.get(only) ?? prepareAs(sets, only);
  PREPARED.set(only, known);
  return known;
}

function prepareAs(sets: readonly ReadSet[], united: ReadSet): SetsPrepared {
  const namesOf = (root: FactRoot): NamesRead => namesRead(united.paths, root);
  return {
    sets,
    united,
    alone: sets.length === 0 ? {} : { set: readSetsDigest(sets) },
    names: {
      'principal.attr': namesOf('principal.attr'),
      'resource.attr': namesOf('resource.attr'),
      'auxData.jwt': namesOf('auxData.jwt'),
    },
  };
}

function keepPrincipal(principal: Principal, { united, names }: SetsPrepared): Kept<Principal> {
  const actors = principal.actors?.map((actor, index) =>
    withAttributes(actor, projectAttributes(actor.attr, united, 'principal.attr', `principal.actors[${index}].attr`)),
  );
  const attr = projectAttributes(principal.attr, united, 'principal.attr');
  const kept = { ...withAttributes(principal, attr), ...(actors && { actors }) };
  return { from: principal, kept, difference: compare(names['principal.attr'], principal.attr, attr) };
}

function keepResource(resource: Resource, { united, names }: SetsPrepared): Kept<Resource> {
  const attr = projectAttributes(resource.attr, united, 'resource.attr');
  return {
    from: resource,
    kept: withResourceAttributes(resource, attr),
    difference: compare(names['resource.attr'], resource.attr, attr),
  };
}

function keepClaims(auxData: AuxData | undefined, { united, names }: SetsPrepared): Kept<AuxData | undefined> {
  const kept = auxData && withoutEmpty(projectClaims(auxData as AuxDataInput, united) as AuxData);
  return { from: auxData, kept, difference: compare(names['auxData.jwt'], auxData?.jwt, kept?.jwt) };
}

/**
 * Entries leave out empty attributes. Members are copied one by one: V8 makes a slow object of the rest of a pattern,
 * which also takes twice the time to write as JSON.
 */
function withAttributes<Of extends Actor | Resource>(of: Of, attr: Attributes): Of {
  const kept: { [name: string]: unknown } = {};
  for (const name of Object.keys(of)) if (name !== 'attr') kept[name] = of[name as keyof Of];
  if (!isEmpty(attr)) kept['attr'] = attr;
  return kept as unknown as Of;
}

/** The same for a resource, of which there are many. */
function withResourceAttributes({ kind, policyVersion, id, scope }: Resource, attr: Attributes): Resource {
  const kept = {} as { -readonly [N in keyof Resource]: Resource[N] };
  kept.kind = kind;
  if (policyVersion !== undefined) kept.policyVersion = policyVersion;
  if (id !== undefined) kept.id = id;
  if (scope !== undefined) kept.scope = scope;
  if (!isEmpty(attr)) kept.attr = attr;
  return kept;
}

function withoutEmpty({ jwt = {}, jwts = {} }: AuxData): AuxData | undefined {
  const named: Record<string, JWT> = {};
  for (const [name, { claims = {} }] of Object.entries(jwts)) setOwn(named, name, isEmpty(claims) ? {} : { claims });
  const kept = { ...(!isEmpty(jwt) && { jwt }), ...(!isEmpty(named) && { jwts: named }) };
  return isEmpty(kept) ? undefined : kept;
}

/** The attributes or claims that are read of a side. */
interface NamesRead {
  readonly root: FactRoot;
  /** Undefined: all, or which ones there are. */
  readonly facts: readonly { readonly name: string; readonly fact: string }[] | undefined;
  /** So many that are kept are all of these. Infinity: others may be kept, too. */
  readonly all: number;
}

function namesRead(paths: readonly ReadPath[], root: FactRoot): NamesRead {
  const [part, side] = root.split('.');
  const names = new Set<string>();
  for (const { path, leaf } of paths) {
    const [ownPart = part, ownSide = side, name] = path;
    if (ownPart !== part || ownSide !== side) continue;
    if (name !== undefined) names.add(name);
    else if (leaf === 'value' || (leaf === 'shape' && path.length === 2)) names.add(ALL);
  }
  const facts = names.has(ALL) ? undefined : [...names].map((name) => ({ name, fact: factName(root, name) }));
  const mayKeepOthers = facts === undefined || paths.some(({ path }) => path[0] === ALL || path[1] === ALL);
  return { root, facts, all: mayKeepOthers ? Number.POSITIVE_INFINITY : names.size };
}

const ALL = '*';

function compare({ root, facts, all }: NamesRead, before: Attributes = {}, after: Attributes = {}): Difference {
  const names = Object.keys(after);
  const partial: string[] = [];
  for (const name of names) if (!isSame(after[name], before, name)) partial.push(factName(root, name));
  if (names.length >= all && partial.length === 0) return WHOLE;
  const absent = facts?.filter(({ name }) => !Object.hasOwn(before, name)).map(({ fact }) => fact);
  return absent?.length === 0 && partial.length === 0 ? WHOLE : { absent: absent ?? [`${root}.${ALL}`], partial };
}

/** All that is read is there, and kept. */
const WHOLE: Difference = { absent: [], partial: [] };

/** Whether a projection has left a member as it was: it only takes away. */
function isSame(kept: unknown, before: Attributes, name: string): boolean {
  if (typeof kept !== 'object' || kept === null || kept === before[name]) return true;
  return JSON.stringify(kept) === JSON.stringify(before[name]);
}
