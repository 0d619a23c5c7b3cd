import type { Policy, SchemaReference, Schemas, ScopePermissions } from '../../ast/policy.js';
import { invariant } from '../../diagnostics/invariant.js';
import type { ObjectValue } from '../schema/value.js';
import { constantDefinitions, constantsOf, variableDefinitions, variablesOf } from './bindings.js';
import { numberOf, objectOf, objectsOf, requiredText, textOf, textsOf } from './fields.js';
import { derivedRole, principalRule, resourceRule, roleRule } from './rules.js';

/** The one policy of a validated document (docs/spec/policy-language.md#resourcepolicy). */
export function policyOf(document: ObjectValue): Policy {
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

// A lone dot names the root scope, as it does in requests (docs/spec/policy-language.md#identifiers).
function scopeOf(policy: ObjectValue): string {
  // `.` stays: a policy written so loads, and no request reaches it (docs/spec/policy-language.md#scopes).
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
