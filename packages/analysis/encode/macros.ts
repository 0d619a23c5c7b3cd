import type { Macro, Value } from '../../../compiler/ir/value.js';
import { some } from '../../../compiler/ir/visit.js';
import { abstracted } from './macro-shape.js';
import { encodeMembership } from './membership.js';
import { hasContent, ofContent } from './optionals.js';
import type { Expressions } from './query-record.js';
import { type Scope, withLocals } from './scope.js';
import { and, not, or, stringConstant } from './smt.js';
import { isWritten, readsTime, textsSought } from './value-tests.js';
import { besideJson, constant, type Term, unknown, unlessFailed } from './values.js';

/** Macros whose result is limited, by the function of the prelude that limits it. */
const MACRO_RESULTS: { readonly [runtime: string]: string } = {
  all: 'boolOf',
  all2: 'boolOf',
  exists: 'boolOf',
  exists2: 'boolOf',
  existsOne: 'boolOf',
  existsOne2: 'boolOf',
  filter: 'listOf',
  mapEach: 'listOf',
  mapWhere: 'listOf',
  transformList: 'listOf',
  transformListWhere: 'listOf',
  transformMap: 'mapOf',
  transformMapWhere: 'mapOf',
  transformMapEntry: 'mapOf',
  transformMapEntryWhere: 'mapOf',
  sortBy: 'listOf',
};

/** Macros over what is written down are unrolled; others are functions of all that they read from outside. */
export function encodeMacro(query: Expressions, macro: Macro, scope: Scope): Term {
  const range = query.term(macro.range, scope);
  const [local = ''] = macro.variables;
  if (macro.runtime === 'bind') return query.term(macro.body, withLocals(scope, [[local, range]]));
  if (hasContent(range) && (macro.runtime === 'optMap' || macro.runtime === 'optFlatMap')) {
    const mapped = encodeOptMap(query, macro, range, scope);
    if (mapped !== undefined) return mapped;
  }
  if (range.elements !== undefined && isQuantifier(macro))
    return unknown(unlessFailed([range], encodeUnrolled(query, macro, range.elements, scope)), true);
  const isUnrolled = isQuantifier(macro) && macro.variables.length === 1;
  if (range.candidates !== undefined && isUnrolled && !(range.mayRepeat && macro.runtime === 'existsOne')) {
    const elements = range.candidates.map(({ element }) => element);
    const counts = range.candidates.map(({ isIn }) => isIn);
    return unknown(unlessFailed([range], encodeUnrolled(query, macro, elements, scope, counts)), true);
  }
  const sought = range.isRoles === true && isQuantifier(macro) ? textsSought(macro) : undefined;
  if (sought !== undefined) return encodeOverRoles(query, macro, sought, scope);
  const { shape, outside } = abstracted(macro);
  const args = [
    range,
    ...outside.map((part) => query.term(part, scope)),
    ...(readsTime(macro) ? [unknown('now')] : []),
  ];
  query.uninterpreted.add(`macro ${macro.runtime}`);
  const image = query.script.define(
    'V',
    query.script.uninterpreted(`macro ${shape}`, 'V', args.map(() => 'V').join(' '), ...args.map(({ text }) => text)),
  );
  query.collections.set(range.text, range);
  if (isQuantifier(macro)) query.applied.push({ kind: 'macro', result: image, range, macro, scope });
  const limit = MACRO_RESULTS[macro.runtime];
  const result = unknown(`(ite (isErr ${range.text}) Err ${limit === undefined ? image : `(${limit} ${image})`})`);
  const named = { ...result, text: query.script.define('V', result.text) };
  return encodeSearch(query, macro, range, named, scope) ?? named;
}

/**
 * `exists` and `all` over the roles of the principal: what is sought among them, and one that stands for all others.
 */
