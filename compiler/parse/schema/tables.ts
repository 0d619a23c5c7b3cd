import {
  bool,
  choice,
  field,
  json,
  list,
  map,
  type MessageType,
  messageType,
  object,
  type Rule,
  text,
  uint64,
} from './field.js';
import { IDENT, NAME, OPTIONAL_VERSION, PLAIN, ROLE_PREFIX, SCOPE, TENANT_SCOPE, VERSION } from './patterns.js';

const required: Rule = { rule: 'required' };
const notEmpty: Rule = { rule: 'not-empty' };
const unique: Rule = { rule: 'unique' };
const matches = (pattern: typeof NAME): Rule => ({ rule: 'pattern', pattern });
const among = (names: readonly string[], ...numbers: readonly number[]): Rule => ({
  rule: 'among',
  choices: new Map(numbers.map((number) => [number, names[number] as string])),
});

const EFFECTS = ['EFFECT_UNSPECIFIED', 'EFFECT_ALLOW', 'EFFECT_DENY', 'EFFECT_NO_MATCH'];
const SCOPE_PERMISSIONS = [
  'SCOPE_PERMISSIONS_UNSPECIFIED',
  'SCOPE_PERMISSIONS_OVERRIDE_PARENT',
  'SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS',
];

const texts = (...rules: readonly Rule[]) => list(text(notEmpty), ...rules);
const names = (...rules: readonly Rule[]) => list(text(matches(IDENT)), ...rules);
const version = field('version of the policy, as in `default`', text(required, matches(VERSION)));
const scope = field('scope of the policy, as in `acme.hr`; the root if absent', text(matches(SCOPE)));
const scopePermissions = field(
  'whether rules of this scope override those of its parents, or parents must allow it, too',
  choice(SCOPE_PERMISSIONS, among(SCOPE_PERMISSIONS, 0, 1, 2)),
);
const variables = field(
  'named expressions for the conditions of this document, written as `V.name`',
  object(() => VARIABLES),
);
const constants = field(
  'named values for the conditions of this document, written as `C.name`',
  object(() => CONSTANTS),
);
const effect = field('what the rule decides if its condition holds', choice(EFFECTS, required, among(EFFECTS, 1, 2)));
const condition = field(
  'when the rule applies; always if absent',
  object(() => CONDITION),
);
const output = field(
  'values that the rule adds to the response',
  object(() => OUTPUT),
);
const ruleName = field('name of the rule, for outputs, audit entries and diagnostics', text(matches(NAME)));

/**
 * A policy document (docs/spec/policy-language.md#top-level-fields). The tables follow
 * docs/spec/policy-language.md#document-fields, section by section. Editors complete and describe fields from them.
 */
export const DOCUMENT: MessageType = messageType(
  {
    apiVersion: field('version of the policy language', text(required, { rule: 'equals', text: 'api.authz.dev/v1' })),
    disabled: field('leave the document out, as if the file did not exist', bool()),
    description: field('free text for readers', text()),
    metadata: field(
      'data about the document, without influence on decisions',
      object(() => METADATA),
    ),
    resourcePolicy: field(
      'rules for one kind of resource',
      object(() => RESOURCE_POLICY),
    ),
    derivedRoles: field(
      'roles that depend on the principal and the resource, for resource policies to import',
      object(() => DERIVED_ROLES),
    ),
    principalPolicy: field(
      'rules for one principal, which precede those of resource policies',
      object(() => PRINCIPAL_POLICY),
    ),
    exportVariables: field(
      'variables for other documents to import',
      object(() => EXPORT_VARIABLES),
    ),
    rolePolicy: field(
      'the only actions that one role may be allowed',
      object(() => ROLE_POLICY),
    ),
    exportConstants: field(
      'constants for other documents to import',
      object(() => EXPORT_CONSTANTS),
    ),
    invariants: field(
      'statements about all policies, which `authzc verify` proves or refutes',
      object(() => INVARIANTS),
    ),
    tenantRoles: field(
      'which roles tenants may give to roles of their own, at run time',
      object(() => TENANT_ROLES),
    ),
    variables: field('deprecated: write `variables.local` in the policy', map(text())),
    $schema: field('JSON Schema of the file, for editors', text()),
  },
  {
    policyType: [
      'resourcePolicy',
      'derivedRoles',
      'principalPolicy',
      'exportVariables',
      'rolePolicy',
      'exportConstants',
      'invariants',
      'tenantRoles',
    ],
  },
);

const METADATA: MessageType = messageType({
  sourceFile: field('path of the file that the document was made from', text()),
  annotations: field('names and values for your own tools', map(text())),
  hash: field('hash of the document', uint64()),
  storeIdentifier: field('where the document is stored', text()),
  storeIdentifer: field('deprecated: write `storeIdentifier`', text()),
  sourceAttributes: field(
    'facts about the source of the document',
    object(() => SOURCE_ATTRIBUTES),
  ),
});

