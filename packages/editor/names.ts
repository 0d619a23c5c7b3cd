import type { Expr } from '../cel/ast/expr.js';
import type { Expression, PolicyFile } from '../../compiler/ast/policy.js';
import { visit } from '../cel/ast/visit.js';
import type { Located, Span } from '../../compiler/diagnostics/span.js';
import { expressionsIn } from './expressions.js';

/** What names in policies can be about. */
export type NameKind =
  | 'derived-roles'
  | 'derived-role'
  | 'exported-variables'
  | 'exported-constants'
  | 'variable'
  | 'constant'
  | 'kind'
  | 'role'
  | 'action'
  | 'schema';

/** A name where it is written. */
export interface Occurrence {
  readonly kind: NameKind;
  readonly name: string;
  /** The name itself, without quotes. */
  readonly span: Span;
  readonly isDefinition: boolean;
}

/** All names in the text of a document. */
export function namesIn(file: PolicyFile): readonly Occurrence[] {
  const known = cache.get(file);
  if (known !== undefined) return known;
  const occurrences = [...collect(file)];
  cache.set(file, occurrences);
  return occurrences;
}

const cache = new WeakMap<PolicyFile, readonly Occurrence[]>();

function* collect(file: PolicyFile): Generator<Occurrence> {
  const { policy } = file;
  yield* file.legacyVariables.map(({ name }) => defined('variable', name));
  if (policy.kind === 'export-variables' || policy.kind === 'export-constants') {
    const ofVariables = policy.kind === 'export-variables';
    yield defined(ofVariables ? 'exported-variables' : 'exported-constants', policy.name);
    for (const { name } of policy.definitions) yield defined(ofVariables ? 'variable' : 'constant', name);
  } else if ('variables' in policy) {
    yield* used('exported-variables', policy.variables.imports);
    yield* used('exported-constants', policy.constants.imports);
    for (const { name } of policy.variables.local) yield defined('variable', name);
    for (const { name } of policy.constants.local) yield defined('constant', name);
  }
  switch (policy.kind) {
    case 'resource':
      yield defined('kind', policy.resource);
      yield* used('derived-roles', policy.importDerivedRoles);
      for (const reference of [policy.schemas?.principal, policy.schemas?.resource])
        if (reference !== undefined) yield* used('schema', [reference.ref]);
      for (const rule of policy.rules) {
        yield* used('action', rule.actions);
        yield* used('role', rule.roles);
        yield* used('derived-role', rule.derivedRoles);
      }
      break;
    case 'principal':
      for (const rule of policy.rules) {
        yield* used('kind', [rule.resource]);
        yield* used(
          'action',
          rule.actions.map(({ action }) => action),
        );
      }
      break;
    case 'role':
      yield defined('role', policy.role);
      yield* used('role', policy.parentRoles);
      for (const rule of policy.rules) {
        yield* used('kind', [rule.resource]);
        yield* used('action', rule.allowActions);
      }
      break;
    case 'derived-roles':
      yield defined('derived-roles', policy.name);
      for (const { name, parentRoles } of policy.definitions) {
        yield defined('derived-role', name);
        yield* used('role', parentRoles);
      }
      break;
    case 'invariants':
      for (const { claim } of policy.statements) {
        if (claim.form === 'final') continue;
        const { resource, actions, principal } = claim.about;
        if (resource !== undefined) yield* used('kind', [resource]);
        yield* used('action', actions);
        if (claim.form === 'implies') yield* used('action', claim.also);
        for (const roles of [principal.roles, principal.allRoles, principal.notRoles]) yield* used('role', roles);
      }
      break;
    case 'tenant-roles':
      for (const { role, resources } of policy.grants) {
        yield* used('role', [role]);
        for (const { resource, actions } of resources) {
          yield* used('kind', [resource]);
          yield* used('action', actions);
        }
      }
      break;
    case 'export-variables':
    case 'export-constants':
      break;
  }
  for (const expression of expressionsIn(file)) yield* namesInExpression(expression);
}

function defined(kind: NameKind, name: Located<string>): Occurrence {
  return { kind, name: name.value, span: withoutQuotes(name), isDefinition: true };
}

function used(kind: NameKind, names: readonly Located<string>[]): readonly Occurrence[] {
  return names.map((name) => ({ kind, name: name.value, span: withoutQuotes(name), isDefinition: false }));
}

function withoutQuotes({ value, place: { span } }: Located<string>): Span {
  const inner = { ...span, start: span.start + 1, end: span.end - 1 };
  return span.source.text.slice(inner.start, inner.end) === value ? inner : span;
}

/** `V.name` and `C.name`, also in their long and optional forms. */
function namesInExpression(expression: Expression): readonly Occurrence[] {
  const found: Occurrence[] = [];
  if (expression.ast === undefined) return found;
  visit(expression.ast, (node) => {
    const kind = node.kind === 'select' ? kindOfOperand(node.operand) : undefined;
    if (kind === undefined || node.kind !== 'select') return;
    const span = expression.spanOf(node.fieldStart, node.fieldStart + node.field.length);
    found.push({ kind, name: node.field, span, isDefinition: false });
  });
  return found;
}

function kindOfOperand(operand: Expr): 'variable' | 'constant' | undefined {
  if (operand.kind !== 'ident') return undefined;
  if (operand.name === 'V' || operand.name === 'variables') return 'variable';
  return operand.name === 'C' || operand.name === 'constants' ? 'constant' : undefined;
}
