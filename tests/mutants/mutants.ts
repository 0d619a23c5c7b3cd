import type { Mutant } from './plant.js';

const PLAN = 'runtime/engine/plan/plan.ts';
const STRICT = 'runtime/engine/plan/strict.ts';
const ALGEBRA = 'runtime/residual/algebra.ts';
const CALL = 'runtime/residual/call.ts';
const CONDITION = 'runtime/residual/condition.ts';
const FILTER = 'runtime/residual/filter.ts';
const LIBRARY = 'runtime/residual/variables.ts';
const LOGIC = 'runtime/residual/logic.ts';
const MACROS = 'runtime/residual/macros.ts';
const OPERAND = 'runtime/residual/operand.ts';
const OPERATORS = 'runtime/residual/operators.ts';
const ROW = 'runtime/residual/row.ts';
const SELECTION = 'runtime/residual/selection.ts';
const SIMPLIFY = 'runtime/residual/simplify.ts';
const TRUTH = 'runtime/residual/truth.ts';
const UNMET = 'runtime/residual/filter.ts';
const WIRE = 'runtime/residual/wire.ts';
const WHERE = 'compiler/emit/where.ts';
const SETTLED = 'compiler/ir/settled.ts';

/**
 * Possible mistakes in the planner, each of which a probe must notice. The first sentence of a name describes the
 * mistake.
 */