const SOURCE_ATTRIBUTES: MessageType = messageType({ attributes: field('names and values', map(json())) });

const RESOURCE_POLICY: MessageType = messageType({
  resource: field('kind of the resources, as in `document`', text(required, matches(PLAIN))),
  version,
  importDerivedRoles: field('sets of derived roles that the rules may name', names(unique)),
  rules: field('the rules; an action that no rule allows is denied', list(object(() => RESOURCE_RULE))),
  scope,
  schemas: field(
    'JSON Schemas of the attributes',
    object(() => SCHEMAS),
  ),
  variables,
  scopePermissions,
  constants,
});

const RESOURCE_RULE: MessageType = messageType({
  actions: field('actions that the rule is about, with globs: `"*"` is all', texts(required, unique)),
  derivedRoles: field('imported derived roles that the rule is for', names(unique)),
  roles: field('roles that the rule is for, with globs: `"*"` is all', texts(unique)),
  condition,
  effect,
  name: ruleName,
  output,
});

const PRINCIPAL_POLICY: MessageType = messageType({
  principal: field('id of the principal', text(required, matches(PLAIN))),
  version,
  rules: field('the rules, one for each kind of resource', list(object(() => PRINCIPAL_RULE))),
  scope,
  variables,
  scopePermissions,
  constants,
});

const PRINCIPAL_RULE: MessageType = messageType({
  resource: field('kind of the resources, with globs: `"*"` is all', text(required)),
  actions: field(
    'the actions, each with its effect',
    list(
      object(() => PRINCIPAL_ACTION),
      required,
    ),
  ),
});

const PRINCIPAL_ACTION: MessageType = messageType({
  action: field('action that the rule is about, with globs: `"*"` is all', text(required)),
  condition,
  effect,
  name: ruleName,
  output,
});

// `role` is the only alternative of its group: if it is absent, the group is missing; if it is empty, its pattern
// fails.
const ROLE_POLICY: MessageType = messageType(
  {
    role: field('the role', text(matches(PLAIN))),
    version: field('version of the policy; `default` if absent', text(matches(OPTIONAL_VERSION))),
    parentRoles: field('roles whose permissions the role has, too', texts(unique)),
    scope,
    rules: field('all that the role may be allowed', list(object(() => ROLE_RULE))),
    scopePermissions: field('deprecated: has no effect', choice(SCOPE_PERMISSIONS, among(SCOPE_PERMISSIONS, 0, 2))),
    variables,
    constants,
  },
  { policyType: ['role'] },
);

const ROLE_RULE: MessageType = messageType({
  resource: field('kind of the resources, with globs: `"*"` is all', text(required)),
  allowActions: field('actions that the role may be allowed, with globs: `"*"` is all', texts(required, unique)),
  condition,
  name: ruleName,
  output,
});

const DERIVED_ROLES: MessageType = messageType({
  name: field('name of the set, for `importDerivedRoles`', text(required, matches(IDENT))),
  definitions: field(
    'the derived roles',
    list(
      object(() => DERIVED_ROLE),
      required,
    ),
  ),
  variables,
  constants,
});

const DERIVED_ROLE: MessageType = messageType({
  name: field('name of the derived role', text(required, matches(IDENT))),
  parentRoles: field('roles of which the principal must have one, with globs: `"*"` is all', texts(required, unique)),
  condition: field(
    'when a principal has the derived role; always if absent',
    object(() => CONDITION),
  ),
});

const EXPORT_VARIABLES: MessageType = messageType({
  name: field('name of the set, for `variables.import`', text(required, matches(IDENT))),
  definitions: field('expressions by name', map(text())),
});

const EXPORT_CONSTANTS: MessageType = messageType({
  name: field('name of the set, for `constants.import`', text(required, matches(IDENT))),
  definitions: field('values by name', map(json())),
});

const INVARIANTS: MessageType = messageType({
  name: field('name of the set of statements', text(required, matches(IDENT))),
  statements: field(
    'the statements; each has one form',
    list(
      object(() => STATEMENT),
      required,
    ),
  ),
  variables,
  constants,
});

/** The forms of a statement: one of these fields is present (docs/spec/analysis.md#forms). */
export const FORMS = ['never', 'always', 'reachable', 'implies', 'final'] as const;

const STATEMENT: MessageType = messageType(
  {
    name: field('what the statement says, unique in the document', text(required)),
    never: field(
      'no such request is allowed',
      object(() => ABOUT),
    ),
    always: field(
      'every such request is allowed',
      object(() => ABOUT),
    ),
    reachable: field(
      'for each action, some such request is allowed',
      object(() => ABOUT),
    ),
    implies: field(
      'a request that is allowed for one of `actions` is allowed for all of `also`',
      object(() => IMPLICATION),
    ),
    final: field(
      'nothing overrides the DENY rule',
      object(() => FINALITY),
    ),
  },
  {},
  // A statement without a form is reported at its place.
  [FORMS],
);

