import type { CelType } from '../../cel/library/types.js';
import type { Module } from '../../../compiler/ir/program.js';
import type { SchemaAddress, SchemaModule } from '../../../compiler/ir/schema.js';
import { isSettled, type SettledScope } from '../../../compiler/ir/settled.js';
import type { Value } from '../../../compiler/ir/value.js';
import { some } from '../../../compiler/ir/visit.js';
import type { Unknown } from '../../../runtime/residual/index.js';
import type { Operand } from '../../../runtime/residual/operand.js';
import { type Sql, sql } from '../../../runtime/residual/sql/fragment.js';
import { quotedText } from '../../../runtime/residual/sql/policy-condition.js';
import { FAILED, scalar, type SqlValue } from '../../../runtime/residual/sql/value.js';
import { exactText, formatStructure, listDefinitions } from '../formula/structure.js';
import { sessionTerm } from '../program/filters.js';
import { digest } from './names.js';

/** How SQL reads a computed value. */
export type ComputedType = 'boolean' | 'text' | 'number' | 'timestamp' | 'list' | 'json';

/** A value that depends on the principal alone and that SQL cannot compute: the application sends it with the session. */
export interface ComputedValue {
  /** `boolean_1f2e3d4c5b6a`: its type, and a hash of what it computes. */
  readonly id: string;
  readonly computes:
    | { readonly kind: 'expression'; readonly value: Value; readonly module: Module }
    /** Whether the attributes of the principal satisfy a schema. */
    | { readonly kind: 'schema'; readonly at: SchemaAddress; readonly modules: readonly SchemaModule[] };
}

/** How variables of computed values begin. */
const ROOT = 'request.computed';

/** The computed values that the policies of a database read, by id. */
export class ComputedValues {
  private readonly known = new Map<string, ComputedValue>();
  private readonly used = new Set<string>();

  /** Those that policies read, sorted by id. */
  get all(): readonly ComputedValue[] {
    return [...this.used].sort().flatMap((id) => this.known.get(id) ?? []);
  }

  /** The ids of the values that a condition reads, sorted. */
  use(condition: Operand): readonly string[] {
    const ids = [...new Set([...listVariables(condition)].flatMap((variable) => findComputed(variable) ?? []))].sort();
    for (const id of ids) this.used.add(id);
    return ids;
  }

  /** What stands for an expression about the principal; undefined if it has to be taken apart. */
  expression(value: Value, module: Module, scope: SettledScope): Unknown | undefined {
    if (isRead(value) || !isSettled(value, scope)) return undefined;
    const type = typeOf(value.type);
    if (type === undefined || !isComputable(value, scope)) return undefined;
    const { kind } = value.type;
    const sort = kind === 'int' || kind === 'double' ? kind : isJson(value.type) ? SORTS[type] : 'other';
    const content = [value.type, formatStructure(value), listDefinitions([value], module)];
    return sessionTerm(this.add(type, content, { kind: 'expression', value, module }), sort);
  }

  /** What stands for whether the attributes of the principal satisfy a schema. */
  schema(at: SchemaAddress, modules: readonly SchemaModule[]): Unknown {
    const content = [at, modules.map(({ file, definitions }) => [file, exactText(definitions)])];
    return sessionTerm(this.add('boolean', content, { kind: 'schema', at, modules }), 'bool');
  }

  /** @returns the variable of a value. */
  private add(type: ComputedType, content: readonly unknown[], computes: ComputedValue['computes']): string {
    const id = `${type}_${digest(exactText(content))}`;
    this.known.set(id, { id, computes });
    return `${ROOT}.${id}`;
  }
}

const SORTS: Readonly<Record<ComputedType, Unknown['sort']>> = {
  boolean: 'bool',
  text: 'string',
  number: 'double',
  timestamp: 'other',
  list: 'json',
  json: 'json',
};

/** Whether a value has no numbers but doubles. */
function isJson(type: CelType): boolean {
  if (type.kind === 'list') return isJson(type.element);
  return type.kind !== 'dyn' || type.json;
}

/** The id of the computed value that a variable stands for. */
function findComputed(variable: string): string | undefined {
  return variable.startsWith(`${ROOT}.`) ? variable.slice(ROOT.length + 1) : undefined;
}

/** A computed value in SQL; undefined for a variable that is not one. */
export function computedValue(variable: string): SqlValue | undefined {
  const id = findComputed(variable);
  if (id === undefined) return undefined;
  const [type] = id.split('_') as [ComputedType];
  const call = sql`authz.${`computed_${type}`}(${quotedText(id)})`;
  const isOfStatement = { isOfStatement: true } as const;
  switch (type) {
    case 'boolean':
    case 'text':
      return scalar(type, once(call), 'deterministic', isOfStatement);
    case 'number':
      return scalar(type, once(call), 'deterministic', { ...isOfStatement, isInt: true });
    case 'timestamp':
      return scalar(type, once(call), 'binary', { ...isOfStatement, isUnread: false });
    case 'json':
      return { kind: 'json', sql: once(call), type: typeOnce(call) };
    case 'list':
      return { kind: 'json', sql: once(call), type: typeOnce(call), list: once(call) };
    default:
      return FAILED;
  }
}

/** That a session has computed values. A missing one would be read as a failure, and a denial that fails denies nothing. */
export function hasComputed(ids: readonly string[]): string {
  return `(SELECT authz.has_computed(${ids.map(quotedText).join(', ')}))`;
}

function* listVariables(operand: Operand): Generator<string> {
  if ('variable' in operand) yield operand.variable;
  if ('expression' in operand) for (const part of operand.expression.operands) yield* listVariables(part);
}

function once(call: Sql): Sql {
  return sql`(SELECT ${call})`;
}

function typeOnce(call: Sql): Sql {
  return sql`(SELECT jsonb_typeof(${call}))`;
}

/** Whether a value is only read from the request: SQL does that itself. */
function isRead(value: Value): boolean {
  switch (value.kind) {
    case 'field':
      return true;
    case 'select':
    case 'has':
      return isRead(value.operand);
    case 'call':
      return value.runtime === 'now';
    default:
      return false;
  }
}

/** The types whose values JSON has, and SQL compares as a check does. Of a dynamic one, other values are refused with the session. */
function typeOf(type: CelType): ComputedType | undefined {
  switch (type.kind) {
    case 'bool':
      return 'boolean';
    case 'string':
      return 'text';
    case 'int':
    case 'double':
      return 'number';
    case 'timestamp':
      return 'timestamp';
    case 'dyn':
      return 'json';
    case 'list': {
      const element = typeOf(type.element);
      return element === 'text' || element === 'boolean' || element === 'json' ? 'list' : undefined;
    }
    default:
      return undefined;
  }
}

/** Whether a session has what a value reads: no globals of a configuration, no named tokens, and nothing as a whole. */
function isComputable(value: Value, scope: SettledScope): boolean {
  return !some(value, (part) => {
    switch (part.kind) {
      case 'global':
      case 'part':
      case 'bindings':
        return true;
      case 'is-set':
        return part.binding !== 'variable' || !isComputable(scope.variableValue(part.name), scope);
      case 'field':
        return !FIELDS.includes(`${part.of}.${part.name}`);
      case 'variable':
        return !isComputable(scope.variableValue(part.name), scope);
      default:
        return false;
    }
  });
}

const FIELDS: readonly string[] = ['principal.id', 'principal.roles', 'principal.attr', 'auxData.jwt'];
