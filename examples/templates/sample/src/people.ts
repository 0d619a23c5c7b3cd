/** A person who uses the application. */
export interface Person {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: { readonly team: string };
}

const PEOPLE: ReadonlyMap<string, Person> = new Map(
  [
    { id: 'alice', roles: ['user'], attr: { team: 'design' } },
    { id: 'bob', roles: ['user'], attr: { team: 'design' } },
    { id: 'carol', roles: ['user'], attr: { team: 'sales' } },
    { id: 'root', roles: ['admin'], attr: { team: 'it' } },
  ].map((person) => [person.id, person]),
);

/**
 * The person with an id. The sample takes the id from the header `x-user`, which anyone can send: in your application,
 * verify a session or a token instead.
 */
export function personOf(id: string | null | undefined): Person | undefined {
  return PEOPLE.get(id ?? '');
}