export const MUTANTS: readonly Mutant[] = [
  // How rules, roles, scopes and policies combine.
  {
    name: 'the DENY of a principal policy is dropped',
    file: PLAN,
    find: 'byPrincipal.deny === undefined ? allowed :',
    replace: 'true ? allowed :',
  },
  {
    name: 'the ALLOW of a principal policy is dropped',
    file: PLAN,
    find: 'either(byPrincipal.allow, byRoles.allow)',
    replace: 'byRoles.allow',
  },
  {
    name: 'the DENY of a resource policy is dropped',
    file: PLAN,
    find: 'else if (condition !== false) layer.deny = either(layer.deny, condition);',
    replace: '',
  },
  {
    name: 'only the first of several ALLOW rules counts',
    file: PLAN,
    find: 'if (entry.effect === ALLOW) layer.allow = either(layer.allow, condition);',
    replace: 'if (entry.effect === ALLOW) layer.allow ??= condition;',
  },
  {
    name: 'the DENY of one role applies to another',
    file: PLAN,
    find: 'const together = granted.find((other) => sameDenial(other.deny, deny));',
    replace: 'const together = granted[0];',
  },
  {
    name: 'a role that is denied unconditionally denies all roles',
    file: PLAN,
    find: 'granted.push({ deny: undefined, allow: false });\n      continue;',
    replace: 'return { allow: false, isMatched, layers };',
  },
  {
    name: 'the restriction of a role policy is dropped',
    file: PLAN,
    find: 'const kept = restriction === undefined ? allow : allOf(allow, not(restriction));',
    replace: 'const kept = allow;',
  },
  {
    name: 'a role policy does not deny actions that it does not list',
    file: PLAN,
    find: 'return either(before, true);',
    replace: 'return before;',
  },
  {
    name: 'the condition of a role policy is inverted',
    file: PLAN,
    find: 'const denied = not(conditions.ofRoleRule(rule, query));',
    replace: 'const denied = conditions.ofRoleRule(rule, query);',
  },
  {
    name: 'the role policies of ancestors are ignored',
    file: PLAN,
    find: '  for (const role of lineage) {\n    const limit = limits.get(role);',
    replace: '  for (const role of lineage.slice(0, 1)) {\n    const limit = limits.get(role);',
  },
  {
    name: 'the rules of ancestor roles are ignored',
    file: PLAN,
    find: 'const lineage = found.lineages?.get(role) ?? [role];',
    replace: 'const lineage = [role];',
  },
  {
    name: 'the gate is missing: a parent scope denies what a child allowed',
    file: PLAN,
    find: 'verdict.deny = either(verdict.deny, gated(verdict.allow, deny));',
    replace: 'verdict.deny = either(verdict.deny, deny);',
  },
  {
    name: 'the gate is inverted',
    file: PLAN,
    find: 'denied : allOf(not(allowed), denied);',
    replace: 'denied : allOf(allowed, denied);',
  },
  {
    name: 'role policies of a parent scope restrict what a child allowed',
    file: PLAN,
    find: 'verdict.restriction = either(verdict.restriction, gated(verdict.allow, restriction));',
    replace: 'verdict.restriction = either(verdict.restriction, restriction);',
  },
  {
    name: 'an ALLOW of a scope that requires consent needs none',
    file: PLAN,
    find: 'if (layer.consents) return;',
    replace: '',
  },
  {
    name: 'scopes are evaluated from the root down',
    file: PLAN,
    find: '  for (let step = found.resource.first; step !== undefined && verdict.allow !== true; step = step.parent) {',
    replace:
      '  const steps = [];\n  for (let step = found.resource.first; step !== undefined; step = step.parent) steps.unshift(step);\n  for (const step of steps) {\n    if (verdict.allow === true) break;',
  },
  {
    name: 'only the requested scope is evaluated',
    file: PLAN,
    find: 'step !== undefined && verdict.allow !== true; step = step.parent',
    replace: 'step !== undefined && verdict.allow !== true; step = undefined',
  },
  { name: 'a rule applies to every role', file: PLAN, find: 'isReached(entry, bits,', replace: 'isReached(entry, -1,' },
  {
    name: 'a rule with a glob applies to every action',
    file: PLAN,
    find: 'if (!isReached(entry,',
    replace: 'if (!isReached({ ...entry, reaches: undefined },',
  },
  {
    name: 'an ALLOW that no filter can express grants',
    file: PLAN,
    find: 'entry.effect !== ALLOW);',
    replace: 'true);',
  },
  {
    name: 'derived roles are listed for the requested scope only',
    file: PLAN,
    find: 'walk.listed[step.index] ?? listDerivedRoles',
    replace: 'walk.listed[0] ?? listDerivedRoles',
  },
  {
    name: 'derived roles are listed by the roles of the request, without ancestors',
    file: PLAN,
    find: 'flatMap((role) => lineages?.get(role) ?? [role])',
    replace: 'flatMap((role) => [role])',
  },
  {
    name: 'the residual of a rule is cached although it depends on the principal',
    file: 'runtime/engine/plan/query.ts',
    find: "watched.isRead ? 'varies' : sharedCondition(left)",
    replace: 'sharedCondition(left)',
  },
  {
    name: 'in strict evaluation reference shapes are kept whatever they select',
    file: 'runtime/engine/plan/planner.ts',
    find: 'sameFilter(filterOf(unguarded, FLAT), exact) ?',
    replace: 'true ?',
  },
  {
    name: 'one allowed action of several is enough',
    file: FILTER,
    find: "if (filters.some(({ kind }) => kind === 'KIND_ALWAYS_DENIED')) return DENIED;",
    replace: '',
  },

  // Strict evaluation.
  {
    name: 'in strict evaluation the failure of an earlier role is ignored',
    file: STRICT,
    find: 'allOf(clear(layers), later)',
    replace: 'later',
  },
  {
    name: 'in strict evaluation a DENY is dropped',
    file: STRICT,
    find: 'allOf(...evaluate, not(denied),',
    replace: 'allOf(...evaluate,',
  },
  {
    name: 'in strict evaluation parts after the end of `any` must not fail',
    file: ALGEBRA,
    find: 'allOf(one.evaluates, anyOf(ends(one.holds), rest))',
    replace: 'allOf(one.evaluates, rest)',
  },

  // Conditions and their polarity.
  {
    name: 'and and or are swapped',
    file: CONDITION,
    find: "return joinedConditions('or', operands);",
    replace: "return joinedConditions('and', operands);",
  },
  {
    name: '`none` becomes a plain not of `any`',
    file: CONDITION,
    find: "return joinedConditions('and', operands.map(not));",
    replace: "return joinedConditions('or', operands.map(not));",
  },
  {
    name: 'absorption is inverted: true ends a conjunction',
    file: CONDITION,
    find: "const absorbing = kind === 'or';",
    replace: 'const absorbing = true;',
  },
  {
    name: 'an inexpressible condition has the same result under a not',
    file: CONDITION,
    find: 'decidedParts(condition.operand, !towards)',
    replace: 'decidedParts(condition.operand, towards)',
  },
  {
    name: 'a part of a disjunction is assumed to hold in the others',
    file: SIMPLIFY,
    find: "outcomeBeside(condition, at.operands[i] as Condition, at.kind === 'and')",
    replace: 'outcomeBeside(condition, at.operands[i] as Condition, true)',
  },
  {
    name: 'a fact about a negation is inverted',
    file: SIMPLIFY,
    find: 'outcomeBeside(condition, other.operand, !holds)',
    replace: 'outcomeBeside(condition, other.operand, holds)',
  },
  {
    name: 'the polarity of a leaf is lost',
    file: TRUTH,
    find: 'const positive = polarity ? cleaned : complement(cleaned);',
    replace: 'const positive = cleaned;',
  },
  {
    name: 'a failure next to an unknown is true where it must be false',
    file: TRUTH,
    find: "return typeof known === 'boolean' ? known : !polarity;",
    replace: "return typeof known === 'boolean' ? known : polarity;",
  },
  {
    name: 'under a not a failure keeps its polarity',
    file: TRUTH,
    find: 'const operand = cleanse(first, !polarity);',
    replace: 'const operand = cleanse(first, polarity);',
  },
  {
    name: 'a condition inside an expression loses its not',
    file: TRUTH,
    find: 'return truth(first, !polarity);',
    replace: 'return truth(first, polarity);',
  },
  {
    name: 'a macro is decided when a part of its body is false, whatever the macro',
    file: TRUTH,
    find: "if (inner === false && node.operator === 'exists' && polarity) return false;",
    replace: "if (inner === false || (node.operator === 'exists' && polarity)) return false;",
  },
  {
    name: 'a macro is decided when a part of its body is true, whatever the macro',
    file: TRUTH,
    find: "if (inner === true && node.operator === 'all' && !polarity) return true;",
    replace: "if (inner === true || (node.operator === 'all' && !polarity)) return true;",
  },
  {
    name: 'a map that is indexed by an attribute has only its first entry',
    file: TRUTH,
    find: 'const decided = entries.reduceRight<Term>(',
    replace: 'const decided = entries.slice(0, 1).reduceRight<Term>(',
  },

  // Terms.
  {
    name: 'has() is true for an unknown attribute',
    file: SELECTION,
    find: "return isUnplannable(selected) ? selected : kept('has', [selected]);",
    replace: 'return isUnplannable(selected) ? selected : true;',
  },
  {
    name: 'a missing attribute counts as known',
    file: ROW,
    find: 'Object.hasOwn(listed, name) ? listed[name] :',
    replace: 'true ? listed[name] :',
  },
  {
    name: 'less than is written as at most',
    file: OPERATORS,
    find: "ordered('lt', cel.lessThan, a, b)",
    replace: "ordered('le', cel.lessThan, a, b)",
  },
  {
    name: 'greater than is written as less than',
    file: OPERATORS,
    find: "ordered('gt', cel.greaterThan, a, b)",
    replace: "ordered('lt', cel.greaterThan, a, b)",
  },
  {
    name: 'not equal is written as equal',
    file: OPERATORS,
    find: "call('ne', cel.notEquals, a, b)",
    replace: "call('eq', cel.notEquals, a, b)",
  },
  {
    name: 'elapsed time is compared without inverting the comparison',
    file: OPERATORS,
    find: "lt: { mirrored: 'gt', function: cel.greaterThan }",
    replace: "lt: { mirrored: 'lt', function: cel.lessThan }",
  },
  {
    name: 'an inactive derived role is in the list',
    file: OPERATORS,
    find: 'or(and(activeTerm(condition), passes(name)), rest)',
    replace: 'or(passes(name), rest)',
  },
  {
    name: 'derived roles that may be active count as inactive',
    file: LIBRARY,
    find: 'condition !== false',
    replace: 'condition === true',
  },
  {
    name: 'a known false operand decides an or',
    file: LOGIC,
    find: "return joined('or', a, b, true);",
    replace: "return joined('or', a, b, false);",
  },
  {
    name: 'the branches of a ternary are swapped',
    file: LOGIC,
    find: "kept('if', [tested(condition), whenTrue, whenFalse]",
    replace: "kept('if', [tested(condition), whenFalse, whenTrue]",
  },
  {
    name: 'a known false next to an attribute leaves the attribute itself, even where its value is used',
    file: LOGIC,
    find: "if (!(term instanceof Unknown) || term.sort === 'bool' || isUnplannable(term)) return term;",
    replace: 'return term;',
  },
  {
    name: 'a double negation is its operand, even where its value is used',
    file: OPERAND,
    find: "inner !== undefined && (asked === 'truth' || isBoolean(inner))",
    replace: 'inner !== undefined',
  },
  {
    name: 'no element is in an empty list, whether or not the element can be read',
    file: OPERATORS,
    find: "if (readable !== undefined) return conditional(readable, false, cel.select({}, 'element'));",
    replace: 'if (readable !== undefined) return false;',
  },
  {
    name: 'the branches of a compared ternary are swapped',
    file: OPERATORS,
    find: 'conditional(parts[0], branches(parts[1], of), branches(parts[2], of))',
    replace: 'conditional(parts[0], branches(parts[2], of), branches(parts[1], of))',
  },
  {
    name: 'a field of a map literal ignores the other entries, which may fail',
    file: SELECTION,
    find: 'if (entry !== undefined) return whereEvaluated(node.entries, entry[1], entry);',
    replace: 'if (entry !== undefined) return entry[1];',
  },
  {
    name: 'a duration is written to the second',
    file: 'packages/cel/runtime/duration.ts',
    find: "${magnitude / SECOND}${fraction === '' ? '' : '.'}${fraction}s",
    replace: '${magnitude / SECOND}s',
  },
  {
    name: 'exists over known elements requires all of them',
    file: MACROS,
    find: "const join = quantifier === 'exists' ? or : and;",
    replace: 'const join = and;',
  },
  {
    name: 'all over the derived roles loses a not',
    file: MACROS,
    find: 'complement(anyRole(range, (name) => complement(body(name))))',
    replace: 'anyRole(range, (name) => complement(body(name)))',
  },
  {
    name: 'arithmetic of an attribute and an int is left to the database',
    file: CALL,
    find: 'if (hasNoOverload(operator, operands)) return cel.add(1, 1n);',
    replace: '',
  },
  {
    name: 'a missing optional attribute has a value',
    file: CALL,
    find: 'return conditional(node.present, node.value, other);',
    replace: 'return node.value;',
  },

  // The filter.
  {
    name: 'a guard is lost: a DENY on a missing attribute applies',
    file: UNMET,
    find: ', ...parts.filter(isAttribute).map(absent)]',
    replace: ']',
  },
  {
    name: "operands that fail other than by absence use CEL's not",
    file: UNMET,
    find: "return expression('unless', outcome ? operand : complement(operand, 'flat'));",
    replace: 'return plain(operand, outcome);',
  },
  {
    name: 'the not of and is and',
    file: UNMET,
    find: "return joined((operator === 'and') === outcome ? 'or' : 'and', parts, 'flat');",
    replace: "return joined(operator, parts, 'flat');",
  },
  {
    name: 'a not before a conjunction negates only its parts',
    file: FILTER,
    find: "condition.kind === 'and' ? 'or' : 'and'",
    replace: 'condition.kind',
  },
  {
    name: 'a list of one element becomes an equality with the wrong element',
    file: WIRE,
    find: 'writeConstant(values[0] as cel.Value)',
    replace: "writeConstant('')",
  },
  {
    name: 'the negation of a number is the number',
    file: WIRE,
    find: "expression('sub', { value: 0 }, writeTerm(first, shapes))",
    replace: 'writeTerm(first, shapes)',
  },

  // What the compiler emits.
  {
    name: 'all is emitted as any',
    file: WHERE,
    find: 'algebraCall(`${part.kind}Of`,',
    replace: "algebraCall(`${part.kind === 'all' ? 'any' : part.kind}Of`,",
  },
  {
    name: 'a not is omitted',
    file: WHERE,
    find: 'return operatorDoc(value, context);',
    replace:
      "return value.operator === 'not' ? termDoc(value.operands[0] as Value, context) : operatorDoc(value, context);",
  },
  {
    name: 'the id of a resource counts as known',
    file: SETTLED,
    find: "name === 'kind' || name === 'scope'",
    replace: "name === 'kind' || name === 'scope' || name === 'id'",
  },
  {
    name: 'has() is emitted as the attribute',
    file: WHERE,
    find: "residualCall('has', [",
    replace: "residualCall('select', [",
  },
];
