import type {
  About,
  AboutPrincipal,
  Claim,
  Condition,
  ConstantDefinition,
  Constants,
  DerivedRole,
  Effect,
  Expression,
  Grant,
  Match,
  Output,
  Policy,
  PolicyFile,
  PrincipalAction,
  PrincipalRule,
  ResourceRule,
  RoleRule,
  SchemaReference,
  Schemas,
  ScopePermissions,
  Statement,
  VariableDefinition,
  Variables,
} from '../../ast/policy.js';
import { invariant } from '../../diagnostics/invariant.js';
import type { Source } from '../../diagnostics/source.js';
import type { Located, Place, Span } from '../../diagnostics/span.js';
import { parseCel } from '../../../packages/cel/parse/index.js';
import { FORMS } from '../schema/tables.js';
import type { FieldValue, ObjectValue, TextValue } from '../schema/value.js';
import { isVerbatim, type TextOffsets, textOffsets } from '../yaml/offsets.js';
import {
  asText,
  boolOf,
  entriesOf,
  fieldOf,
  nonEmptyText,
  numberOf,
  objectOf,
  objectsOf,
  requiredText,
  textOf,
  textsOf,
} from './fields.js';

/** Builds the syntax tree of a validated document (docs/spec/policy-language.md#top-level-fields). */
export function policyFile(document: ObjectValue, source: Source): PolicyFile {
  return {
    source,
    place: { ...document.node.place, path: '' },
    disabled: boolOf(document, 'disabled'),
    description: textOf(document, 'description')?.value ?? '',
    annotations: annotationsOf(document),
    legacyVariables: variableDefinitions(document, 'variables'),
    policy: policyOf(document),
  };
}

// No prototype, so that no name is special.
function annotationsOf(document: ObjectValue): Readonly<Record<string, string>> {
  const annotations = Object.create(null) as Record<string, string>;
  const metadata = objectOf(document, 'metadata');
  if (metadata === undefined) return annotations;
  for (const { name, value } of entriesOf(metadata, 'annotations')) annotations[name.value] = asText(value).text;
  return annotations;
}

/** Returns the single policy of a validated document (docs/spec/policy-language.md#resourcepolicy). */
function policyOf(document: ObjectValue): Policy {
  for (const [field, build] of BUILDERS) {
    const policy = objectOf(document, field);
    if (policy !== undefined) return build(policy);
  }
  return invariant('a document without policy after validation');
}

const BUILDERS: readonly (readonly [string, (policy: ObjectValue) => Policy])[] = [
  ['resourcePolicy', resourcePolicy],
  ['principalPolicy', principalPolicy],
  ['rolePolicy', rolePolicy],
  ['derivedRoles', derivedRoles],
  ['exportVariables', exportVariables],
  ['exportConstants', exportConstants],
  ['invariants', invariants],
  ['tenantRoles', tenantRoles],
];

function resourcePolicy(policy: ObjectValue): Policy {
  return {
    kind: 'resource',
    resource: requiredText(policy, 'resource'),
    version: requiredText(policy, 'version'),
    scope: scopeOf(policy),
    scopePermissions: scopePermissionsOf(policy),
    importDerivedRoles: textsOf(policy, 'importDerivedRoles'),
    variables: variablesOf(policy),
    constants: constantsOf(policy),
    rules: objectsOf(policy, 'rules').map(resourceRule),
    schemas: schemasOf(policy),
  };
}

function principalPolicy(policy: ObjectValue): Policy {
  return {
    kind: 'principal',
    principal: requiredText(policy, 'principal'),
    version: requiredText(policy, 'version'),
    scope: scopeOf(policy),
    scopePermissions: scopePermissionsOf(policy),
    variables: variablesOf(policy),
    constants: constantsOf(policy),
    rules: objectsOf(policy, 'rules').map(principalRule),
  };
}