function encodeOverRoles(query: Expressions, macro: Macro, sought: readonly string[], scope: Scope): Term {
  const { script } = query;
  const name = JSON.stringify(sought);
  const other = script.uninterpreted(`other role than ${name}`, 'String', '');
  for (const role of sought) {
    script.assert(`(not (= ${other} ${stringConstant(role)}))`);
    query.roleNames.set(role, macro.range.kind === 'field' || query.roleNames.get(role) === true);
  }
  const elements = [...sought.map((role) => constant(role, script) as Term), unknown(`(Str ${other})`, true)];
  const counts = [
    ...sought.map((role) => `(hasRole ${stringConstant(role)})`),
    script.uninterpreted(`has other role than ${name}`, 'Bool', ''),
  ];
  return unknown(encodeUnrolled(query, macro, elements, scope, counts), true);
}

/**
 * `list.exists(x, x == e)` and `list.all(x, x != e)`, which ask as `e in list` does; undefined for other macros.
 * @param otherwise where e fails: that does not matter for an empty list.
 */
function encodeSearch(
  query: Expressions,
  { runtime, variables, range: source, body }: Macro,
  range: Term,
  otherwise: Term,
  scope: Scope,
): Term | undefined {
  const operator = { exists: 'equals', all: 'notEquals' }[runtime];
  const [local = ''] = variables;
  if (body.kind !== 'operator' || body.operator !== operator || !range.isJson) return undefined;
  const isLocal = (part: Value): boolean => part.kind === 'local' && part.name === local;
  const sought = body.operands.find((operand) => !some(operand, isLocal));
  if (sought === undefined || !body.operands.some(isLocal)) return undefined;
  const element = besideJson(query.term(sought, scope), query.script);
  if (!element.isJson) return undefined;
  const { text } = encodeMembership(query, element, range, isWritten(sought) && source.kind === 'field');
  const isExists = runtime === 'exists';
  const found = isExists ? text : `(ite (isErr ${text}) Err (Bool (isFalse ${text})))`;
  // Without an element to compare with, nothing is found.
  const failed = `(ite (${isExists ? 'isTrue' : 'isFalse'} ${otherwise.text}) Err ${otherwise.text})`;
  return unknown(`(ite (isErr ${element.text}) ${failed} ${found})`, true);
}

/** Undefined where what `optFlatMap` gives is not known to be an optional. */
function encodeOptMap(
  query: Expressions,
  { runtime, variables: [local = ''], body }: Macro,
  range: Term & { readonly content: Term },
  scope: Scope,
): Term | undefined {
  const result = query.term(body, withLocals(scope, [[local, range.content]]));
  const content = runtime === 'optMap' ? result : result.content;
  if (content === undefined) return undefined;
  return ofContent(
    range,
    () => content,
    () => result.text,
    query.script,
  );
}

/** `exists`, `all` and `exists_one` over elements; each counts where its condition is true. */
export function encodeUnrolled(
  query: Expressions,
  macro: Macro,
  elements: readonly Term[],
  scope: Scope,
  counts?: readonly string[],
): string {
  const items = elements.map((element, at) => {
    const position = constant(BigInt(at), query.script) as Term;
    const values = macro.variables.length === 2 ? [position, element] : [element];
    const inner = withLocals(
      scope,
      macro.variables.map((name, index) => [name, values[index] as Term] as const),
    );
    const [yes, no] = [true, false].map((polarity) => query.truth(macro.body, inner, polarity)) as [string, string];
    return { yes, no, is: counts?.[at] ?? 'true' };
  });
  const some_ = (of: 'yes' | 'no'): string => or(...items.map((item) => and(item.is, item[of])));
  const every = (of: 'yes' | 'no'): string => and(...items.map((item) => or(not(item.is), item[of])));
  if (macro.runtime.startsWith('existsOne')) {
    const decided = items.map((item) => or(not(item.is), item.yes, item.no));
    const exactlyOne = items.map((item, at) =>
      and(
        item.is,
        item.yes,
        ...items.flatMap((other, otherAt) => (otherAt === at ? [] : [not(and(other.is, other.yes))])),
      ),
    );
    return `(ite ${and(...decided)} (Bool ${or(...exactlyOne)}) Err)`;
  }
  return macro.runtime.startsWith('exists')
    ? `(truth ${some_('yes')} ${every('no')})`
    : `(truth ${every('yes')} ${some_('no')})`;
}

function isQuantifier({ runtime }: Macro): boolean {
  return MACRO_RESULTS[runtime] === 'boolOf';
}
