import * as cel from '../../cel/runtime/index.js';
import { type Request, sanitize } from '../../../runtime/policy/index.js';
import { COMPARISONS } from '../../../compiler/ir/comparisons.js';
import type { Module, Program } from '../../../compiler/ir/program.js';
import type { Value } from '../../../compiler/ir/value.js';
import { some } from '../../../compiler/ir/visit.js';
import { type Path, findPath } from '../candidates/candidates.js';
import { type Results, evaluateAll } from '../program/results.js';
import { makeSurroundings } from '../program/conditions.js';

/** How conditions use an attribute or a claim. */
export interface AttributeUse {
  /** What it is compared with, if that does not depend on the request. Booleans come with their negation. */
  readonly literals: readonly unknown[];
  /** Whether it is compared with anything: then it is not a boolean that is read as such. */
  readonly isCompared: boolean;
  /** Whether it is compared with the id of the principal or the resource. */
  readonly isId: boolean;
}

interface Use {
  readonly literals: unknown[];
  isId: boolean;
}

/** What the conditions of each policy compare attributes with. */
export class LiteralValues {
  private readonly found = new Map<string, Use>();
  private readonly modules: readonly Module[];

  constructor({ modules }: Program) {
    this.modules = modules;
    for (const module of modules) {
      const rules = module.kind === 'derived-roles' ? module.definitions : module.rules;
      for (const { condition } of rules) {
        if (condition === undefined) continue;
        const results = evaluateAll(condition, (observe) => makeSurroundings(module, NOBODY, { observe }));
        for (const value of results.keys()) this.addOperator(module, value, results);
      }
    }
  }

  /** How the conditions that requests about a kind may meet use an attribute or a claim. */
  findUses(kind: string, path: Path): AttributeUse {
    const uses = this.modulesAbout(kind).flatMap((module) => this.found.get(joinPath(module, path)) ?? []);
    return {
      literals: uses.flatMap(({ literals }) => literals),
      isCompared: uses.length > 0,
      isId: uses.some(({ isId }) => isId),
    };
  }

  /** The resource policies of a kind with their derived roles, and all policies of principals and roles. */
  private modulesAbout(kind: string): readonly Module[] {
    const own = this.modules.filter((module) => module.kind === 'resource' && module.kindName === sanitize(kind));
    const sets = own
      .flatMap((module) => (module.kind === 'resource' ? module.derivedRoles : []))
      .map(({ module }) => module);
    return this.modules.filter(
      (module) =>
        own.includes(module) || sets.includes(module.key) || module.kind === 'principal' || module.kind === 'role',
    );
  }

  private addOperator(module: Module, value: Value, results: Results): void {
    if (value.kind !== 'operator' || !COMPARISONS.has(value.operator)) return;
    const [left, right] = value.operands as [Value, Value];
    const isIn = value.operator === 'inCollection';
    this.add(module, left, right, isIn ? listElements(right, results) : listLiteral(right, results));
    this.add(module, right, left, isIn ? [] : listLiteral(left, results));
  }

  private add(module: Module, value: Value, other: Value, literals: readonly unknown[]): void {
    const path = findPath(value);
    if (path === undefined) return;
    const key = joinPath(module, path);
    const use = this.found.get(key) ?? { literals: [], isId: false };
    this.found.set(key, use);
    use.isId ||= other.kind === 'field' && other.name === 'id';
    for (const literal of literals)
      if (use.literals.length < FEW && !use.literals.includes(literal)) use.literals.push(literal);
  }
}

const FEW = 10;

function joinPath({ key }: Module, path: Path): string {
  return [key, ...path].join('\0');
}

function listLiteral(value: Value, results: Results): readonly unknown[] {
  const result = readsRequest(value) ? undefined : results.get(value);
  if (typeof result === 'boolean') return [result, !result];
  return listJson(result);
}

function listElements(value: Value, results: Results): readonly unknown[] {
  const result = readsRequest(value) ? undefined : results.get(value);
  return Array.isArray(result) ? result.slice(0, FEW).flatMap((item: cel.Result) => listJson(item)) : [];
}

function listJson(result: cel.Result): readonly unknown[] {
  const output = cel.isFailure(result) ? undefined : cel.toOutput(result);
  return output === undefined || 'error' in output ? [] : [output.val];
}

function readsRequest(value: Value): boolean {
  return some(value, ({ kind }) => kind === 'field' || kind === 'part' || kind === 'global' || kind === 'variable');
}

/** A request without attributes. */
const NOBODY: Request = {
  principal: { id: 'alice', roles: [], attr: {}, policyVersion: '', scope: '' },
  resource: { kind: 'x', id: 'r1', attr: {}, policyVersion: '', scope: '' },
  auxData: { jwt: {}, jwts: {} },
  effectiveDerivedRoles: [],
  failedDerivedRoles: [],
  globals: {},
  now: { seconds: 0, nanos: 0, offset: 0 },
};
