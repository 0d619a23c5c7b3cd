import {
  bool,
  choice,
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
import { IDENT, NAME, OPTIONAL_VERSION, PLAIN, SCOPE, VERSION } from './patterns.js';

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
const effect = choice(EFFECTS, required, among(EFFECTS, 1, 2));
const scopePermissions = choice(SCOPE_PERMISSIONS, among(SCOPE_PERMISSIONS, 0, 1, 2));
const scope = text(matches(SCOPE));
const condition = object(() => CONDITION);
const output = object(() => OUTPUT);
const variables = object(() => VARIABLES);
const constants = object(() => CONSTANTS);

/**
 * A policy document (docs/spec/policy-language.md#top-level-fields). The tables follow
 * docs/spec/policy-language.md#document-fields, section by section.
 */
export const DOCUMENT: MessageType = messageType(
  {
    apiVersion: text(required, { rule: 'equals', text: 'api.authz.dev/v1' }),
    disabled: bool(),
    description: text(),
    metadata: object(() => METADATA),
    resourcePolicy: object(() => RESOURCE_POLICY),
    derivedRoles: object(() => DERIVED_ROLES),
    principalPolicy: object(() => PRINCIPAL_POLICY),
    exportVariables: object(() => EXPORT_VARIABLES),
    rolePolicy: object(() => ROLE_POLICY),
    exportConstants: object(() => EXPORT_CONSTANTS),
    invariants: object(() => INVARIANTS),
    variables: map(text()),
    $schema: text(),
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
    ],
  },
);

const METADATA: MessageType = messageType({
  sourceFile: text(),
  annotations: map(text()),
  hash: uint64(),
  storeIdentifier: text(),
  storeIdentifer: text(),
  sourceAttributes: object(() => SOURCE_ATTRIBUTES),
});

const SOURCE_ATTRIBUTES: MessageType = messageType({ attributes: map(json()) });

const RESOURCE_POLICY: MessageType = messageType({
  resource: text(required, matches(PLAIN)),
  version: text(required, matches(VERSION)),
  importDerivedRoles: names(unique),
  rules: list(object(() => RESOURCE_RULE)),
  scope,
  schemas: object(() => SCHEMAS),
  variables,
  scopePermissions,
  constants,
});

const RESOURCE_RULE: MessageType = messageType({
  actions: texts(required, unique),
  derivedRoles: names(unique),
  roles: texts(unique),
  condition,
  effect,
  name: text(matches(NAME)),
  output,
});

const PRINCIPAL_POLICY: MessageType = messageType({
  principal: text(required, matches(PLAIN)),
  version: text(required, matches(VERSION)),
  rules: list(object(() => PRINCIPAL_RULE)),
  scope,
  variables,
  scopePermissions,
  constants,
});

const PRINCIPAL_RULE: MessageType = messageType({
  resource: text(required),
  actions: list(
    object(() => PRINCIPAL_ACTION),
    required,
  ),
});

const PRINCIPAL_ACTION: MessageType = messageType({
  action: text(required),
  condition,
  effect,
  name: text(matches(NAME)),
  output,
});

// `role` is the only alternative of its group: if it is absent, the group is missing; if it is empty, its pattern
// fails.
const ROLE_POLICY: MessageType = messageType(
  {
    role: text(matches(PLAIN)),
    version: text(matches(OPTIONAL_VERSION)),
    parentRoles: texts(unique),
    scope,
    rules: list(object(() => ROLE_RULE)),
    scopePermissions: choice(SCOPE_PERMISSIONS, among(SCOPE_PERMISSIONS, 0, 2)),
    variables,
    constants,
  },
  { policyType: ['role'] },
);

const ROLE_RULE: MessageType = messageType({
  resource: text(required),
  allowActions: texts(required, unique),
  condition,
  name: text(matches(NAME)),
  output,
});

const DERIVED_ROLES: MessageType = messageType({
  name: text(required, matches(IDENT)),
  definitions: list(
    object(() => DERIVED_ROLE),
    required,
  ),
  variables,
  constants,
});

const DERIVED_ROLE: MessageType = messageType({
  name: text(required, matches(IDENT)),
  parentRoles: texts(required, unique),
  condition,
});

const EXPORT_VARIABLES: MessageType = messageType({ name: text(required, matches(IDENT)), definitions: map(text()) });

const EXPORT_CONSTANTS: MessageType = messageType({ name: text(required, matches(IDENT)), definitions: map(json()) });

const INVARIANTS: MessageType = messageType({
  name: text(required, matches(IDENT)),
  statements: list(
    object(() => STATEMENT),
    required,
  ),
  variables,
  constants,
});

/** The forms of a statement: one of these fields is present (docs/spec/analysis.md#forms). */
export const FORMS = ['never', 'always', 'reachable', 'implies', 'final'] as const;

const STATEMENT: MessageType = messageType(
  {
    name: text(required),
    never: object(() => ABOUT),
    always: object(() => ABOUT),
    reachable: object(() => ABOUT),
    implies: object(() => IMPLICATION),
    final: object(() => FINALITY),
  },
  {},
  // A statement without a form is reported at its place.
  [FORMS],
);

const about = {
  resource: text(notEmpty),
  version: text(matches(VERSION)),
  scope,
  actions: texts(unique),
  principal: object(() => ABOUT_PRINCIPAL),
  when: condition,
  unless: condition,
};

const ABOUT: MessageType = messageType(about);

const IMPLICATION: MessageType = messageType({ ...about, also: texts(required, unique) });

const FINALITY: MessageType = messageType({ rule: text(required) });

const ABOUT_PRINCIPAL: MessageType = messageType({
  id: text(notEmpty),
  roles: texts(unique),
  allRoles: texts(unique),
  notRoles: texts(unique),
});

const VARIABLES: MessageType = messageType({ import: names(unique), local: map(text()) });

const CONSTANTS: MessageType = messageType({ import: names(unique), local: map(json()) });

const SCHEMAS: MessageType = messageType({
  principalSchema: object(() => SCHEMA),
  resourceSchema: object(() => SCHEMA),
});

const SCHEMA: MessageType = messageType({ ref: text(required), ignoreWhen: object(() => IGNORE_WHEN) });

const IGNORE_WHEN: MessageType = messageType({ actions: texts(required, unique) });

const CONDITION: MessageType = messageType(
  { match: object(() => MATCH), script: text() },
  { condition: ['match', 'script'] },
);

const MATCH: MessageType = messageType(
  { all: object(() => MATCHES), any: object(() => MATCHES), none: object(() => MATCHES), expr: text() },
  { op: ['all', 'any', 'none', 'expr'] },
);

const MATCHES: MessageType = messageType({
  of: list(
    object(() => MATCH),
    required,
  ),
});

const OUTPUT: MessageType = messageType({ expr: text(), when: object(() => OUTPUT_WHEN) });

const OUTPUT_WHEN: MessageType = messageType({ ruleActivated: text(), conditionNotMet: text() });
