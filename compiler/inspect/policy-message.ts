import type {
  Condition,
  Constants,
  Effect,
  JsonValue,
  Match,
  Output,
  Policy,
  PolicyFile,
  SchemaReference,
  Schemas,
  ScopePermissions,
  VariableDefinition,
  Variables,
} from '../ast/policy.js';
import type { Located } from '../diagnostics/span.js';

/** Part of a message: undefined members are absent fields. */
type Fields = { readonly [name: string]: Field };
type Field = undefined | JsonValue | Fields | readonly Fields[];

/**
 * A policy document as GetPolicy returns it: the JSON form of `authz.policy.v1.Policy`
 * (docs/spec/server.md#admin-messages). Undefined for documents that the message does not have: invariants and roles of tenants.
 */
export function policyMessage(file: PolicyFile): JsonValue | undefined {
  const { source, disabled, description, annotations, legacyVariables, policy } = file;
  const kind = toKindFields(policy);
  if (kind === undefined) return undefined;
  return message({
    apiVersion: 'api.authz.dev/v1',
    disabled: disabled ? true : undefined,
    description: text(description),
    metadata: { sourceFile: source.path, annotations: filled(annotations), storeIdentifier: source.path },
    variables: definitions(legacyVariables),
    ...kind,
  });
}

function toKindFields(policy: Policy): Fields | undefined {
  switch (policy.kind) {
    case 'resource':
      return {
        resourcePolicy: {
          resource: policy.resource.value,
          version: policy.version.value,
          scope: text(policy.scope),
          scopePermissions: SCOPE_PERMISSIONS[policy.scopePermissions],
          importDerivedRoles: values(policy.importDerivedRoles),
          ...bindings(policy),
          rules: policy.rules.map(({ name, actions, effect, roles, derivedRoles, condition, output }) => ({
            name: name?.value,
            actions: values(actions),
            effect: EFFECTS[effect],
            roles: values(roles),
            derivedRoles: values(derivedRoles),
            condition: toConditionFields(condition),
            output: toOutputFields(output),
          })),
          schemas: toSchemaFields(policy.schemas),
        },
      };
    case 'principal':
      return {
        principalPolicy: {
          principal: policy.principal.value,
          version: policy.version.value,
          scope: text(policy.scope),
          scopePermissions: SCOPE_PERMISSIONS[policy.scopePermissions],
          ...bindings(policy),
          rules: policy.rules.map(({ resource, actions }) => ({
            resource: resource.value,
            actions: actions.map(({ name, action, effect, condition, output }) => ({
              name: name?.value,
              action: action.value,
              effect: EFFECTS[effect],
              condition: toConditionFields(condition),
              output: toOutputFields(output),
            })),
          })),
        },
      };
    case 'role':
      return {
        rolePolicy: {
          role: policy.role.value,
          version: policy.version,
          scope: text(policy.scope),
          parentRoles: values(policy.parentRoles),
          ...bindings(policy),
          rules: policy.rules.map(({ name, resource, allowActions, condition, output }) => ({
            name: name?.value,
            resource: resource.value,
            allowActions: values(allowActions),
            condition: toConditionFields(condition),
            output: toOutputFields(output),
          })),
        },
      };
    case 'derived-roles':
      return {
        derivedRoles: {
          name: policy.name.value,
          ...bindings(policy),
          definitions: policy.definitions.map(({ name, parentRoles, condition }) => ({
            name: name.value,
            parentRoles: values(parentRoles),
            condition: toConditionFields(condition),
          })),
        },
      };
    case 'export-variables':
      return { exportVariables: { name: policy.name.value, definitions: definitions(policy.definitions) } };
    case 'export-constants':
      return { exportConstants: { name: policy.name.value, definitions: constants(policy.definitions) } };
    case 'invariants':
    case 'tenant-roles':
      return undefined;
  }
}

const EFFECTS: { readonly [effect in Effect]: string } = { allow: 'EFFECT_ALLOW', deny: 'EFFECT_DENY' };

const SCOPE_PERMISSIONS: { readonly [permissions in ScopePermissions]: string | undefined } = {
  unspecified: undefined,
  'override-parent': 'SCOPE_PERMISSIONS_OVERRIDE_PARENT',
  'require-parental-consent': 'SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS',
};

function bindings(policy: { readonly variables: Variables; readonly constants: Constants }): Fields {
  return {
    variables: block(policy.variables.imports, definitions(policy.variables.local)),
    constants: block(policy.constants.imports, constants(policy.constants.local)),
  };
}

function block(imports: readonly Located<string>[], local: JsonValue | undefined): Fields | undefined {
  return imports.length === 0 && local === undefined ? undefined : { import: values(imports), local };
}

function definitions(variables: readonly VariableDefinition[]): JsonValue | undefined {
  return filled(Object.fromEntries(variables.map(({ name, expression }) => [name.value, expression.text])));
}

function constants(local: Constants['local']): JsonValue | undefined {
  return filled(Object.fromEntries(local.map(({ name, value }) => [name.value, value.value])));
}

function toConditionFields(condition: Condition | undefined): Fields | undefined {
  return condition && { match: toMatchFields(condition.match) };
}

function toMatchFields(match: Match): Fields {
  switch (match.kind) {
    case 'expr':
      return { expr: match.expression.text };
    case 'all':
    case 'any':
    case 'none':
      return { [match.kind]: { of: match.of.map(toMatchFields) } };
    case 'script':
      return {};
  }
}

function toOutputFields(output: Output | undefined): Fields | undefined {
  if (output === undefined) return undefined;
  const { ruleActivated, conditionNotMet, legacy } = output;
  const isWhen = ruleActivated !== undefined || conditionNotMet !== undefined;
  return {
    expr: legacy?.text,
    when: isWhen ? { ruleActivated: ruleActivated?.text, conditionNotMet: conditionNotMet?.text } : undefined,
  };
}

function toSchemaFields(schemas: Schemas | undefined): Fields | undefined {
  return (
    schemas && {
      principalSchema: toReferenceFields(schemas.principal),
      resourceSchema: toReferenceFields(schemas.resource),
    }
  );
}

function toReferenceFields(reference: SchemaReference | undefined): Fields | undefined {
  if (reference === undefined) return undefined;
  const actions = values(reference.ignoredActions);
  return { ref: reference.ref.value, ignoreWhen: actions && { actions } };
}

function values(located: readonly Located<string>[]): readonly string[] | undefined {
  return located.length === 0 ? undefined : located.map(({ value }) => value);
}

function text(value: string): string | undefined {
  return value === '' ? undefined : value;
}

function filled(object: { readonly [name: string]: JsonValue }): JsonValue | undefined {
  return Object.keys(object).length === 0 ? undefined : object;
}

/** Omits members that are undefined. */
function message(fields: Fields): JsonValue {
  return JSON.parse(JSON.stringify(fields));
}