const about = {
  resource: field('kind of the resources, with globs; all if absent', text(notEmpty)),
  version: field('policy version of the resource; all if absent', text(matches(VERSION))),
  scope: field('scope of the resource, `""` for the root; all if absent', text(matches(SCOPE))),
  actions: field('actions, with globs; all if absent', texts(unique)),
  principal: field(
    'the principals; all if absent',
    object(() => ABOUT_PRINCIPAL),
  ),
  when: field(
    'only requests for which this condition is true',
    object(() => CONDITION),
  ),
  unless: field(
    'only requests for which this condition is not true',
    object(() => CONDITION),
  ),
};

const ABOUT: MessageType = messageType(about);

const IMPLICATION: MessageType = messageType({
  ...about,
  also: field('actions that must be allowed, too', texts(required, unique)),
});

const FINALITY: MessageType = messageType({
  rule: field('a DENY rule: id of the policy, `#` and name, as in `resource.album.vdefault#locked`', text(required)),
});

const ABOUT_PRINCIPAL: MessageType = messageType({
  id: field('id of the principal', text(notEmpty)),
  roles: field('roles of which the principal has at least one', texts(unique)),
  allRoles: field('roles all of which the principal has', texts(unique)),
  notRoles: field('roles none of which the principal has', texts(unique)),
});

const TENANT_ROLES: MessageType = messageType({
  scope: field('scopes of the tenants, as in `tenants.*`', text(required, matches(TENANT_SCOPE))),
  rolePrefix: field('how requests tell roles of tenants from others: `tenant:` if absent', text(matches(ROLE_PREFIX))),
  grants: field(
    'the roles that tenants may give',
    list(
      object(() => GRANT),
      required,
    ),
  ),
});

const GRANT: MessageType = messageType({
  role: field('a role of the policies', text(required, matches(PLAIN))),
  resources: field(
    'what the role may allow at most to roles of tenants',
    list(
      object(() => GRANTED_RESOURCE),
      required,
    ),
  ),
});

const GRANTED_RESOURCE: MessageType = messageType({
  resource: field('kind of the resources, with globs: `"*"` is all', text(required)),
  actions: field('actions, with globs: `"*"` is all', texts(required, unique)),
});

const VARIABLES: MessageType = messageType({
  import: field('names of `exportVariables` documents', names(unique)),
  local: field('expressions by name', map(text())),
});

const CONSTANTS: MessageType = messageType({
  import: field('names of `exportConstants` documents', names(unique)),
  local: field('values by name', map(json())),
});

const SCHEMAS: MessageType = messageType({
  principalSchema: field(
    'schema of `P.attr`',
    object(() => SCHEMA),
  ),
  resourceSchema: field(
    'schema of `R.attr`',
    object(() => SCHEMA),
  ),
});

const SCHEMA: MessageType = messageType({
  ref: field('file below `_schemas`, as in `authz:///document.json`', text(required)),
  ignoreWhen: field(
    'requests whose attributes are not validated',
    object(() => IGNORE_WHEN),
  ),
});

const IGNORE_WHEN: MessageType = messageType({
  actions: field('actions of such requests, with globs', texts(required, unique)),
});

const CONDITION: MessageType = messageType(
  {
    match: field(
      'what must be true',
      object(() => MATCH),
    ),
    script: field('no longer supported: write `match`', text()),
  },
  { condition: ['match', 'script'] },
);

const MATCH: MessageType = messageType(
  {
    all: field(
      'holds if every member holds',
      object(() => MATCHES),
    ),
    any: field(
      'holds if at least one member holds',
      object(() => MATCHES),
    ),
    none: field(
      'holds if no member holds',
      object(() => MATCHES),
    ),
    expr: field('CEL expression; holds if it is true, as in `R.attr.owner == P.id`', text()),
  },
  { op: ['all', 'any', 'none', 'expr'] },
);

const MATCHES: MessageType = messageType({
  of: field(
    'the members',
    list(
      object(() => MATCH),
      required,
    ),
  ),
});

const OUTPUT: MessageType = messageType({
  expr: field('deprecated: write `when.ruleActivated`', text()),
  when: field(
    'expressions by the outcome of the rule',
    object(() => OUTPUT_WHEN),
  ),
});

const OUTPUT_WHEN: MessageType = messageType({
  ruleActivated: field('CEL expression whose value is added if the rule applies', text()),
  conditionNotMet: field('CEL expression whose value is added if only the condition does not hold', text()),
});
