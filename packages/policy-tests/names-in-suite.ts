import type { AuxDataInput, PrincipalInput, ResourceInput } from '../../runtime/engine/index.js';
import { adviseNames } from '../cel/check/did-you-mean.js';
import type { Located, Place } from '../../compiler/diagnostics/span.js';
import { type Complaint, InvalidSuite } from './invalid-suite.js';
import { inContext, requireMembers } from './read-suite.js';
import type { Choice, Fixtures, Suite } from './suite.js';

/**
 * Resolves the names of a suite: a name refers to the suite's fixtures, otherwise to the fixture files
 * (docs/spec/server.md#how-tests-run). Lookups throw an InvalidSuite.
 */
export interface Names {
  readonly principal: (key: string, choice: Choice) => PrincipalInput;
  readonly resource: (key: string, choice: Choice) => ResourceInput;
  readonly auxData: (key: Located<string>) => AuxDataInput;
  /** The selected keys without duplicates: those listed first, then members of groups. */
  readonly principals: (choice: Choice) => readonly string[];
  readonly resources: (choice: Choice) => readonly string[];
  /** The first key of a selection that has no fixture; undefined if all have one. */
  readonly unknown: (what: 'principal' | 'resource', choice: Choice) => Complaint | undefined;
}

/** The names of a suite and its fixtures. Throws an InvalidSuite if a group of the suite has an unknown member. */
export function namesIn(suite: Suite, fixtures: Fixtures): Names {
  const known = {
    principal: collectNames(suite.principals, fixtures.principals),
    resource: collectNames(suite.resources, fixtures.resources),
    'principal group': collectNames(suite.principalGroups, fixtures.principalGroups),
    'resource group': collectNames(suite.resourceGroups, fixtures.resourceGroups),
    auxData: collectNames(suite.auxData, fixtures.auxData),
  };
  inContext('Invalid principal groups in test suite: ', () => requireMembers(suite.principalGroups, known.principal));
  inContext('Invalid resource groups in test suite: ', () => requireMembers(suite.resourceGroups, known.resource));
  const notFound = (what: keyof typeof known, name: Name): never => {
    throw new InvalidSuite([unknownName(what, name, known[what])]);
  };
  return {
    principal: (key, choice) =>
      suite.principals.get(key) ?? fixtures.principals.get(key) ?? notFound('principal', located(key, choice)),
    resource: (key, choice) =>
      suite.resources.get(key) ?? fixtures.resources.get(key) ?? notFound('resource', located(key, choice)),
    auxData: (key) => suite.auxData.get(key.value) ?? fixtures.auxData.get(key.value) ?? notFound('auxData', key),
    principals: (choice) =>
      chosen(
        choice,
        (name) =>
          suite.principalGroups.get(name.value) ??
          fixtures.principalGroups.get(name.value) ??
          notFound('principal group', name),
      ),
    resources: (choice) =>
      chosen(
        choice,
        (name) =>
          suite.resourceGroups.get(name.value) ??
          fixtures.resourceGroups.get(name.value) ??
          notFound('resource group', name),
      ),
    unknown: (what, { keys }) => {
      const key = keys.find(({ value }) => !known[what].has(value));
      return key && unknownName(what, key, known[what]);
    },
  };
}

function chosen(
  { keys, groups }: Choice,
  membersOf: (group: Located<string>) => readonly Located<string>[],
): readonly string[] {
  return [...new Set([...keys, ...groups.flatMap(membersOf)].map(({ value }) => value))];
}

function collectNames(...maps: readonly ReadonlyMap<string, unknown>[]): ReadonlySet<string> {
  return new Set(maps.flatMap((map) => [...map.keys()]));
}

/** A name, and its location if the author wrote it directly, not through a group. */
interface Name {
  readonly value: string;
  readonly place?: Place | undefined;
}

function located(value: string, { keys }: Choice): Name {
  return keys.find((key) => key.value === value) ?? { value };
}

function unknownName(what: string, { value, place }: Name, known: Iterable<string>): Complaint {
  return { text: `${what} ${JSON.stringify(value)} not found`, place, notes: adviseNames(value, known) };
}
