import { getConformanceSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import type { Expr } from '../../../packages/cel/ast/expr.js';
import { children } from '../../../packages/cel/ast/visit.js';
import { parseCel } from '../../../packages/cel/parse/index.js';
import { literalText, typeText } from './literal-text.js';

/** A conformance test in the form that a policy can evaluate. */
export interface SpecTest {
  /** `section/group/name`, with the number of the test where a name occurs twice. */
  readonly id: string;
  readonly section: string;
  /** As recorded. */
  readonly text: string;
  /** With the names of its bindings turned into variables. */
  readonly expr: string;
  /** Variables by name, as CEL source. */
  readonly variables: { readonly [name: string]: string };
  /** Recorded without the type checker, so it may not type-check. */
  readonly unchecked: boolean;
  /** The expected value. */
  readonly expected:
    | { readonly kind: 'value'; readonly text: string; readonly type: string }
    | { readonly kind: 'failure' }
    | { readonly kind: 'type'; readonly type: string };
}

/** The tests of a section, and the reasons that others cannot run. */
export interface Section {
  readonly name: string;
  readonly tests: readonly SpecTest[];
  readonly leftOut: ReadonlyMap<string, number>;
}

/** The conformance suite of cel-spec by section (docs/spec/conditions.md#conformance). */
export function specSections(): readonly Section[] {
  return getConformanceSuite().suites.map((section) => {
    const tests: SpecTest[] = [];
    const leftOut = new Map<string, number>();
    const ids = new Set<string>();
    for (const group of section.suites) {
      for (const [index, recorded] of group.tests.entries()) {
        const made = specTest(section.name, recorded);
        if (typeof made === 'string') leftOut.set(made, (leftOut.get(made) ?? 0) + 1);
        else {
          const plain = `${section.name}/${group.name}/${recorded.original.name}`.replace(/[:\s]+/g, '_');
          const id = ids.has(plain) ? `${plain}#${index}` : plain;
          ids.add(id);
          tests.push({ ...made, id });
        }
      }
    }
    return { name: section.name, tests, leftOut };
  });
}

type Recorded = ReturnType<typeof getConformanceSuite>['suites'][number]['suites'][number]['tests'][number];

function specTest(section: string, { original, type }: Recorded): Omit<SpecTest, 'id'> | string {
  const { expr: text, container, bindings, typeEnv, resultMatcher } = original;
  if (container !== '') return 'a container';
  if (
    /TestAll|TestRequired|Nested(Test|Enum)|GlobalEnum|proto2|proto3|proto\.(get|has)Ext|google\.protobuf\.(Any|Value|Struct|ListValue|[A-Z]\w*Value)\b/.test(
      text,
    )
  )
    return 'messages';
  if (/\bcel\.(block|iterVar|index)\b/.test(text)) return 'cel.block';
  if (original.disableMacros) return 'macros disabled';
  const variables: Record<string, string> = {};
  for (const [name, bound] of Object.entries(bindings)) {
    const literal = bound.kind.case === 'value' ? literalText(bound.kind.value) : undefined;
    if (!/^[a-z_]\w*$/i.test(name) || ['true', 'false', 'null'].includes(name) || literal === undefined)
      return 'a binding that is not a variable';
    variables[name] = literal;
  }
  const declared = typeEnv.some(({ name }) => !Object.hasOwn(variables, name));
  if (declared) return 'declarations';
  const expr = Object.keys(variables).length === 0 ? text : withVariables(text, variables);
  const common = { section, text, expr, variables, unchecked: original.disableCheck };
  switch (resultMatcher.case) {
    case undefined:
      return { ...common, expected: { kind: 'value', text: 'true', type: 'bool' } };
    case 'evalError':
      return { ...common, expected: { kind: 'failure' } };
    case 'typedResult':
      if (!original.checkOnly || type === undefined) return 'a type only';
      return { ...common, expected: { kind: 'type', type } };
    case 'value': {
      const literal = literalText(resultMatcher.value);
      const typeName = typeText(resultMatcher.value);
      if (literal === undefined || typeName === undefined) return 'a message as result';
      return { ...common, expected: { kind: 'value', text: literal, type: typeName } };
    }
    default:
      return `a result matcher ${resultMatcher.case}`;
  }
}

/** The source with its free names that are variables written as `V.name`. */
function withVariables(text: string, variables: SpecTest['variables']): string {
  const { ast } = parseCel(text);
  if (ast === undefined) return text;
  const starts = freeNames(ast, new Set(Object.keys(variables))).sort((a, b) => b - a);
  return starts.reduce((result, start) => `${result.slice(0, start)}V.${result.slice(start)}`, text);
}

function freeNames(expr: Expr, names: ReadonlySet<string>): number[] {
  if (expr.kind === 'ident') return names.has(expr.name) ? [expr.start] : [];
  if (expr.kind !== 'macro') return children(expr).flatMap((part) => freeNames(part, names));
  const inner = new Set([...names].filter((name) => !expr.variables.includes(name)));
  return [
    ...[expr.range, ...expr.args].flatMap((part) => (part ? freeNames(part, names) : [])),
    ...[expr.predicate, expr.body].flatMap((part) => (part ? freeNames(part, inner) : [])),
  ];
}
