import { roleName } from '../../analysis/rls/names.js';
import { FUNCTION_SEARCH_PATH, GIN_LIMIT } from '../../analysis/rls/search-path.js';
import { SIGNED_VALUE } from '../../analysis/rls/signatures.js';
import { quotedPart } from '../../analysis/sql-names.js';
import type { Helper, KeyFunction, Protection, RowFunction } from '../../analysis/rls/protection.js';
import type { Catalogue, CatalogueFunction, DefaultSetting } from './catalogue.js';
import { note, refuted, type RlsFinding, RUN_SCRIPT, unknown } from './finding.js';
import { didYouMean } from '../../cel/check/did-you-mean.js';

/** The roles, the functions and the server that the policies of all tables depend on. */
export function databaseFindings(
  catalogue: Catalogue,
  protection: Protection,
  roles: readonly string[],
  isForgeable: boolean,
): readonly RlsFinding[] {
  return [
    ...roleFindings(catalogue, roles, protection.roles),
    ...helperFindings(catalogue, protection),
    ...(protection.isSigned ? signatureFindings(catalogue) : []),
    ...versionFindings(catalogue, protection),
    ...readerFindings(catalogue.reader),
    ...metadataFindings(catalogue, protection),
    ...serverFindings(catalogue.server),
    ...catalogue.defaults.map(defaultFinding),
    ...(isForgeable
      ? [
          note(
            'setting-forgeable',
            'setting authz.principal',
            'anyone who can run any SQL can set it: the policies do not protect against statements that are injected',
          ),
        ]
      : []),
  ];
}

/**
 * Roles that policies do not apply to, themselves or as what they can act as.
 *
 * @param own those of the table file.
 */
function roleFindings(
  { roles: found, roleNames }: Pick<Catalogue, 'roles' | 'roleNames'>,
  wanted: readonly string[],
  own: readonly string[],
): readonly RlsFinding[] {
  return [
    ...wanted
      .filter((role) => role !== 'PUBLIC' && !found.some((each) => each.role === role))
      .map((role) => missingRole(role, roleNames)),
    ...found.flatMap(({ role, as, isSuperuser, isExempt, createsRoles }): readonly RlsFinding[] => {
      const object = `role ${role}`;
      const who = as === role ? 'it' : `it can act as ${as}, which`;
      const revoke = `REVOKE ${quotedPart(as)} FROM ${quotedPart(role)};`;
      if (isSuperuser)
        return [
          refuted('superuser', object, `${who} is a superuser: policies do not apply to it`, {
            fix: as !== role ? revoke : own.includes(role) ? `ALTER ROLE ${quotedPart(role)} NOSUPERUSER;` : CONNECT_AS,
          }),
        ];
      if (isExempt)
        return [
          refuted('bypass', object, `${who} has BYPASSRLS: policies do not apply to it`, {
            fix: as === role ? `ALTER ROLE ${quotedPart(role)} NOBYPASSRLS;` : revoke,
          }),
        ];
      if (createsRoles)
        return [
          refuted(
            'bypass',
            object,
            `${who} has CREATEROLE: before PostgreSQL 16 it can make itself a member of the owner`,
            {
              fix: as === role ? `ALTER ROLE ${quotedPart(role)} NOCREATEROLE;` : revoke,
            },
          ),
        ];
      return [];
    }),
  ];
}

/** The only superuser of a cluster, such as `postgres`, must stay one. */
const CONNECT_AS = '-- let the application connect as another role';

function missingRole(role: string, names: readonly string[]): RlsFinding {
  const [near] = didYouMean(role, names);
  return near === undefined
    ? refuted('role-missing', `role ${role}`, 'the database does not have it', {
        fix: `CREATE ROLE ${quotedPart(role)};`,
      })
    : refuted('role-missing', `role ${role}`, `the database does not have it: ${near.message}`);
}

/** Compares the functions that policies call with those that `authzc rls` writes. */
function helperFindings(
  { functions, schema, roles }: Catalogue,
  { helpers, reader }: Protection,
): readonly RlsFinding[] {
  const findings = [
    ...helpers.flatMap((helper) => oneHelper(helper, functions)),
    ...[...(reader?.functions ?? []), ...(reader?.rowFunctions ?? [])].flatMap((each) =>
      oneReaderFunction(each, reader?.role ?? '', functions),
    ),
  ];
  if (schema === undefined) return findings;
  const mayAct = (owner: string): readonly string[] => roles.filter(({ as }) => as === owner).map(({ role }) => role);
  const writers = new Set([
    ...schema.creators,
    ...mayAct(schema.owner),
    ...functions.flatMap(({ owner }) => mayAct(owner)),
  ]);
  for (const role of writers)
    findings.push(
      refuted('helper-writable', 'schema authz', `${role} can create or replace functions in it`, {
        fix: `REVOKE CREATE ON SCHEMA authz FROM ${roleName(role)};\n-- and let the role that runs migrations own it: ALTER SCHEMA authz OWNER TO …;`,
      }),
    );
  return findings;
}