function rolePolicy(policy: ObjectValue): Policy {
  return {
    kind: 'role',
    role: requiredText(policy, 'role'),
    version: textOf(policy, 'version')?.value || 'default',
    scope: scopeOf(policy),
    parentRoles: textsOf(policy, 'parentRoles'),
    scopePermissions: scopePermissionsOf(policy),
    variables: variablesOf(policy),
    constants: constantsOf(policy),
    rules: objectsOf(policy, 'rules').map(roleRule),
  };
}

function derivedRoles(policy: ObjectValue): Policy {
  return {
    kind: 'derived-roles',
    name: requiredText(policy, 'name'),
    variables: variablesOf(policy),
    constants: constantsOf(policy),
    definitions: objectsOf(policy, 'definitions').map(derivedRole),
  };
}

function exportVariables(policy: ObjectValue): Policy {
  return {
    kind: 'export-variables',
    name: requiredText(policy, 'name'),
    definitions: variableDefinitions(policy, 'definitions'),
  };
}

function exportConstants(policy: ObjectValue): Policy {
  return {
    kind: 'export-constants',
    name: requiredText(policy, 'name'),
    definitions: constantDefinitions(policy, 'definitions'),
  };
}

function tenantRoles(policy: ObjectValue): Policy {
  return {
    kind: 'tenant-roles',
    tenantScope: requiredText(policy, 'scope'),
    rolePrefix: nonEmptyText(policy, 'rolePrefix')?.value ?? 'tenant:',
    grants: objectsOf(policy, 'grants').map(grant),
  };
}

function grant({ value }: Located<ObjectValue>): Grant {
  return {
    role: requiredText(value, 'role'),
    resources: objectsOf(value, 'resources').map(({ value: granted }) => ({
      resource: requiredText(granted, 'resource'),
      actions: textsOf(granted, 'actions'),
    })),
  };
}

function invariants(policy: ObjectValue): Policy {
  return {
    kind: 'invariants',
    name: requiredText(policy, 'name'),
    variables: variablesOf(policy),
    constants: constantsOf(policy),
    statements: objectsOf(policy, 'statements').flatMap(statement),
  };
}

/** A statement of an invariants document; none if it has no form, which validation rejects. */
function statement({ value: object, place }: Located<ObjectValue>): readonly Statement[] {
  const claim = claimOf(object);
  return claim === undefined ? [] : [{ place, name: requiredText(object, 'name'), claim }];
}

function claimOf(statement: ObjectValue): Claim | undefined {
  for (const form of FORMS) {
    const claim = objectOf(statement, form);
    if (claim === undefined) continue;
    if (form === 'final') return { form, rule: requiredText(claim, 'rule') };
    const about = aboutOf(claim);
    return form === 'implies' ? { form, about, also: textsOf(claim, 'also') } : { form, about };
  }
  return undefined;
}

function aboutOf(claim: ObjectValue): About {
  return {
    resource: textOf(claim, 'resource'),
    version: textOf(claim, 'version'),
    scope: textOf(claim, 'scope'),
    actions: textsOf(claim, 'actions'),
    principal: aboutPrincipal(objectOf(claim, 'principal')),
    when: conditionOf(claim, 'when'),
    unless: conditionOf(claim, 'unless'),
  };
}

function aboutPrincipal(principal: ObjectValue | undefined): AboutPrincipal {
  if (principal === undefined) return { id: undefined, roles: [], allRoles: [], notRoles: [] };
  return {
    id: textOf(principal, 'id'),
    roles: textsOf(principal, 'roles'),
    allRoles: textsOf(principal, 'allRoles'),
    notRoles: textsOf(principal, 'notRoles'),
  };
}

// A lone dot names the root scope, as in requests (docs/spec/policy-language.md#identifiers).
function scopeOf(policy: ObjectValue): string {
  // `.` is kept: such a policy loads, but no request reaches it (docs/spec/policy-language.md#scopes).
  return textOf(policy, 'scope')?.value ?? '';
}

