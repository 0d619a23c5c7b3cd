import { Refusal } from './refusal.js';

/** A contact, as it is stored. */
export interface Contact extends ContactFields {
  readonly id: string;
}

/** The attributes of a contact that policies read. */
export interface ContactFields {
  readonly name: string;
  readonly email: string;
  /** The id of a principal. */
  readonly owner: string;
  /** Shown to its owner and to admins only. */
  readonly private: boolean;
}

/** The fields of a new contact. By default the creator owns it, and everybody sees it. Throws a Refusal. */
export function newContact(body: unknown, creator: string): ContactFields {
  const { name, email, ...rest } = contactChanges(body);
  if (name === undefined || email === undefined) throw new Refusal(400, 'a contact needs a name and an email');
  return { name, email, owner: creator, private: false, ...rest };
}

/** The fields that a body changes. Callers cannot set other fields, such as the id. Throws a Refusal. */
export function contactChanges(body: unknown): Partial<ContactFields> {
  // A request without a body.
  if (body === undefined || body === null) return {};
  if (typeof body !== 'object' || Array.isArray(body)) throw new Refusal(400, 'the body must be a JSON object');
  const sent = new Map<string, unknown>(Object.entries(body));
  return {
    ...(sent.has('name') && { name: stringOf(sent, 'name') }),
    ...(sent.has('email') && { email: stringOf(sent, 'email') }),
    ...(sent.has('owner') && { owner: stringOf(sent, 'owner') }),
    ...(sent.has('private') && { private: booleanOf(sent, 'private') }),
  };
}

/** The representation that callers see. Only private contacts have the field `private`. */
export function shown({ id, name, email, owner, private: isPrivate }: Contact): object {
  return isPrivate ? { id, name, email, owner, private: true } : { id, name, email };
}

/** Characters. */
const LONGEST_TEXT = 200;

function stringOf(sent: ReadonlyMap<string, unknown>, field: string): string {
  const value = sent.get(field);
  // The database cuts strings at a NUL.
  if (typeof value === 'string' && value !== '' && value.length <= LONGEST_TEXT && !value.includes('\0')) return value;
  throw new Refusal(400, `${field} must be a string of 1 to ${LONGEST_TEXT} characters`);
}

function booleanOf(sent: ReadonlyMap<string, unknown>, field: string): boolean {
  const value = sent.get(field);
  if (typeof value === 'boolean') return value;
  throw new Refusal(400, `${field} must be true or false`);
}
