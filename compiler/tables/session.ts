import type { JsonValue } from '../ast/policy.js';
import { invariant } from '../diagnostics/invariant.js';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import {
  asText,
  findField,
  nonEmptyText,
  readEntries,
  readObject,
  readTexts,
  requiredText,
} from '../parse/build/fields.js';
import type { ObjectValue } from '../parse/schema/value.js';
import { SESSION_SOURCE_WORDS, SESSION_SOURCES, SESSION_TYPES } from './schema.js';

/** The types of attributes of principals that SQL reads. */
export type SessionType = (typeof SESSION_TYPES)[number];

/** Where a database has the principal from: a word, or a function of the database with its schema. */
export type SessionSource = (typeof SESSION_SOURCES)[number] | { readonly function: string };

/** What the policies of a database know of a principal. */
export interface Session {
  readonly source: SessionSource;
  /** The declared types of attributes, by name. */
  readonly attributes: Readonly<Record<string, SessionType>>;
  /** The path of the claim that is an attribute, by its name. */
  readonly claims: Readonly<Record<string, readonly string[]>>;
  /** Who asks without a principal; by default nobody. */
  readonly anonymous?: { readonly id: string; readonly roles: readonly string[] };
  /** The role of the database that reads related tables. */
  readonly reader: string;
  /** Whether rows that violate their schema are denied, as by servers that enforce schemas. */
  readonly enforcesSchemas: boolean;
}

/** The session of a file that says nothing about it. */
export const NO_SESSION: Session = {
  source: 'settings',
  attributes: {},
  claims: {},
  reader: 'authz_reader',
  enforcesSchemas: false,
};

/** Reads what a file of tables says of sessions. Reports what has a wrong form, and claims that users change themselves. */
export function readSession(document: ObjectValue, report: Diagnostics): Session {
  const object = readObject(document, 'rls');
  if (object === undefined) return NO_SESSION;
  const source = readSource(object, report);
  const anonymous = readObject(object, 'anonymous');
  const ofNobody = findField(object, 'anonymous');
  if (ofNobody !== undefined && source === 'signed')
    report.add('rls/action', ofNobody.place, {
      field: 'rls.anonymous',
      problem: 'a session without a signature is nobody: sign an anonymous principal as any other',
    });
  return {
    source,
    attributes: readAttributes(object, report),
    claims: readClaims(object, source, report),
    ...(anonymous !== undefined && {
      anonymous: {
        id: requiredText(anonymous, 'id').value,
        roles: readTexts(anonymous, 'roles').map(({ value }) => value),
      },
    }),
    reader: nonEmptyText(object, 'reader')?.value ?? NO_SESSION.reader,
    enforcesSchemas: nonEmptyText(object, 'schemas')?.value === 'enforce',
  };
}

function readSource(object: ObjectValue, report: Diagnostics): SessionSource {
  const field = findField(object, 'principal');
  if (field === undefined) return NO_SESSION.source;
  const value = field.value.kind === 'json' ? field.value.value : invariant('principal is not JSON');
  const word = SESSION_SOURCES.find((each) => each === value);
  if (word !== undefined) return word;
  const name = functionOf(value);
  if (name !== undefined) return { function: name };
  report.add('rls/action', field.place, {
    field: 'rls.principal',
    problem: `it needs ${SESSION_SOURCE_WORDS}`,
  });
  return NO_SESSION.source;
}

function functionOf(value: JsonValue): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const [[key, name] = [], ...others] = Object.entries(value);
  const isName = typeof name === 'string' && /^[A-Za-z_]\w*\.[A-Za-z_]\w*$/.test(name);
  return key === 'function' && isName && others.length === 0 ? name : undefined;
}

/** The declared types of the attributes of principals. Reports a name that no policy can read as `P.attr.name`. */
function readAttributes(object: ObjectValue, report: Diagnostics): Session['attributes'] {
  return Object.fromEntries(
    readEntries(object, 'attributes').map(({ name, value }) => {
      if (!/^[A-Za-z_]\w*$/.test(name.value))
        report.add('rls/action', name.place, {
          field: `rls.attributes[${JSON.stringify(name.value)}]`,
          problem: 'it needs a name as in `P.attr.tenant`: letters, digits and `_`',
        });
      const type = SESSION_TYPES.find((word) => word === asText(value).text);
      return [name.value, type ?? invariant('an attribute has no type after validation')];
    }),
  );
}

/** Claims that a user changes through the API of a service. */
const OF_USERS = ['user_metadata', 'raw_user_meta_data', 'unsafe_metadata'];

function readClaims(object: ObjectValue, source: SessionSource, report: Diagnostics): Session['claims'] {
  const isOfClaims = source === 'supabase' || source === 'clerk';
  return Object.fromEntries(
    readEntries(object, 'claims').map(({ name, value, place }) => {
      const claim = asText(value).text;
      const path = claim.split('.');
      if (!isOfClaims || path.includes(''))
        report.add('rls/action', place, {
          field: `rls.claims[${JSON.stringify(name.value)}]`,
          problem: isOfClaims
            ? 'it needs the path of a claim: `app_metadata.tenant`'
            : 'only `principal: supabase` and `principal: clerk` have claims',
        });
      if (OF_USERS.includes(path[0] as string))
        report.add('rls/user-metadata', place, { attribute: name.value, claim });
      return [name.value, path];
    }),
  );
}
