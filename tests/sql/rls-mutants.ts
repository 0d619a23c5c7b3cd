/** A mistake in the script that protects a table. */
export interface ScriptMutant {
  readonly name: string;
  readonly find: RegExp;
  readonly replace: string;
}

/** A mistake in a file that writes conditions and policies. */
export interface SourceMutant {
  readonly name: string;
  /** In `packages/analysis`. */
  readonly file: string;
  /** Must occur once. */
  readonly find: string;
  readonly replace: string;
}

function helperBody(name: string): RegExp {
  return new RegExp(
    `(CREATE OR REPLACE FUNCTION authz\\.${name}\\([^)]*\\) RETURNS [^$]*\\$authz\\$\\nBEGIN\\n  RETURN )[^;]*;`,
  );
}

/** Each lets somebody do what check denies, or keeps somebody from what check allows. */
export const SCRIPT_MUTANTS: readonly ScriptMutant[] = [
  { name: 'the guard is dropped', find: /\(SELECT authz\.is_set\(\)\)\n {2}AND /g, replace: '' },
  { name: 'the guard is one of several arms', find: /(\(SELECT authz\.is_set\(\)\)\n {2})AND /g, replace: '$1OR ' },
  { name: 'somebody is always there', find: helperBody('is_set'), replace: '$1true;' },
  { name: 'conjuncts are alternatives', find: /\n {2}AND (?=\()/g, replace: '\n  OR ' },
  {
    name: 'rows are not tested when they are updated',
    find: /( FOR UPDATE TO "app" USING \([\s\S]*?\n\)) WITH CHECK \([\s\S]*?\n\)/,
    replace: '$1 WITH CHECK (true)',
  },
  {
    name: 'UPDATE has no WITH CHECK',
    find: /( FOR UPDATE TO "app" USING \([\s\S]*?\n\)) WITH CHECK \([\s\S]*?\n\)/,
    replace: '$1',
  },
  {
    name: 'USING and WITH CHECK are swapped',
    find: /FOR UPDATE TO "app" USING (\([\s\S]*?\n\)) WITH CHECK (\([\s\S]*?\n\));/,
    replace: 'FOR UPDATE TO "app" USING $2 WITH CHECK $1;',
  },
  { name: 'INSERT is not tested', find: /( FOR INSERT TO "app" WITH CHECK )\([\s\S]*?\n\)/, replace: '$1(true)' },
  { name: 'DELETE shows all rows', find: /( FOR DELETE TO "app" USING )\([\s\S]*?\n\)/, replace: '$1(true)' },
  {
    name: 'the policy of SELECT is for all statements',
    find: /AS PERMISSIVE FOR SELECT/,
    replace: 'AS PERMISSIVE FOR ALL',
  },
  { name: 'policies are restrictive', find: /AS PERMISSIVE FOR SELECT/, replace: 'AS RESTRICTIVE FOR SELECT' },
  { name: 'row level security stays off', find: /ENABLE ROW LEVEL SECURITY/, replace: 'DISABLE ROW LEVEL SECURITY' },
  { name: 'privileges stay', find: /REVOKE ALL ON "public"[^;]*;/, replace: '' },
  { name: 'privileges of PUBLIC stay', find: /REVOKE TRUNCATE[^;]*;/, replace: '' },
  { name: 'everything is granted', find: /GRANT SELECT, INSERT, UPDATE, DELETE/, replace: 'GRANT ALL' },
  {
    name: 'the table of versions can be read',
    find: /REVOKE ALL ON authz\.version FROM PUBLIC;/,
    replace: 'GRANT ALL ON authz.version TO PUBLIC;',
  },
  {
    name: 'functions can be added to the schema',
    find: /GRANT USAGE ON SCHEMA authz/,
    replace: 'GRANT ALL ON SCHEMA authz',
  },
  { name: 'helpers are IMMUTABLE', find: /LANGUAGE plpgsql STABLE/g, replace: 'LANGUAGE plpgsql IMMUTABLE' },
  { name: 'helpers search the path of the session', find: / SET search_path = pg_catalog, pg_temp/g, replace: '' },
  {
    name: 'an empty setting is JSON',
    find: /nullif\((current_setting\('authz\.principal', true\)), ''\)/,
    replace: '$1',
  },
  { name: 'an id may be empty', find: / AND own ->> 'id' <> ''/, replace: '' },
  { name: 'an id is any value', find: /jsonb_typeof\(own -> 'id'\) = 'string' AND /, replace: '' },
  {
    name: 'roles may be an object',
    find: /jsonb_typeof\(own -> 'roles'\) = 'array' AND/,
    replace: "coalesce(jsonb_typeof(own -> 'roles'), '') IN ('array', 'object') AND",
  },
  { name: 'roles may be empty', find: / AND own -> 'roles' <> '\[\]'/, replace: '' },
  { name: 'a role may be any value', find: /jsonb_typeof\(each\.role\) <> 'string' OR/, replace: '' },
  { name: 'a role may be empty', find: / OR each\.role = '""'/, replace: '' },
  {
    name: 'attributes may be a list',
    find: /coalesce\(jsonb_typeof\(own -> 'attr'\), 'object'\) = 'object'\n {4}AND /,
    replace: '',
  },
  {
    name: 'an attribute has any type',
    find: /coalesce\(jsonb_typeof\(own -> 'attr' -> 'k'\), 'string'\) = 'string'/,
    replace: 'true',
  },
  {
    name: 'a wrong principal is one',
    find: /IS NOT TRUE THEN\n {4}RETURN NULL;/,
    replace: 'IS NOT TRUE THEN\n    RETURN own;',
  },
  { name: 'all roles are needed', find: /\?\| names/, replace: '?& names' },
  { name: 'a glob matches a part', find: /authz\.has_role_like\('\^/g, replace: "authz.has_role_like('" },
  {
    name: 'an attribute is JSON',
    find: helperBody('attr_text'),
    replace: "$1(authz.principal() -> 'attr' -> name)::text;",
  },
  {
    name: 'a number is rounded',
    find: /(attr_number[\s\S]*?->> name\))::double precision/,
    replace: '$1::double precision::integer::double precision',
  },
  { name: 'the id is a role', find: helperBody('id'), replace: "$1authz.principal() -> 'roles' ->> 0;" },
];

/** Each is noticed by random policies of whole sets, or by statements. */
export const SOURCE_MUTANTS: readonly SourceMutant[] = [
  {
    name: 'a principal policy is for everybody',
    file: 'program/filters',
    find: ': residual.holds(residual.equals(id, principal.id));',
    replace: ': true;',
  },
  {
    name: 'principals with policies of their own have the others, too',
    file: 'program/filters',
    find: '? residual.noneOf(...known.map((name) => residual.holds(residual.equals(id, name))))',
    replace: '? true',
  },
  {
    name: 'denials are dropped',
    file: 'decision/unknown-roles',
    find: '...denials.map((denial) => conditions.of(denial)),',
    replace: '',
  },
  {
    name: 'policies of principals of other versions decide',
    file: 'rls/decision',
    find: 'return !versions.includes(DEFAULT_VERSION) && !versions.includes(version);',
    replace: 'return true;',
  },
  {
    name: 'groups with other denials are joined',
    file: 'decision/unknown-roles',
    find: '      .join();\n    const group',
    replace: '      .length.toString();\n    const group',
  },
  {
    name: 'the roles of an alternative are dropped',
    file: 'decision/unknown-roles',
    find: 'residual.allOf(atoms.ofRoles(holding), conditions.of(formula)),',
    replace: 'conditions.of(formula),',
  },
  {
    name: 'of each formula, one role has it',
    file: 'decision/unknown-roles',
    find: '      entry.roles.add(role);',
    replace: '      if (entry.roles.size === 0) entry.roles.add(role);',
  },
  {
    name: 'a denial is the condition itself',
    file: 'decision/unknown-roles',
    find: 'return residual.not(this.of(formula.operand));',
    replace: 'return this.of(formula.operand);',
  },
  {
    name: 'alternatives are needed together',
    file: 'decision/unknown-roles',
    find: 'return residual.anyOf(...formula.operands.map((operand) => this.of(operand)));',
    replace: 'return residual.allOf(...formula.operands.map((operand) => this.of(operand)));',
  },
  {
    name: 'derived roles are forgotten',
    file: 'decision/unknown-roles',
    find: 'derivedRoles === undefined ? this.query : this.withDerivedRoles(derivedRoles),',
    replace: 'derivedRoles === undefined ? this.query : this.withDerivedRoles([]),',
  },
  {
    name: 'a pattern covers what it touches',
    file: 'decision/role-cover',
    find: 'roles.every((role) => holding.has(role)));',
    replace: 'roles.some((role) => holding.has(role)));',
  },
  {
    name: 'what patterns leave is dropped',
    file: 'decision/role-cover',
    find: 'const left = [...holding].filter((role) => !covered.has(role));',
    replace: 'const left: string[] = [];',
  },
  {
    name: 'another role is any role',
    file: 'rls/roles',
    find: 'authz.has_other_role(${array(classes.named)},',
    replace: 'authz.has_other_role(${array([])},',
  },
  {
    name: 'all roles hold where one does',
    file: 'rls/roles',
    find: 'if (isEveryRole(classes, holding)) return undefined;',
    replace: 'if (holding.size > 0) return undefined;',
  },
  {
    name: 'roles of the first scope are those of all',
    file: 'rls/roles',
    find: 'JSON.stringify([classes, [...holding].sort()])',
    replace: 'JSON.stringify([...holding].sort())',
  },
  {
    name: 'a star crosses a colon',
    file: 'rls/roles',
    find: "if (token.kind === 'star') return '[^:]*';",
    replace: "if (token.kind === 'star') return '.*';",
  },
  {
    name: 'a scope has one spelling',
    file: 'rls/scopes',
    find: 'return [scope, `.${scope}`];',
    replace: 'return [scope];',
  },
  {
    name: 'other scopes are all scopes',
    file: 'rls/scopes',
    find: 'residual.holds(residual.complement(residual.inCollection(term, scopes.flatMap(spellings))))',
    replace: 'true',
  },
  {
    name: 'one action of several is enough',
    file: 'rls/policy',
    find: "const join = asked.of === 'any' ? residual.anyOf : residual.allOf;",
    replace: 'const join = residual.anyOf;',
  },
  { name: 'the guard is left out', file: 'rls/policy', find: '        guard,\n', replace: '' },
  {
    name: 'a condition that always holds has no guard',
    file: 'rls/policy',
    find: "[filter.kind === 'KIND_ALWAYS_ALLOWED' ? guard : 'false']",
    replace: "[filter.kind === 'KIND_ALWAYS_ALLOWED' ? 'true' : 'false']",
  },
  {
    name: 'the first conjunct is enough',
    file: 'rls/policy',
    find: "...listParts('and', filter.condition).map((part)",
    replace: "...listParts('and', filter.condition).slice(0, 1).map((part)",
  },
  {
    name: 'the new row is tested like the stored one',
    file: 'rls/protect',
    find: 'const checked = rules.check === rules.using ? found : makeCondition(rules.check);',
    replace: 'const checked = found ?? makeCondition(rules.check);',
  },
  {
    name: 'an attribute is never missing',
    file: 'rls/session',
    find: "sql`authz.${`attr_${type}`}(${quotedText(name)})`, 'missing')",
    replace: "sql`authz.${`attr_${type}`}(${quotedText(name)})`, 'never')",
  },
];
