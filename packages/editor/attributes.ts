import { makePolicyKey, scopedKey } from '../../compiler/ast/names.js';
import type { LinkedResourcePolicy } from '../../compiler/ast/policy-set.js';
import type { PolicyFile, ResourcePolicy } from '../../compiler/ast/policy.js';
import { describe, type JsonType } from '../../compiler/attributes/json-type.js';
import { findMember, namesListedIn } from '../../compiler/attributes/members.js';
import { SchemaReader } from '../../compiler/attributes/schema-reader.js';
import { type CelType, printType } from '../cel/library/types.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { schema } from '../../compiler/schema/index.js';
import { policyEnvironment } from '../cel/check/environment.js';
import { visibleFrom } from './navigation.js';
import type { EditedPolicies } from './policy-index.js';

/** What is known about a value that an expression selects, such as `R.attr.owner`. */
export interface Selected {
  readonly type: CelType | undefined;
  /** The type that the JSON schemas of the policy give. */
  readonly schema: { readonly type: JsonType; readonly reader: SchemaReader } | undefined;
}

/** The value of a chain of names, the first of which is a variable of the language; undefined for other variables. */
export function selected(
  [root = '', ...fields]: readonly string[],
  workspace: EditedPolicies,
  file: PolicyFile | undefined,
): Selected | undefined {
  const name = policyEnvironment.names.get(root);
  if (name === undefined) return undefined;
  let value: Selected = { type: name.type, schema: undefined };
  for (const field of fields) {
    const below = toField(value, field, workspace, file);
    if (below === undefined) return undefined;
    value = below;
  }
  return value;
}

/** The fields of a value, each with its type in words. */
export function listFields({
  type,
  schema: own,
}: Selected): readonly { readonly name: string; readonly type: string }[] {
  const message = type?.kind === 'message' ? policyEnvironment.messages.get(type.name) : undefined;
  if (message !== undefined) return [...message.fields].map(([name, field]) => ({ name, type: printType(field.type) }));
  if (own === undefined) return [];
  return [...new Set(namesListedIn(own.type))].sort().map((name) => {
    const member = findMember(own.type, name, own.reader);
    return { name, type: `${describe(member.type)}${member.isRequired ? '' : ', optional'}` };
  });
}

/** A value in words. */
export function describeSelected({ type, schema: own }: Selected): string {
  if (own !== undefined) return describe(own.type);
  return type === undefined ? 'any value' : printType(type);
}

function toField(
  { type, schema: own }: Selected,
  field: string,
  workspace: EditedPolicies,
  file: PolicyFile | undefined,
): Selected | undefined {
  if (own !== undefined) {
    const member = findMember(own.type, field, own.reader);
    return { type: undefined, schema: { type: member.type, reader: own.reader } };
  }
  if (type?.kind !== 'message') return { type: undefined, schema: undefined };
  const found = policyEnvironment.messages.get(type.name)?.fields.get(field);
  if (found === undefined) return undefined;
  const subject = field === 'attr' ? SUBJECTS.get(type.name) : undefined;
  return { type: found.type, schema: subject && file && findSchema(subject, workspace, file) };
}

const SUBJECTS: ReadonlyMap<string, 'principal' | 'resource'> = new Map([
  ['authz.engine.v1.Request.Principal', 'principal'],
  ['authz.engine.v1.Request.Resource', 'resource'],
]);

/** The attributes that the schemas of a policy declare; those of one policy that imports it for derived roles. */
function findSchema(
  subject: 'principal' | 'resource',
  workspace: EditedPolicies,
  file: PolicyFile,
): Selected['schema'] {
  const root = findRoot(workspace, file);
  const reference = root?.policy.schemas?.[subject];
  if (root === undefined || reference === undefined) return undefined;
  const linked: LinkedResourcePolicy = {
    kind: 'resource',
    key: makePolicyKey(root.policy),
    ...root,
    bindings: { variables: new Map(), constants: new Map() },
    importedRoles: [],
    derivedRoles: new Map(),
  };
  const schemas = schema(
    { policies: [linked], documents: [], invariants: [] },
    workspace.schemaTexts,
    new Diagnostics(),
  );
  const at = schemas.entries.get(reference.ref.value);
  if (at === undefined || 'reason' in at) return undefined;
  const reader = new SchemaReader(schemas);
  const type = reader.readType([{ kind: 'definition', at }]);
  return type && { type, reader };
}

/** The policy at the root scope, whose schemas apply. */
function findRoot(
  workspace: EditedPolicies,
  file: PolicyFile,
): { readonly file: PolicyFile; readonly policy: ResourcePolicy } | undefined {
  const { policy } = file;
  if (policy.kind === 'resource') {
    const [root] = workspace.withKey(scopedKey('resource', policy.resource.value, policy.version.value, ''));
    return root?.policy.kind === 'resource' ? { file: root, policy: root.policy } : undefined;
  }
  for (const { file: other } of workspace.files.values()) {
    if (other?.policy.kind !== 'resource' || other.policy.schemas === undefined || other.policy.scope !== '') continue;
    const uses = (['derived-role', 'variable'] as const).some((kind) =>
      visibleFrom(workspace, other, kind).includes(file),
    );
    if (uses) return { file: other, policy: other.policy };
  }
  return undefined;
}

/** The kinds of values whose member functions apply; undefined if any may. */
export function receiverKinds({ type, schema: own }: Selected): ReadonlySet<string> | undefined {
  if (own === undefined) return type === undefined || type.kind === 'dyn' ? undefined : new Set([type.kind]);
  const kinds = own.type.flatMap((alternative) => [...alternative.kinds]);
  return new Set(kinds.map((kind) => CEL_KINDS[kind]));
}

const CEL_KINDS = {
  null: 'null',
  boolean: 'bool',
  integer: 'double',
  fraction: 'double',
  string: 'string',
  list: 'list',
  map: 'map',
} as const;