/** The function that tells whether a signature is right, and the roles that could make one. */
function signatureFindings({ functions, keys, roles }: Catalogue): readonly RlsFinding[] {
  const found = functions.find(({ name, arguments: own }) => name === 'signed_value' && own === '');
  const object = 'function authz.signed_value()';
  const signers = new Set([
    ...(keys?.users ?? []),
    ...roles.filter(({ as }) => as === keys?.owner).map(({ role }) => role),
  ]);
  const problems =
    found === undefined
      ? ['it does not exist']
      : [
          ...(found.body.trim() === SIGNED_VALUE ? [] : ['its body is not the one that `authzc rls` writes']),
          ...(found.volatility === 's' ? [] : ['it is not STABLE']),
          ...(found.isDefiner && found.owner === keys?.owner ? [] : ['it does not run as the owner of the keys']),
          ...(searchesOnlyOwn(found) ? [] : [OTHER_PATH]),
        ];
  return [
    ...changed(object, problems),
    ...[...signers].map((role) =>
      refuted(
        'setting-forgeable',
        'table authz_keys.key',
        `${role} may read or change the keys, and so sign any value`,
        {
          fix: `REVOKE ALL ON authz_keys.key FROM ${roleName(role)};\n-- and use other keys`,
        },
      ),
    ),
  ];
}

/** What differs about a function that policies call, if something does. */
function changed(object: string, problems: readonly string[]): readonly RlsFinding[] {
  return problems.length === 0 ? [] : [refuted('helper-changed', object, problems.join('; '), { fix: RUN_SCRIPT })];
}

function immutable(object: string, name: string): readonly RlsFinding[] {
  const message = 'it is IMMUTABLE: a cached plan shows the rows of another principal';
  return [refuted('helper-immutable', object, message, { fix: `ALTER FUNCTION authz.${name} STABLE;` })];
}

const OTHER_PATH = `its search_path is not \`${FUNCTION_SEARCH_PATH}\`: what it calls can be replaced`;

const SOME_ROWS = `its ${GIN_LIMIT} is not 0: a session decides how many rows an index returns`;

function oneHelper({ signature, type, body }: Helper, functions: readonly CatalogueFunction[]): readonly RlsFinding[] {
  const [, name = '', parameters = ''] = /^(\w+)\((.*)\)$/s.exec(signature) ?? [];
  const object = `function authz.${signature}`;
  const found = functions.find((own) => own.name === name && own.arguments === parameters);
  if (found === undefined) return changed(object, ['it does not exist']);
  if (found.volatility === 'i') return immutable(object, signature);
  const problems = [
    ...(found.body.trim() === body.trim() ? [] : ['its body is not the one that `authzc rls` writes']),
    ...(found.result === type ? [] : [`it returns ${found.result} instead of ${type}`]),
    ...(found.language === 'plpgsql' ? [] : [`its language is ${found.language} instead of plpgsql`]),
    ...(found.volatility === 's' ? [] : ['it is VOLATILE: it is called for each row']),
    ...(found.isDefiner ? ['it is SECURITY DEFINER'] : []),
    ...(searchesOnlyOwn(found) ? [] : [OTHER_PATH]),
  ];
  return changed(object, problems);
}

/** A function that reads a related table runs as the reader, who sees all of its rows. */
function oneReaderFunction(
  { name, query }: KeyFunction | RowFunction,
  reader: string,
  functions: readonly CatalogueFunction[],
): readonly RlsFinding[] {
  const [found, ...others] = functions.filter((own) => own.name === name);
  const object = `function authz.${name}(${found?.arguments ?? ''})`;
  if (found === undefined) return changed(object, ['it does not exist']);
  if (others.length > 0) return changed(object, ['there is another function of this name']);
  if (found.volatility === 'i') return immutable(object, name);
  const problems = [
    ...(found.body.trim() === query.trim() ? [] : ['its query is not the one that `authzc rls` writes']),
    ...(found.isDefiner && found.owner === reader ? [] : [`it does not run as ${reader}`]),
    ...(searchesOnlyOwn(found) ? [] : [OTHER_PATH]),
    ...((found.settings ?? []).includes(`${GIN_LIMIT}=0`) ? [] : [SOME_ROWS]),
  ];
  return changed(object, problems);
}

