import type { Session } from '../../../compiler/tables/session.js';
import { quotedText } from '../../../runtime/residual/sql/policy-condition.js';
import { quotedName } from '../sql-names.js';

/**
 * The body of the function that returns the principal of a session as JSON, or NULL for a value that describes none. An
 * attribute of another type than the declared one makes a principal nobody: if it were only missing, a DENY that compares
 * it would deny nothing.
 */
export function principalBody({ source, attributes, claims, anonymous }: Session): string {
  const conditions = [
    "jsonb_typeof(own) = 'object'",
    "jsonb_typeof(own -> 'id') = 'string' AND own ->> 'id' <> ''",
    "jsonb_typeof(own -> 'roles') = 'array' AND own -> 'roles' <> '[]'",
    "coalesce(jsonb_typeof(own -> 'attr'), 'object') = 'object'",
    "coalesce(jsonb_typeof(own -> 'token'), 'object') = 'object'",
    "coalesce(jsonb_typeof(own -> 'computed'), 'object') = 'object'",
    ...Object.entries(attributes)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, type]) => {
        const wanted = { text: 'string', number: 'number', boolean: 'boolean', list: 'array' }[type];
        return `coalesce(jsonb_typeof(own -> 'attr' -> ${quotedText(name)}), '${wanted}') = '${wanted}'`;
      }),
  ];
  return [
    'DECLARE',
    ...declarations(source).map((line) => `  ${line}`),
    'BEGIN',
    ...[...readings(source, claims), ...orAnonymous(anonymous)].map((line) => `  ${line}`),
    `  IF (${conditions.join('\n    AND ')}) IS NOT TRUE THEN`,
    '    RETURN NULL;',
    '  END IF;',
    "  IF EXISTS (SELECT FROM jsonb_array_elements(own -> 'roles') AS each(role)",
    "    WHERE jsonb_typeof(each.role) <> 'string' OR each.role = '\"\"') THEN",
    '    RETURN NULL;',
    '  END IF;',
    '  RETURN own;',
    'END',
  ].join('\n');
}

const SETTING = "nullif(current_setting('authz.principal', true), '')";
const CLAIMS = "nullif(current_setting('request.jwt.claims', true), '')::jsonb";

function declarations(source: Session['source']): readonly string[] {
  if (typeof source === 'object') return [`own jsonb := ${quotedName(source.function)}()::jsonb;`];
  switch (source) {
    case 'settings':
      return [`own jsonb := ${SETTING}::jsonb;`];
    case 'signed':
      return ['own jsonb := authz.signed_value();'];
    case 'supabase':
    case 'clerk':
      return ['own jsonb;', `claims jsonb := ${CLAIMS};`];
  }
}

/** What makes a principal of the claims of a token, which the server of the database has verified. */
function readings(source: Session['source'], claims: Session['claims']): readonly string[] {
  const attr = Object.entries(claims)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, path]) => {
      const value = path.reduce((object, field) => `${object} -> ${quotedText(field)}`, 'claims');
      return `CASE WHEN ${value} IS NULL THEN '{}' ELSE jsonb_build_object(${quotedText(name)}, ${value}) END`;
    });
  const principal = (roles: string, hidden: string): readonly string[] => [
    "IF claims ->> 'sub' IS NOT NULL THEN",
    `  own := jsonb_build_object('id', claims -> 'sub', 'roles', ${roles},`,
    `    'attr', ${attr.length === 0 ? "'{}'::jsonb" : attr.join(' || ')},`,
    `    'token', claims - ${quotedText(hidden)});`,
    'END IF;',
  ];
  switch (source) {
    case 'supabase':
      return [
        "IF coalesce(jsonb_typeof(claims -> 'app_metadata' -> 'roles'), 'array') <> 'array' THEN",
        '  RETURN NULL;',
        'END IF;',
        ...principal(
          "jsonb_build_array(claims -> 'role') || coalesce(claims -> 'app_metadata' -> 'roles', '[]')",
          'user_metadata',
        ),
      ];
    case 'clerk':
      return [
        // The second version of its tokens.
        "IF jsonb_typeof(claims -> 'o') = 'object' THEN",
        "  claims := claims || jsonb_build_object('org_id', claims -> 'o' -> 'id', 'org_role', 'org:' || (claims -> 'o' ->> 'rol'));",
        'END IF;',
        ...principal(
          [
            "CASE WHEN claims ->> 'role' IS NULL THEN '[]' ELSE jsonb_build_array(claims -> 'role') END",
            "CASE WHEN claims ->> 'org_role' IS NULL THEN '[]' ELSE jsonb_build_array(claims -> 'org_role') END",
          ].join('\n      || '),
          'unsafe_metadata',
        ),
      ];
    default:
      return [];
  }
}

/** Who asks without a principal. A value that describes none is nobody all the same. */
function orAnonymous(anonymous: Session['anonymous']): readonly string[] {
  if (anonymous === undefined) return [];
  return [
    'IF own IS NULL THEN',
    `  own := ${quotedText(JSON.stringify({ id: anonymous.id, roles: anonymous.roles }))}::jsonb;`,
    'END IF;',
  ];
}
