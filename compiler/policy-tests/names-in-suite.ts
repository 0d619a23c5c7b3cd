import type { AuxDataInput, PrincipalInput, ResourceInput } from '#runtime/engine';
import { InvalidSuite } from './invalid-suite.js';
import { inContext, requireMembers } from './read-suite.js';
import type { Choice, Fixtures, Suite } from './suite.js';

/** What the names of a suite stand for: a name means the suite's, else that of the fixture files (server.md 7.4.1). Looking up throws an InvalidSuite. */
export interface Names {
  readonly principal: (key: string) => PrincipalInput;
  readonly resource: (key: string) => ResourceInput;
  readonly auxData: (key: string) => AuxDataInput;
  /** The keys that are meant, each once: those listed first, then members of groups. */
  readonly principals: (choice: Choice) => readonly string[];
  readonly resources: (choice: Choice) => readonly string[];
}

/** The names of a suite and its fixtures. Throws an InvalidSuite when a group of the suite has a member that is nowhere. */
export function namesIn(suite: Suite, fixtures: Fixtures): Names {
  inContext('Invalid principal groups in test suite: ', () =>
    requireMembers(suite.principalGroups, (key) => suite.principals.has(key) || fixtures.principals.has(key)),
  );
  inContext('Invalid resource groups in test suite: ', () =>
    requireMembers(suite.resourceGroups, (key) => suite.resources.has(key) || fixtures.resources.has(key)),
  );
  return {
    principal: (key) => suite.principals.get(key) ?? fixtures.principals.get(key) ?? notFound('principal', key),
    resource: (key) => suite.resources.get(key) ?? fixtures.resources.get(key) ?? notFound('resource', key),
    auxData: (key) => suite.auxData.get(key) ?? fixtures.auxData.get(key) ?? notFound('auxData', key),
    principals: (choice) => chosen(choice, (name) => suite.principalGroups.get(name) ?? fixtures.principalGroups.get(name) ?? notFound('principal group', name)),
    resources: (choice) => chosen(choice, (name) => suite.resourceGroups.get(name) ?? fixtures.resourceGroups.get(name) ?? notFound('resource group', name)),
  };
}

function chosen({ keys, groups }: Choice, membersOf: (group: string) => readonly string[]): readonly string[] {
  return [...new Set([...keys, ...groups.flatMap(membersOf)])];
}

function notFound(what: string, name: string): never {
  throw new InvalidSuite(`${what} ${JSON.stringify(name)} not found`);
}
