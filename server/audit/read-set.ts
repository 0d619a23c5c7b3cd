import type { AuxDataInput, PrincipalInput, ResourceInput } from '../../runtime/engine/index.js';
import { factName, type FactRoot } from '../../runtime/facts/fact-names.js';
import { project } from '../../runtime/facts/project.js';
import { readSetsDigest } from '../../runtime/facts/set-digest.js';
import type { Attributes, ReadPath, ReadSet } from '../../runtime/policy/index.js';
import type {
  AuxData,
  CheckInput,
  DecisionLogEntry,
  JWT,
  KeptInput,
  PlanInput,
} from '../../proto/gen/audit-messages.js';
import { rfc3339 } from '../../proto/wire/moment.js';
import type { FactsOfCheck } from '../service/facts.js';
import { setOwn } from '../../proto/wire/json-shape.js';

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
  const keep = <I extends Input>(input: I): I => {
    const sets = find?.(input) ?? [];
    const kept = projectInput(input, sets);
    if (sets.length > 0) described.push(describe(input, kept, sets, factsOfInput(facts, described.length)));
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

/** An input with what read sets name. */
function projectInput<I extends Input>(input: I, sets: readonly ReadSet[]): I {
  const { auxData, ...rest } = input;
  const { principal, resource } = input;
  const kept = project(
    {
      // Projections look at attributes alone; entries leave out empty lists of roles.
      principal: principal as PrincipalInput,
      resource: resource as ResourceInput,
      auxData: auxData as AuxDataInput | undefined,
    },
    unite(sets),
  );
  const actors = principal.actors?.map((actor, index) => withAttributes(actor, kept.principal.actors?.[index]?.attr));
  const claims = kept.auxData && withoutEmpty(kept.auxData as AuxData);
  return {
    ...rest,
    principal: { ...withAttributes(principal, kept.principal.attr), ...(actors && { actors }) },
    resource: withAttributes(resource, kept.resource.attr),
    ...(claims && { auxData: claims }),
  } as I;
}

/** What is read by any of the decisions about the principal and its actors. */
function unite(sets: readonly ReadSet[]): ReadSet {
  const [only, ...others] = sets;
  if (only !== undefined && others.length === 0) return only;
  return { paths: sets.flatMap(({ paths }) => paths), facts: new Set(), now: false, whole: [] };
}

/** Entries leave out empty attributes. */
function withAttributes<Of extends { readonly attr?: Attributes }>(
  { attr: _, ...of }: Of,
  attr: Attributes | undefined,
): Of {
  return (attr === undefined || Object.keys(attr).length === 0 ? of : { ...of, attr }) as Of;
}

function withoutEmpty({ jwt = {}, jwts = {} }: AuxData): AuxData | undefined {
  const named: Record<string, JWT> = {};
  for (const [name, { claims = {} }] of Object.entries(jwts))
    setOwn(named, name, Object.keys(claims).length === 0 ? {} : { claims });
  const kept = {
    ...(Object.keys(jwt).length > 0 && { jwt }),
    ...(Object.keys(named).length > 0 && { jwts: named }),
  };
  return Object.keys(kept).length === 0 ? undefined : kept;
}

/** Attributes and claims of an input, by what facts are of. */
const SIDES: readonly (readonly [root: FactRoot, attributes: (input: Input) => Attributes])[] = [
  ['principal.attr', ({ principal }) => principal.attr ?? {}],
  ['resource.attr', ({ resource }) => resource.attr ?? {}],
  ['auxData.jwt', ({ auxData }) => auxData?.jwt ?? {}],
];

/** What an input keeps, so that what it does not keep is not taken for missing. */
function describe(
  input: Input,
  kept: Input,
  sets: readonly ReadSet[],
  facts: Pick<KeptInput, 'unknown' | 'fetched'>,
): KeptInput {
  const unknown = new Set(facts.unknown);
  const paths = sets.flatMap((set) => set.paths);
  const absent: string[] = [];
  const partial: string[] = [];
  for (const [root, attributesOf] of SIDES) {
    const [before, after] = [attributesOf(input), attributesOf(kept)];
    const names = namesRead(paths, root);
    if (names.has(ALL)) absent.push(`${root}.${ALL}`);
    else
      for (const name of names)
        if (!Object.hasOwn(before, name) && !unknown.has(factName(root, name))) absent.push(factName(root, name));
    for (const [name, value] of Object.entries(after))
      if (!isSame(value, before[name])) partial.push(factName(root, name));
  }
  return {
    set: readSetsDigest(sets),
    ...(absent.length > 0 && { absent: [...absent].sort() }),
    ...(partial.length > 0 && { partial: [...partial].sort() }),
    ...facts,
  };
}

const ALL = '*';

/** The names of attributes that paths read; `*` if they read all, or which ones there are. */
function namesRead(paths: readonly ReadPath[], root: FactRoot): ReadonlySet<string> {
  const [part, side] = root.split('.');
  return new Set(
    paths.flatMap(({ path, leaf }) => {
      const [ownPart = part, ownSide = side, name] = path;
      if (ownPart !== part || ownSide !== side) return [];
      if (name !== undefined) return [name];
      return leaf === 'value' || (leaf === 'shape' && path.length === 2) ? [ALL] : [];
    }),
  );
}

/** Whether a projection has left a value as it was: it only takes away. */
function isSame(kept: unknown, before: unknown): boolean {
  if (kept === before || typeof kept !== 'object' || kept === null) return true;
  return JSON.stringify(kept) === JSON.stringify(before);
}
