import type { Module, Program, RoleRule, Rule, Schema } from '../../ir/program.js';
import { outputType } from './output-types.js';
import { type SchemaTypes, schemaTypes } from './schema-types.js';
import { ATTRIBUTES, composedType, type TypeText } from './type-text.js';

/** All that the types for callers depend on, as JSON. */
export interface TypeFacts {
  readonly modules: readonly ModuleFacts[];
  readonly aliases: SchemaTypes['aliases'];
}

/** What one policy contributes. */
export type ModuleFacts =
  | {
      readonly kind: 'resource';
      readonly key: string;
      readonly resource: string;
      readonly scope: string;
      readonly rules: readonly RuleFacts[];
      readonly roles: readonly string[];
      /** The types of the attributes that its schemas describe. */
      readonly attributes: { readonly principal: TypeText; readonly resource: TypeText };
    }
  | {
      readonly kind: 'principal';
      readonly key: string;
      readonly rules: readonly RuleFacts[];
      readonly kinds: readonly string[];
    }
  | {
      readonly kind: 'role';
      readonly key: string;
      readonly rules: readonly RuleFacts[];
      readonly roles: readonly string[];
    };

export interface RuleFacts {
  readonly name: string;
  /** Absent in resource policies. */
  readonly resource?: string;
  readonly actions: readonly string[];
  /** The type of its output. */
  readonly output?: TypeText;
}

/** The facts of a program. */
export function collectTypeFacts(program: Program): TypeFacts {
  const schemas = schemaTypes(program);
  return { modules: program.modules.flatMap((module) => moduleFacts(module, schemas) ?? []), aliases: schemas.aliases };
}

function moduleFacts(module: Module, schemas: SchemaTypes): ModuleFacts | undefined {
  if (module.kind === 'derived-roles') return undefined;
  const { key } = module;
  const rules = module.rules.map(ruleFacts);
  switch (module.kind) {
    case 'resource':
      return {
        kind: 'resource',
        key,
        resource: module.resource,
        scope: module.scope,
        rules,
        roles: module.roles.literals.map(({ role }) => role),
        attributes: {
          principal: attributeType(module.schemas.principal, schemas),
          resource: attributeType(module.schemas.resource, schemas),
        },
      };
    case 'principal':
      return { kind: 'principal', key, rules, kinds: module.kinds.map(({ kind }) => kind) };
    case 'role':
      return { kind: 'role', key, rules, roles: [module.role, ...module.parentRoles] };
  }
}

function ruleFacts(rule: Rule | RoleRule): RuleFacts {
  const { name, resource, output } = rule;
  return {
    name,
    ...(resource !== undefined && { resource }),
    actions: 'allowActions' in rule ? rule.allowActions : rule.actions,
    ...(output !== undefined && { output: outputType(output) }),
  };
}

/** Actions that are exempt from the schema require no attributes. */
function attributeType(schema: Schema | undefined, { writeAttributes }: SchemaTypes): TypeText {
  if (schema === undefined || 'unavailable' in schema.validator) return ATTRIBUTES;
  const type = writeAttributes(schema.validator);
  return schema.ignoredActions.length > 0 ? composedType(['Partial<', type, '>']) : type;
}
