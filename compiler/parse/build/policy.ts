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
import type { SyntaxError } from '../../../packages/cel/ast/syntax-error.js';
import { parseCel } from '../../../packages/cel/parse/index.js';
import { FORMS } from '../schema/tables.js';
import type { FieldValue, ObjectValue, TextValue } from '../schema/value.js';
import { isVerbatim, type TextOffsets, textOffsets } from '../yaml/offsets.js';
import {
  asText,
  readBool,
  readEntries,
  findField,
  nonEmptyText,
  readNumber,
  readObject,
  readObjects,
  requiredText,
  readText,
  readTexts,
} from './fields.js';

/** Builds the syntax tree of a validated document (docs/spec/policy-language.md#top-level-fields). */
export function policyFile(document: ObjectValue, source: Source): PolicyFile {
  return {
    source,
    place: { ...document.node.place, path: '' },
    disabled: readBool(document, 'disabled'),
    description: readText(document, 'description')?.value ?? '',
    annotations: buildAnnotations(document),
    legacyVariables: variableDefinitions(document, 'variables'),
    policy: buildBody(document),
  };
}

// No prototype, so that no name is special.
function buildAnnotations(document: ObjectValue): Readonly<Record<string, string>> {
  const annotations = Object.create(null) as Record<string, string>;
  const metadata = readObject(document, 'metadata');
  if (metadata === undefined) return annotations;
  for (const { name, value } of readEntries(metadata, 'annotations')) annotations[name.value] = asText(value).text;
  return annotations;
}

/** Returns the single policy of a validated document (docs/spec/policy-language.md#resourcepolicy). */
function buildBody(document: ObjectValue): Policy {
  for (const [field, build] of BUILDERS) {
    const policy = readObject(document, field);
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
    scope: readScope(policy),
    scopePermissions: readScopePermissions(policy),
    importDerivedRoles: readTexts(policy, 'importDerivedRoles'),
    variables: buildVariables(policy),
    constants: buildConstants(policy),
    rules: readObjects(policy, 'rules').map(resourceRule),
    schemas: buildSchemas(policy),
  };
}

function principalPolicy(policy: ObjectValue): Policy {
  return {
    kind: 'principal',
    principal: requiredText(policy, 'principal'),
    version: requiredText(policy, 'version'),
    scope: readScope(policy),
    scopePermissions: readScopePermissions(policy),
    variables: buildVariables(policy),
    constants: buildConstants(policy),
    rules: readObjects(policy, 'rules').map(principalRule),
  };
}

function rolePolicy(policy: ObjectValue): Policy {
  return {
    kind: 'role',
    role: requiredText(policy, 'role'),
    version: readText(policy, 'version')?.value || 'default',
    scope: readScope(policy),
    parentRoles: readTexts(policy, 'parentRoles'),
    scopePermissions: readScopePermissions(policy),
    variables: buildVariables(policy),
    constants: buildConstants(policy),
    rules: readObjects(policy, 'rules').map(roleRule),
  };
}

function derivedRoles(policy: ObjectValue): Policy {
  return {
    kind: 'derived-roles',
    name: requiredText(policy, 'name'),
    variables: buildVariables(policy),
    constants: buildConstants(policy),
    definitions: readObjects(policy, 'definitions').map(derivedRole),
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
    grants: readObjects(policy, 'grants').map(grant),
  };
}

function grant({ value }: Located<ObjectValue>): Grant {
  return {
    role: requiredText(value, 'role'),
    resources: readObjects(value, 'resources').map(({ value: granted }) => ({
      resource: requiredText(granted, 'resource'),
      actions: readTexts(granted, 'actions'),
    })),
  };
}

function invariants(policy: ObjectValue): Policy {
  return {
    kind: 'invariants',
    name: requiredText(policy, 'name'),
    variables: buildVariables(policy),
    constants: buildConstants(policy),
    statements: readObjects(policy, 'statements').flatMap(statement),
  };
}

/** A statement of an invariants document; none if it has no form, which validation rejects. */
function statement({ value: object, place }: Located<ObjectValue>): readonly Statement[] {
  const claim = buildClaim(object);
  return claim === undefined ? [] : [{ place, name: requiredText(object, 'name'), claim }];
}

function buildClaim(statement: ObjectValue): Claim | undefined {
  for (const form of FORMS) {
    const claim = readObject(statement, form);
    if (claim === undefined) continue;
    if (form === 'final') return { form, rule: requiredText(claim, 'rule') };
    const about = buildAbout(claim);
    return form === 'implies' ? { form, about, also: readTexts(claim, 'also') } : { form, about };
  }
  return undefined;
}