const SCOPE_PERMISSIONS: readonly ScopePermissions[] = ['unspecified', 'override-parent', 'require-parental-consent'];

function scopePermissionsOf(policy: ObjectValue): ScopePermissions {
  return (
    SCOPE_PERMISSIONS[numberOf(policy, 'scopePermissions')] ?? invariant('unknown scope permissions after validation')
  );
}

function schemasOf(policy: ObjectValue): Schemas | undefined {
  const schemas = objectOf(policy, 'schemas');
  return (
    schemas && {
      principal: schemaReference(schemas, 'principalSchema'),
      resource: schemaReference(schemas, 'resourceSchema'),
    }
  );
}

function schemaReference(schemas: ObjectValue, field: string): SchemaReference | undefined {
  const schema = objectOf(schemas, field);
  if (schema === undefined) return undefined;
  const ignoreWhen = objectOf(schema, 'ignoreWhen');
  return { ref: requiredText(schema, 'ref'), ignoredActions: ignoreWhen ? textsOf(ignoreWhen, 'actions') : [] };
}

/** The `variables` block of a policy (docs/spec/policy-language.md#variables-and-constants); empty if absent. */
function variablesOf(policy: ObjectValue): Variables {
  const block = objectOf(policy, 'variables');
  if (block === undefined) return { imports: [], local: [] };
  return { imports: textsOf(block, 'import'), local: variableDefinitions(block, 'local') };
}

/** The `constants` block of a policy (docs/spec/policy-language.md#variables-and-constants); empty if absent. */
function constantsOf(policy: ObjectValue): Constants {
  const block = objectOf(policy, 'constants');
  if (block === undefined) return { imports: [], local: [] };
  return { imports: textsOf(block, 'import'), local: constantDefinitions(block, 'local') };
}

/** The entries of a map from names to CEL expressions. */
function variableDefinitions(object: ObjectValue, field: string): readonly VariableDefinition[] {
  return entriesOf(object, field).map(({ name, value, place }) => ({
    name,
    expression: expressionOf(asText(value), place),
  }));
}

/** The entries of a map from names to JSON values. */
function constantDefinitions(object: ObjectValue, field: string): readonly ConstantDefinition[] {
  return entriesOf(object, field).map(({ name, value, place }) => {
    if (value.kind !== 'json') return invariant('a constant is no JSON value');
    return { name, value: { value: value.value, place } };
  });
}

/** A rule of a resource policy (docs/spec/policy-language.md#resourcepolicy). */
function resourceRule({ value: rule, place }: Located<ObjectValue>): ResourceRule {
  return {
    place,
    name: nonEmptyText(rule, 'name'),
    actions: textsOf(rule, 'actions'),
    effect: effectOf(rule),
    roles: textsOf(rule, 'roles'),
    derivedRoles: textsOf(rule, 'derivedRoles'),
    condition: conditionOf(rule),
    output: outputOf(rule),
  };
}

/** A rule of a principal policy (docs/spec/policy-language.md#principalpolicy). */
function principalRule({ value: rule, place }: Located<ObjectValue>): PrincipalRule {
  return { place, resource: requiredText(rule, 'resource'), actions: objectsOf(rule, 'actions').map(principalAction) };
}

/** A rule of a role policy (docs/spec/policy-language.md#rolepolicy). */
function roleRule({ value: rule, place }: Located<ObjectValue>): RoleRule {
  return {
    place,
    name: nonEmptyText(rule, 'name'),
    resource: requiredText(rule, 'resource'),
    allowActions: textsOf(rule, 'allowActions'),
    condition: conditionOf(rule),
    output: outputOf(rule),
  };
}

/** A definition of a derived-roles document (docs/spec/policy-language.md#derivedroles). */
function derivedRole({ value: role, place }: Located<ObjectValue>): DerivedRole {
  return {
    place,
    name: requiredText(role, 'name'),
    parentRoles: textsOf(role, 'parentRoles'),
    condition: conditionOf(role),
  };
}