/** Whether a function finds types of PostgreSQL before those of the session. */
function searchesOnlyOwn({ settings }: CatalogueFunction): boolean {
  return (settings ?? []).includes(`search_path=${FUNCTION_SEARCH_PATH}`);
}

/** The version of the script that was run last. A change of policies that leaves the conditions alike has the same. */
function versionFindings({ version }: Catalogue, { isWhole, version: wanted }: Protection): readonly RlsFinding[] {
  if (!isWhole || version === undefined || version === wanted) return [];
  return [
    refuted(
      'stale',
      'authz.version',
      `the database has version ${version}; the policies and the table file are ${wanted}`,
      {
        fix: RUN_SCRIPT,
      },
    ),
  ];
}

/** A session that sets no principal is to be nobody. */
function defaultFinding({ setting, role, database }: DefaultSetting): RlsFinding {
  const owner =
    role === null && database !== null
      ? `DATABASE ${quotedPart(database)}`
      : `ROLE ${role === null ? 'ALL' : quotedPart(role)}${database === null ? '' : ` IN DATABASE ${quotedPart(database)}`}`;
  return refuted(
    'default-principal',
    `setting ${setting}`,
    `sessions that set no principal have that of ALTER ${owner}`,
    { fix: `ALTER ${owner} RESET ${setting};` },
  );
}

/** The role that reads related tables must be of use for nothing else. */
function readerFindings(reader: Catalogue['reader']): readonly RlsFinding[] {
  if (reader === undefined) return [];
  const { role, canLogin, isExempt, owns, members } = reader;
  const quoted = quotedPart(role);
  const found = (message: string, fix: string): RlsFinding => refuted('reader-login', `role ${role}`, message, { fix });
  return [
    ...(canLogin ? [found('it can log in', `ALTER ROLE ${quoted} NOLOGIN;`)] : []),
    ...(isExempt ? [found('policies do not apply to it', `ALTER ROLE ${quoted} NOSUPERUSER NOBYPASSRLS;`)] : []),
    ...(owns.length > 0
      ? [
          found(
            `it owns ${owns.join(', ')}, which it can read and change without policies`,
            `REASSIGN OWNED BY ${quoted} TO …;`,
          ),
        ]
      : []),
    ...members.map((member) => found(`${member} can act as it`, `REVOKE ${quoted} FROM ${quotedPart(member)};`)),
  ];
}

const EDITABLE = /\b(?:raw_)?user_meta_?data\b|\bunsafe_metadata\b/i;

/** Conditions that read what users say of themselves. */
function metadataFindings({ tables, functions }: Catalogue, { helpers }: Protection): readonly RlsFinding[] {
  // Of claims, the function of the principal takes away what users write.
  const own = new Set(helpers.map(({ body }) => body.trim()));
  return [
    ...tables.flatMap(({ name: table, policies }) =>
      policies
        .filter(({ using, check, appliesTo }) => appliesTo.length > 0 && EDITABLE.test(`${using ?? ''} ${check ?? ''}`))
        .map(({ name }) =>
          refuted('user-metadata', `policy ${name} on ${table}`, 'it reads metadata that users can edit themselves', {
            table,
          }),
        ),
    ),
    ...functions
      .filter(({ body }) => EDITABLE.test(body) && !own.has(body.trim()))
      .map(({ name }) =>
        refuted('user-metadata', `function authz.${name}`, 'it reads metadata that users can edit themselves'),
      ),
  ];
}

/**
 * The first minor version of each major version without the known faults of row level security: CVE-2023-2455,
 * CVE-2023-39418, CVE-2024-10976 and CVE-2025-8713. Older major versions get no fixes.
 */
const FIXED: ReadonlyMap<number, number> = new Map([
  [14, 19],
  [15, 14],
  [16, 10],
  [17, 6],
]);

function serverFindings(server: number): readonly RlsFinding[] {
  const [major, minor] = [Math.floor(server / 10_000), server % 10_000];
  const first = FIXED.get(major);
  if (major > 17 || (first !== undefined && minor >= first)) return [];
  return [
    unknown(
      'old-server',
      `PostgreSQL ${major}.${minor}`,
      first === undefined
        ? 'it gets no fixes any more; row level security has had faults since'
        : `it has known faults in row level security; they are fixed in ${major}.${first}`,
    ),
  ];
}
