/** A mistake in what plans subjects or makes SQL of it. */
export interface SubjectMutant {
  readonly name: string;
  readonly file: string;
  /** Must occur once. */
  readonly find: string;
  readonly replace: string;
}

const CONDITION = 'packages/analysis/subjects/condition.ts';
const FILTERS = 'packages/analysis/program/filters.ts';
const PLANS = 'packages/analysis/subjects/subject-plans.ts';
const ROLES = 'packages/analysis/subjects/role-tests.ts';
const SHARED = 'packages/analysis/decision/unknown-roles.ts';
const COVER = 'packages/analysis/decision/role-cover.ts';
const SQL = 'runtime/residual/sql/subjects.ts';

/** Each lists somebody whom check denies, or leaves out somebody whom it allows. */
export const SUBJECT_MUTANTS: readonly SubjectMutant[] = [
  {
    name: 'denials are dropped',
    file: SHARED,
    find: '...denials.map((denial) => conditions.of(denial)),',
    replace: '',
  },
  {
    name: 'the scope of the resource is the root',
    file: PLANS,
    find: 'scope: requestedScope(resource.scope, settings.defaultScope)',
    replace: "scope: ''",
  },
  {
    name: 'globs of roles are those of the first policy',
    file: CONDITION,
    find: 'listRolePatterns(at.modules, point.kind)',
    replace: 'listRolePatterns(at.modules.slice(0, 1), point.kind)',
  },
  {
    name: 'a denial that reads NULL is taken for one that does not hold in SQL',
    file: PLANS,
    find: 'aboutPrincipals(filterOf(condition))',
    replace: "aboutPrincipals(filterOf(condition, { shapes: 'flat', nots: 'plain' }))",
  },
  {
    name: 'policies of principals are ignored',
    file: CONDITION,
    find: '...[...own, others].map',
    replace: '...[others].map',
  },
  {
    name: 'principals with policies may also do what others may',
    file: FILTERS,
    find: 'residual.noneOf(...known.map((name) => residual.holds(residual.equals(id, name))))',
    replace: 'true',
  },
  {
    name: 'the version of the resource is the default',
    file: PLANS,
    find: 'version: resource.policyVersion || settings.defaultPolicyVersion',
    replace: 'version: settings.defaultPolicyVersion',
  },
  {
    name: 'the scope of principals is the root',
    file: PLANS,
    find: 'scope: requestedScope(scope, settings.defaultScope)',
    replace: "scope: ''",
  },
  {
    name: 'scopes without policies have no ancestors',
    file: PLANS,
    find: 'new Decisions(program, settings)',
    replace: 'new Decisions(program, { ...settings, lenientScopeSearch: false })',
  },
  {
    name: 'any role is enough',
    file: SHARED,
    find: 'residual.allOf(atoms.ofRoles(holding), conditions.of(formula))',
    replace: 'conditions.of(formula)',
  },
  {
    name: 'roles that no rule names are nobody’s',
    file: CONDITION,
    find: 'const names = [...roles.named, ...roles.others];',
    replace: 'const names = [...roles.named];',
  },
  {
    name: 'a class without a name is everybody',
    file: COVER,
    find: '    .filter((role) => !named.includes(role))\n      .map',
    replace: '    .filter((role) => !named.includes(role))\n      .slice(1).map',
  },
  {
    name: 'a star matches colons',
    file: ROLES,
    find: "...(star.kind === 'star' ?",
    replace: '...(false ?',
  },
  {
    name: 'roles of tenants count by themselves',
    file: ROLES,
    find: "return residual.complement(call('startsWith', role, rolePrefix));",
    replace: 'return rolePrefix === role || true;',
  },
  {
    name: 'roles of tenants stand for nothing',
    file: ROLES,
    find: '.map(([name]) => hasRole(name)),',
    replace: '.slice(0, 0).map(([name]) => hasRole(name)),',
  },
  {
    name: 'users without an id are listed',
    file: SQL,
    find: "expression('ne', { variable: 'request.principal.id' }, EMPTY),",
    replace: '',
  },
  { name: 'users without a role are listed', file: SQL, find: '    ...stored.guards,\n', replace: '' },
  {
    name: 'roles that are no texts are roles',
    file: SQL,
    find: "expression('and', expression('startsWith', ROLE, EMPTY), isRole)",
    replace: 'isRole',
  },
  {
    name: 'a user with one role has all of them',
    file: SQL,
    find: 'if (isOne) return replaced(body, variable.variable, ROLES);',
    replace: 'if (isOne) return { value: true };',
  },
];