function principalAction({ value: action, place }: Located<ObjectValue>): PrincipalAction {
  return {
    place,
    name: nonEmptyText(action, 'name'),
    action: requiredText(action, 'action'),
    effect: effectOf(action),
    condition: conditionOf(action),
    output: outputOf(action),
  };
}

// Validation guarantees EFFECT_ALLOW (1) or EFFECT_DENY (2).
function effectOf(rule: ObjectValue): Effect {
  return numberOf(rule, 'effect') === 1 ? 'allow' : 'deny';
}

/** The condition of a rule, a derived role or a statement (docs/spec/policy-language.md#condition). */
function conditionOf(rule: ObjectValue, field = 'condition'): Condition | undefined {
  const condition = fieldOf(rule, field);
  if (condition === undefined) return undefined;
  const { place, value } = condition;
  if (value.kind !== 'object') return invariant('a condition is not an object');
  const match = objectOf(value, 'match');
  return { place, match: match === undefined ? { kind: 'script', place } : matchOf(match) };
}

/** The output of a rule (docs/spec/policy-language.md#output). */
function outputOf(rule: ObjectValue): Output | undefined {
  const output = fieldOf(rule, 'output');
  if (output === undefined) return undefined;
  const { place, value } = output;
  if (value.kind !== 'object') return invariant('an output is not an object');
  const when = objectOf(value, 'when');
  return {
    place,
    ruleActivated: when && optionalExpression(when, 'ruleActivated'),
    conditionNotMet: when && optionalExpression(when, 'conditionNotMet'),
    legacy: optionalExpression(value, 'expr'),
  };
}

const OPERATORS = ['all', 'any', 'none'] as const;

function matchOf(match: ObjectValue): Match {
  const expr: FieldValue | undefined = fieldOf(match, 'expr');
  if (expr !== undefined) return { kind: 'expr', expression: expressionOf(asText(expr.value), expr.place) };
  for (const kind of OPERATORS) {
    const operands = objectOf(match, kind);
    if (operands !== undefined) return { kind, of: objectsOf(operands, 'of').map(({ value }) => matchOf(value)) };
  }
  return invariant('a match without operator after validation');
}

/**
 * Parses a CEL expression. Its syntax errors are stored with it, because they are reported only when the policy is
 * compiled (docs/spec/policy-language.md#documents, docs/spec/policy-language.md#compiling-variables-and-constants).
 */
function expressionOf(value: TextValue, place: Place): Expression {
  const { ast, errors } = parseCel(value.text);
  let offsets: TextOffsets | 'same' | undefined;
  return {
    text: value.text,
    place,
    ast,
    syntaxErrors: errors,
    spanOf(start, end) {
      // Computed on demand: most expressions never have a diagnostic.
      offsets ??= isVerbatim(value.text, value.node.written) ? 'same' : textOffsets(value.text, value.node.written);
      return spanThrough(offsets, value, start, end);
    },
  };
}

/** The expression of a field; undefined if absent or empty. */
function optionalExpression(object: ObjectValue, name: string): Expression | undefined {
  const field = fieldOf(object, name);
  if (field === undefined) return undefined;
  const value = asText(field.value);
  return value.text === '' ? undefined : expressionOf(value, field.place);
}

function spanThrough(offsets: TextOffsets | 'same', { node }: TextValue, from: number, to: number): Span {
  const { written } = node;
  // The string value of a number or a boolean can differ from its source.
  if (node.type !== 'String') return written.span;
  if (offsets === 'same') {
    const start = Math.min(written.span.start + from, written.span.end);
    return {
      source: written.span.source,
      start,
      end: to > from ? Math.min(written.span.start + to, written.span.end) : start,
    };
  }
  const start = offsets.starts[from] ?? written.span.end;
  const end = to > from ? (offsets.ends[to - 1] ?? written.span.end) : start;
  return { source: written.span.source, start, end: Math.max(start, end) };
}
