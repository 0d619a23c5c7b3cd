import { SETS_SEARCH_PATH } from './search-path.js';

/** The body of the function that returns what a value says whose signature is right. */
export const SIGNED_VALUE = `DECLARE
  value text := nullif(current_setting('authz.principal', true), '');
  signed text;
  own jsonb;
  key authz_keys.key;
  seconds double precision;
BEGIN
  IF value IS NULL OR value !~ '^[a-z0-9]{1,16}[.][A-Za-z0-9+/]+=*[.][0-9a-f]{64}$' THEN
    RETURN NULL;
  END IF;
  signed := left(value, -65);
  SELECT * INTO key FROM authz_keys.key AS each WHERE each.kid = split_part(value, '.', 1);
  IF NOT FOUND OR sha256(key.outer_pad || sha256(key.inner_pad || convert_to(signed, 'UTF8'))) <> decode(right(value, 64), 'hex') THEN
    RETURN NULL;
  END IF;
  own := convert_from(decode(split_part(value, '.', 2), 'base64'), 'UTF8')::jsonb;
  IF jsonb_typeof(own -> 'exp') IS DISTINCT FROM 'number' OR own ->> 'aud' IS DISTINCT FROM current_database()::text THEN
    RETURN NULL;
  END IF;
  seconds := (own ->> 'exp')::double precision - extract(epoch FROM clock_timestamp());
  IF seconds < 0 OR seconds > 3600 THEN
    RETURN NULL;
  END IF;
  RETURN own;
END`;

/**
 * What checks the signatures of values of sessions: HMAC-SHA256 over the text before them, with no extension. The text is
 * signed and not what it decodes to, as base64 has several spellings of the same bytes. Keys are in a schema of their own, that
 * the roles of an application cannot use.
 */
export const SIGNATURES: readonly string[] = [
  'CREATE SCHEMA IF NOT EXISTS authz_keys;\nREVOKE ALL ON SCHEMA authz_keys FROM PUBLIC;',
  `CREATE TABLE IF NOT EXISTS authz_keys.key (kid text PRIMARY KEY, inner_pad bytea NOT NULL, outer_pad bytea NOT NULL);
REVOKE ALL ON authz_keys.key FROM PUBLIC;`,
  `CREATE OR REPLACE FUNCTION authz_keys.add(kid text, secret bytea) RETURNS void
LANGUAGE plpgsql ${SETS_SEARCH_PATH} AS $authz$
DECLARE
  own bytea := CASE WHEN length(secret) > 64 THEN sha256(secret) ELSE secret END;
  inner_pad bytea;
  outer_pad bytea;
BEGIN
  IF length(secret) < 32 OR kid !~ '^[a-z0-9]{1,16}$' THEN
    RAISE 'a key needs 32 bytes, and a name of up to 16 small letters and digits';
  END IF;
  own := own || decode(repeat('00', 64 - length(own)), 'hex');
  inner_pad := own;
  outer_pad := own;
  FOR position IN 0..63 LOOP
    inner_pad := set_byte(inner_pad, position, get_byte(own, position) # 54);
    outer_pad := set_byte(outer_pad, position, get_byte(own, position) # 92);
  END LOOP;
  INSERT INTO authz_keys.key VALUES (kid, inner_pad, outer_pad);
END
$authz$;
REVOKE ALL ON FUNCTION authz_keys.add(text, bytea) FROM PUBLIC;`,
  `CREATE OR REPLACE FUNCTION authz.signed_value() RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER ${SETS_SEARCH_PATH} AS $authz$
${SIGNED_VALUE}
$authz$;`,
];
