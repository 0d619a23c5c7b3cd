/**
 * Policy documents as YAML gives them, already valid: the shapes the reference model reads
 * (docs/spec/policy-language.md#document-fields).
 */
export interface Document {
  readonly apiVersion?: string;
  readonly resourcePolicy?: ResourceDocument;
  readonly principalPolicy?: PrincipalDocument;
  readonly rolePolicy?: RoleDocument;
  readonly derivedRoles?: DerivedRolesDocument;
  readonly exportVariables?: { readonly name: string; readonly definitions?: Texts };
  readonly exportConstants?: { readonly name: string; readonly definitions?: Values };
}

export type Texts = { readonly [name: string]: string };
export type Values = { readonly [name: string]: unknown };

/** What a policy may use besides the request. */
export interface Definitions {
  readonly variables?: { readonly import?: readonly string[]; readonly local?: Texts };
  readonly constants?: { readonly import?: readonly string[]; readonly local?: Values };
}

export interface ResourceDocument extends Definitions {
  readonly resource: string;
  readonly version: string;
  readonly scope?: string;
  readonly scopePermissions?: string;
  readonly importDerivedRoles?: readonly string[];
  readonly rules?: readonly ResourceRule[];
  readonly schemas?: { readonly principalSchema?: SchemaUse; readonly resourceSchema?: SchemaUse };
}

export interface SchemaUse {
  readonly ref: string;
  readonly ignoreWhen?: { readonly actions: readonly string[] };
}

export interface RuleBody {
  readonly name?: string;
  readonly condition?: { readonly match: Match };
  readonly output?: {
    readonly expr?: string;
    readonly when?: { readonly ruleActivated?: string; readonly conditionNotMet?: string };
  };
}

export interface ResourceRule extends RuleBody {
  readonly actions: readonly string[];
  readonly effect: string;
  readonly roles?: readonly string[];
  readonly derivedRoles?: readonly string[];
}

export interface PrincipalDocument extends Definitions {
  readonly principal: string;
  readonly version: string;
  readonly scope?: string;
  readonly scopePermissions?: string;
  readonly rules?: readonly { readonly resource: string; readonly actions: readonly PrincipalAction[] }[];
}

export interface PrincipalAction extends RuleBody {
  readonly action: string;
  readonly effect: string;
}

export interface RoleDocument extends Definitions {
  readonly role: string;
  readonly version?: string;
  readonly scope?: string;
  readonly parentRoles?: readonly string[];
  readonly rules?: readonly RoleDocumentRule[];
}

export interface RoleDocumentRule extends RuleBody {
  readonly resource: string;
  readonly allowActions: readonly string[];
}

export interface DerivedRolesDocument extends Definitions {
  readonly name: string;
  readonly definitions: readonly DerivedRoleDefinition[];
}

export interface DerivedRoleDefinition {
  readonly name: string;
  readonly parentRoles: readonly string[];
  readonly condition?: { readonly match: Match };
}

export type Match =
  | { readonly expr: string }
  | { readonly all: { readonly of: readonly Match[] } }
  | { readonly any: { readonly of: readonly Match[] } }
  | { readonly none: { readonly of: readonly Match[] } };

/** Policies as the files of a folder, in order. JSON is valid YAML. */
export function policyFiles(documents: readonly Document[]): { readonly [path: string]: string } {
  return Object.fromEntries(
    documents.map((document, index) => [
      `p${String(index).padStart(3, '0')}.yaml`,
      JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...document }),
    ]),
  );
}