function buildAbout(claim: ObjectValue): About {
  return {
    resource: readText(claim, 'resource'),
    version: readText(claim, 'version'),
    scope: readText(claim, 'scope'),
    actions: readTexts(claim, 'actions'),
    principal: aboutPrincipal(readObject(claim, 'principal')),
    when: buildCondition(claim, 'when'),
    unless: buildCondition(claim, 'unless'),
  };
}

function aboutPrincipal(principal: ObjectValue | undefined): AboutPrincipal {
  if (principal === undefined) return { id: undefined, roles: [], allRoles: [], notRoles: [] };
  return {
    id: readText(principal, 'id'),
    roles: readTexts(principal, 'roles'),
    allRoles: readTexts(principal, 'allRoles'),
    notRoles: readTexts(principal, 'notRoles'),
  };
}

// A lone dot names the root scope, as in requests (docs/spec/policy-language.md#identifiers).
function readScope(policy: ObjectValue): string {
  // `.` is kept: such a policy loads, but no request reaches it (docs/spec/policy-language.md#scopes).
  return readText(policy, 'scope')?.value ?? '';
}

const SCOPE_PERMISSIONS: readonly ScopePermissions[] = ['unspecified', 'override-parent', 'require-parental-consent'];

function readScopePermissions(policy: ObjectValue): ScopePermissions {
  return (
    SCOPE_PERMISSIONS[readNumber(policy, 'scopePermissions')] ?? invariant('unknown scope permissions after validation')
  );
}

function buildSchemas(policy: ObjectValue): Schemas | undefined {
  const schemas = readObject(policy, 'schemas');
  return (
    schemas && {
      principal: schemaReference(schemas, 'principalSchema'),
      resource: schemaReference(schemas, 'resourceSchema'),
    }
  );
}

function schemaReference(schemas: ObjectValue, field: string): SchemaReference | undefined {
  const schema = readObject(schemas, field);
  if (schema === undefined) return undefined;
  const ignoreWhen = readObject(schema, 'ignoreWhen');
  return { ref: requiredText(schema, 'ref'), ignoredActions: ignoreWhen ? readTexts(ignoreWhen, 'actions') : [] };
}

/** The `variables` block of a policy (docs/spec/policy-language.md#variables-and-constants); empty if absent. */
function buildVariables(policy: ObjectValue): Variables {
  const block = readObject(policy, 'variables');
  if (block === undefined) return { imports: [], local: [] };
  return { imports: readTexts(block, 'import'), local: variableDefinitions(block, 'local') };
}

/** The `constants` block of a policy (docs/spec/policy-language.md#variables-and-constants); empty if absent. */
function buildConstants(policy: ObjectValue): Constants {
  const block = readObject(policy, 'constants');
  if (block === undefined) return { imports: [], local: [] };
  return { imports: readTexts(block, 'import'), local: constantDefinitions(block, 'local') };
}

/** The entries of a map from names to CEL expressions. */
function variableDefinitions(object: ObjectValue, field: string): readonly VariableDefinition[] {
  return readEntries(object, field).map(({ name, value, place }) => ({
    name,
    expression: buildExpression(asText(value), place),
  }));
}

/** The entries of a map from names to JSON values. */
function constantDefinitions(object: ObjectValue, field: string): readonly ConstantDefinition[] {
  return readEntries(object, field).map(({ name, value, place }) => {
    if (value.kind !== 'json') return invariant('a constant is no JSON value');
    return { name, value: { value: value.value, place } };
  });
}

/** A rule of a resource policy (docs/spec/policy-language.md#resourcepolicy). */
function resourceRule({ value: rule, place }: Located<ObjectValue>): ResourceRule {
  return {
    place,
    name: nonEmptyText(rule, 'name'),
    actions: readTexts(rule, 'actions'),
    effect: readEffect(rule),
    roles: readTexts(rule, 'roles'),
    derivedRoles: readTexts(rule, 'derivedRoles'),
    condition: buildCondition(rule),
    output: buildOutput(rule),
  };
}

/** A rule of a principal policy (docs/spec/policy-language.md#principalpolicy). */
function principalRule({ value: rule, place }: Located<ObjectValue>): PrincipalRule {
  return {
    place,
    resource: requiredText(rule, 'resource'),
    actions: readObjects(rule, 'actions').map(principalAction),
  };
}

/** A rule of a role policy (docs/spec/policy-language.md#rolepolicy). */
function roleRule({ value: rule, place }: Located<ObjectValue>): RoleRule {
  return {
    place,
    name: nonEmptyText(rule, 'name'),
    resource: requiredText(rule, 'resource'),
    allowActions: readTexts(rule, 'allowActions'),
    condition: buildCondition(rule),
    output: buildOutput(rule),
  };
}

/** A definition of a derived-roles document (docs/spec/policy-language.md#derivedroles). */
function derivedRole({ value: role, place }: Located<ObjectValue>): DerivedRole {
  return {
    place,
    name: requiredText(role, 'name'),
    parentRoles: readTexts(role, 'parentRoles'),
    condition: buildCondition(role),
  };
}

function principalAction({ value: action, place }: Located<ObjectValue>): PrincipalAction {
  return {
    place,
    name: nonEmptyText(action, 'name'),
    action: requiredText(action, 'action'),
    effect: readEffect(action),
    condition: buildCondition(action),
    output: buildOutput(action),
  };
}

// Validation guarantees EFFECT_ALLOW (1) or EFFECT_DENY (2).
function readEffect(rule: ObjectValue): Effect {
  return readNumber(rule, 'effect') === 1 ? 'allow' : 'deny';
}

/** The condition of a rule, a derived role or a statement (docs/spec/policy-language.md#condition). */
function buildCondition(rule: ObjectValue, field = 'condition'): Condition | undefined {
  const condition = findField(rule, field);
  if (condition === undefined) return undefined;
  const { place, value } = condition;
  if (value.kind !== 'object') return invariant('a condition is not an object');
  const match = readObject(value, 'match');
  return { place, match: match === undefined ? { kind: 'script', place } : buildMatch(match) };
}

/** The output of a rule (docs/spec/policy-language.md#output). */
function buildOutput(rule: ObjectValue): Output | undefined {
  const output = findField(rule, 'output');
  if (output === undefined) return undefined;
  const { place, value } = output;
  if (value.kind !== 'object') return invariant('an output is not an object');
  const when = readObject(value, 'when');
  return {
    place,
    ruleActivated: when && optionalExpression(when, 'ruleActivated'),
    conditionNotMet: when && optionalExpression(when, 'conditionNotMet'),
    legacy: optionalExpression(value, 'expr'),
  };
}

const OPERATORS = ['all', 'any', 'none'] as const;

function buildMatch(match: ObjectValue): Match {
  const expr: FieldValue | undefined = findField(match, 'expr');
  if (expr !== undefined) return { kind: 'expr', expression: buildExpression(asText(expr.value), expr.place) };
  for (const kind of OPERATORS) {
    const operands = readObject(match, kind);
    if (operands !== undefined) return { kind, of: readObjects(operands, 'of').map(({ value }) => buildMatch(value)) };
  }
  return invariant('a match without operator after validation');
}

/**
 * Parses a CEL expression. Its syntax errors are stored with it, because they are reported only when the policy is
 * compiled (docs/spec/policy-language.md#documents, docs/spec/policy-language.md#compiling-variables-and-constants).
 */
function buildExpression(value: TextValue, place: Place): Expression {
  const refused = tagErrors(value);
  const { ast, errors } = refused === undefined ? parseCel(value.text) : { ast: undefined, errors: refused };
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

/**
 * The error of an expression that YAML reads without its beginning: `! R.attr.public` and `!a && b` would be conditions
 * without their negation. The tags of YAML itself, such as `!!str`, are ignored, as on all values.
 */
function tagErrors({ node, text }: TextValue): readonly SyntaxError[] | undefined {
  if (node.tag === undefined || /^!!(?:str|int|float|bool|null)$/.test(node.tag)) return undefined;
  const message = `Syntax error: YAML reads \`${node.tag}\` as a tag, which is not part of the expression`;
  return [{ message, start: 0, end: text.length, advice: [{ ...TAG_ADVICE, start: 0, end: text.length }] }];
}

const TAG_ADVICE = { message: 'put the expression in quotes, as in `"!R.attr.archived"`, or below `|-`' };

/** The expression of a field; undefined if absent or empty. */
function optionalExpression(object: ObjectValue, name: string): Expression | undefined {
  const field = findField(object, name);
  if (field === undefined) return undefined;
  const value = asText(field.value);
  return value.text === '' && value.node.tag === undefined ? undefined : buildExpression(value, field.place);
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
