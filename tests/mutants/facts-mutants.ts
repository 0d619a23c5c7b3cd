/** Mistakes in what decides while facts are unknown, in projections and in how facts are fetched. */

/** The suites that may notice a mistake. */
export type FactsSuite =
  | 'tests/facts/partial.test.ts'
  | 'tests/facts/partial-cases.test.ts'
  | 'tests/facts/missing-facts.test.ts'
  | 'tests/facts/engine.test.ts'
  | 'tests/facts/sources.test.ts'
  | 'tests/facts/faults.test.ts'
  | 'tests/facts/random-faults.test.ts'
  | 'tests/facts/forwarded.test.ts'
  | 'tests/facts/keys.test.ts'
  | 'tests/facts/least-facts.test.ts'
  | 'tests/facts/reduced-entries.test.ts'
  | 'tests/analysis/read-sets.test.ts'
  | 'tests/facts/read-set-cases.test.ts'
  | 'runtime/facts/project.test.ts';

export interface FactsMutant {
  readonly name: string;
  readonly file: string;
  /** Must occur exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** Where mistakes in a file are noticed, the most likely suite first. */
export const SUITES: readonly (readonly [file: RegExp, suites: readonly FactsSuite[]])[] = [
  [
    /^packages\/analysis\/partial\/|outcomes\.ts$/,
    ['tests/facts/partial-cases.test.ts', 'tests/facts/partial.test.ts', 'tests/facts/engine.test.ts'],
  ],
  [
    /^packages\/analysis\/facts\/|project\.ts$|key\.ts$/,
    [
      'tests/facts/read-set-cases.test.ts',
      'runtime/facts/project.test.ts',
      'tests/facts/keys.test.ts',
      'tests/analysis/read-sets.test.ts',
      'tests/facts/reduced-entries.test.ts',
    ],
  ],
  [/^packages\/analysis\/replay\//, ['tests/facts/least-facts.test.ts', 'tests/facts/reduced-entries.test.ts']],
  [
    /^runtime\/facts\//,
    [
      'tests/facts/missing-facts.test.ts',
      'tests/facts/engine.test.ts',
      'tests/facts/sources.test.ts',
      'tests/facts/random-faults.test.ts',
      'tests/facts/faults.test.ts',
      'tests/facts/forwarded.test.ts',
    ],
  ],
];

const ANALYSIS = 'packages/analysis/';
const [EVALUATE, MACROS, UNKNOWN, CONTEXT, FORMULA, DECISIONS] = [
  'evaluate',
  'macros',
  'unknown',
  'context',
  'formula',
  'partial-decisions',
].map((name) => `${ANALYSIS}partial/${name}.ts`) as [string, string, string, string, string, string];
const [PATHS, READ_SET, OF_POINT, SCHEMAS] = ['paths', 'read-set', 'of-point', 'schema-reads'].map(
  (name) => `${ANALYSIS}facts/${name}.ts`,
) as [string, string, string, string];
const [OUTCOMES, PROJECT, KEY, LOOP, ASK, ACCEPT, LOADER, CACHE, SOURCE, SENT, NARROW] = [
  'outcomes',
  'project',
  'key',
  'loop',
  'ask',
  'accept',
  'loader',
  'cache',
  'source',
  'sent',
  'narrow-answer',
].map((name) => `runtime/facts/${name}.ts`) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];

export const FACTS_MUTANTS: readonly FactsMutant[] = [
  // The evaluator.
  {
    name: '`has` of an unknown fact is false',
    file: EVALUATE,
    find: '  has: TRUE | FALSE,\n',
    replace: '  has: FALSE,\n',
  },
  {
    name: 'an unknown entry cannot fail',
    file: EVALUATE,
    find: '  select: TRUE | FALSE | FAILS | OTHER,',
    replace: '  select: TRUE | FALSE | OTHER,',
  },
  {
    name: 'an unknown entry is no boolean',
    file: EVALUATE,
    find: '  select: TRUE | FALSE | FAILS | OTHER,',
    replace: '  select: FAILS | OTHER,',
  },
  {
    name: 'a dynamic index with a known key is read as missing',
    file: EVALUATE,
    find: "return typeof index === 'string' && operand.unknown.has(index)\n      ? new Unknown(outcomes, operand.factOf(index))\n      : read(operand.known, index);",
    replace: 'return read(operand.known, index);',
  },
  {
    name: 'an unknown key of `in` is not there',
    file: EVALUATE,
    find: 'return new Unknown(TRUE | FALSE, map.factOf(key));',
    replace: 'return false;',
  },
  {
    name: 'a comparison with an unknown operand cannot fail',
    file: EVALUATE,
    find: 'COMPARISONS.has(operator) ? TRUE | FALSE | FAILS : FAILS | OTHER',
    replace: 'COMPARISONS.has(operator) ? TRUE | FALSE : FAILS | OTHER',
  },
  {
    name: 'arithmetic with an unknown operand cannot fail',
    file: EVALUATE,
    find: 'COMPARISONS.has(operator) ? TRUE | FALSE | FAILS : FAILS | OTHER',
    replace: 'COMPARISONS.has(operator) ? TRUE | FALSE | FAILS : OTHER',
  },
  {
    name: 'a disjunction ends at false',
    file: EVALUATE,
    find: 'at < count && result !== decisive; at += 1)',
    replace: 'at < count && result === decisive; at += 1)',
  },
  {
    name: 'an unknown test takes the first branch',
    file: EVALUATE,
    find: 'if (isUnknown(test)) return choice(test, whole(evaluate(1)), whole(evaluate(2)));',
    replace: 'if (isUnknown(test)) return evaluate(1);',
  },
  {
    name: '`orValue` of an unknown optional is known',
    file: EVALUATE,
    find: 'CHOOSING.has(runtime) ? !isUnknown(args[0])',
    replace: 'CHOOSING.has(runtime) ? !isUnknown(args[1])',
  },
  {
    name: 'a listed derived role that is unknown is not listed',
    file: CONTEXT,
    find: 'return facts === undefined ? active.includes(name) : new Unknown(TRUE | FALSE, facts);',
    replace: 'return active.includes(name);',
  },
  {
    name: 'a variable that is set is never unknown',
    file: EVALUATE,
    find: 'return (result.outcomes & FAILS) === 0 || new Unknown(TRUE | FALSE, result.facts);',
    replace: 'return true;',
  },
  {
    name: 'a stored optional is no boolean',
    file: CONTEXT,
    find: 'return new Unknown(result.outcomes | TRUE | FALSE, result.facts);',
    replace: 'return result;',
  },
  {
    name: 'bodies of a fold that are unknown are left out',
    file: MACROS,
    find: 'return unknown.reduce<WholeResult>((a, b) => bothOrEither(a, b, !isAll), result);',
    replace: 'return result;',
  },
  {
    name: 'a fold over an unknown body is the other one',
    file: MACROS,
    find: 'bothOrEither(a, b, !isAll)',
    replace: 'bothOrEither(a, b, isAll)',
  },
  {
    name: 'a macro over an unknown range cannot fail',
    file: MACROS,
    find: 'new Unknown(TRUE | FALSE | FAILS, union(facts))',
    replace: 'new Unknown(TRUE | FALSE, union(facts))',
  },
  {
    name: 'what is unknown loses its facts',
    file: UNKNOWN,
    find: 'return new Unknown(OTHER, new Set([...this.unknown].map((name) => factName(this.root, name))));',
    replace: 'return new Unknown(OTHER, new Set());',
  },
  {
    name: 'a condition that may hold does not hold',
    file: FORMULA,
    find: 'return (result.outcomes & TRUE) !== 0 && result.facts;',
    replace: 'return false;',
  },
  {
    name: 'a conjunction with an unknown part is false',
    file: FORMULA,
    find: 'return open.length === 0 || union(open);',
    replace: 'return open.length === 0;',
  },
  {
    name: 'a disjunction with an unknown part is false',
    file: FORMULA,
    find: 'return open.length > 0 && union(open);',
    replace: 'return false;',
  },
  {
    name: 'the opposite of an unknown answer is true',
    file: FORMULA,
    find: "return typeof answer === 'boolean' ? !answer : answer;",
    replace: "return typeof answer === 'boolean' ? !answer : true;",
  },
  {
    name: 'the policies of a principal are forgotten',
    file: DECISIONS,
    find: 'const own = this.principals.has(principal.id)',
    replace: 'const own = !this.principals.has(principal.id)',
  },
  {
    name: 'the first role alone is asked for',
    file: DECISIONS,
    find: 'or(...roles.map((role) => decisions.ofRole(role, action)))',
    replace: "or(decisions.ofRole(roles[0] ?? '', action))",
  },
  // Outcomes.
  {
    name: 'a failure and an unknown decide a disjunction',
    file: OUTCOMES,
    find: 'return swapped(bothOutcomes(swapped(a), swapped(b)));',
    replace: 'return bothOutcomes(a, b);',
  },
  {
    name: 'a conjunction of two unknown values cannot fail',
    file: OUTCOMES,
    find: '| (mayFail(a, b) ? FAILS : 0);',
    replace: ';',
  },
  {
    name: 'a value that is no boolean has an opposite',
    file: OUTCOMES,
    find: '| ((a & (FAILS | OTHER)) !== 0 ? FAILS : 0);\n}\n\n/** The outcomes of `test',
    replace: ';\n}\n\n/** The outcomes of `test',
  },
  {
    name: 'a test that may be false has only the first branch',
    file: OUTCOMES,
    find: '((test & FALSE) !== 0 ? otherwise : 0)',
    replace: '0',
  },
  // Read sets.
  {
    name: 'a computed name is not read',
    file: PATHS,
    find: "    this.use(index, locals);\n    return below(references, '*');",
    replace: "    return below(references, '*');",
  },
  {
    name: 'a computed entry is not read',
    file: PATHS,
    find: "    this.use(index, locals);\n    return below(references, '*');",
    replace: '    this.use(index, locals);\n    return [];',
  },
  {
    name: 'the test of a conditional is not read',
    file: PATHS,
    find: 'if (condition !== undefined) this.use(condition, locals);',
    replace: '',
  },
  {
    name: 'the bodies of macros read nothing',
    file: PATHS,
    find: 'for (const part of [predicate, body]) if (part !== undefined) this.use(part, inner);',
    replace: '',
  },
  {
    name: '`size` reads nothing',
    file: PATHS,
    find: "for (const arg of args) for (const { path, line } of this.read(arg, locals)) this.into.add(path, 'shape', line);",
    replace: '',
  },
  {
    name: 'what a filter returns is not read',
    file: PATHS,
    find: "if (runtime === 'filter') return references;",
    replace: "if (runtime === 'filter') return [];",
  },
  {
    name: 'the time is not read',
    file: PATHS,
    find: 'if (!pure) this.into.addNow();',
    replace: '',
  },
  {
    name: 'derived roles that are listed read nothing',
    file: READ_SET,
    find: 'for (const { isActive } of formula.derivedRoles ?? []) this.addFormula(isActive);',
    replace: '',
  },
  {
    name: 'a side that is tested is not counted',
    file: READ_SET,
    find: "if (leaf === 'has' && (path.length === 2 ||",
    replace: "if (leaf === 'has' && (path.length === 9 ||",
  },
  {
    name: 'the id that chooses policies is not read',
    file: OF_POINT,
    find: "if (this.hasPrincipalRules(point.kind)) builder.add(['principal', 'id'], 'value');",
    replace: '',
  },
  {
    name: 'schemas that reject read nothing',
    file: OF_POINT,
    find: 'for (const schema of decisions.schemasFor(action)) addSchema(schema, builder);',
    replace: '',
  },
  {
    name: 'a schema without further properties does not read the names',
    file: SCHEMAS,
    find: "else if (keyword === 'additionalProperties' && isFalse(schema)) this.shape();",
    replace: "else if (keyword === 'additionalProperties' && isFalse(schema)) continue;",
  },
  {
    name: 'the properties of a schema are not read',
    file: SCHEMAS,
    find: "this.into.add([...this.side, name], 'value');\n  }\n\n  private members",
    replace: "this.into.add([...this.side, name], 'has');\n  }\n\n  private members",
  },
  // Projections.
  {
    name: 'a list becomes empty where its elements are read',
    file: PROJECT,
    find: 'return isOpen(nodes) ? value.map((element) => keep(element, elements)) : [];',
    replace: 'return elements.length > 0 && isOpen(nodes) ? value.map((element) => keep(element, elements)) : [];',
  },
  {
    name: 'scalars are dropped where a map is expected',
    file: PROJECT,
    find: "if (typeof value !== 'object' || value === null || nodes.some((node) => node.value)) return value;",
    replace:
      "if (typeof value !== 'object' || value === null) return nodes.some((node) => node.value) ? value : {};\n  if (nodes.some((node) => node.value)) return value;",
  },
  {
    name: 'keys come in the order of their names',
    file: PROJECT,
    find: 'for (const name of Object.keys(map))\n',
    replace: 'for (const name of Object.keys(map).sort())\n',
  },
  {
    name: 'keys do not tell `-0` from 0',
    file: KEY,
    find: "${Object.is(value, -0) ? '-0' : value}",
    replace: '${value}',
  },
  {
    name: 'keys have no lengths of strings',
    file: KEY,
    find: 'this.parts.push(`s${value.length}:`, value);',
    replace: 'this.parts.push(value);',
  },
  // The loop and its sources.
  {
    name: 'a key that was not found is no key',
    file: ASK,
    find: 'if (attribute === undefined || this.unknown.has(attribute)) return false;\n    return',
    replace:
      "if (attribute === undefined) return false;\n    if (this.failed.get(attribute) === 'not found') return true;\n    return",
  },
  {
    name: 'a source for another scope says that there is no fact',
    file: ASK,
    find: "this.loaders.includes(loader) && loader.source.notFound === 'absent'",
    replace: "loader.source.notFound === 'absent'",
  },
  {
    name: 'what other scopes have is missing here',
    file: ASK,
    find: "        this.choose(loader, attribute, sent);\n        if (this.unknown.has(attribute)) this.failed.set(attribute, 'not found');",
    replace: '',
  },
  {
    name: 'a row that is not found is no fact',
    file: ASK,
    find: "if (found === 'no row' && notFound === 'unknown') this.failed.set(attribute, 'not found');",
    replace: "if (found === 'no row' && notFound === 'never') this.failed.set(attribute, 'not found');",
  },
  {
    name: 'a fact that failed is missing',
    file: ASK,
    find: "else if (typeof found === 'string' && found !== 'no row') this.failed.set(attribute, found);",
    replace: "else if (typeof found === 'string' && found !== 'no row') this.unknown.delete(attribute);",
  },
  {
    name: 'facts that were found by an old key stay',
    file: ASK,
    find: 'if (old.size > 0) this.forgetWithoutKey();',
    replace: '',
  },
  {
    name: 'a caller chooses a fact that its source replaces',
    file: ASK,
    find: 'delete this.attr[attribute];\n    if (loader.isRead(attribute)) this.unknown',
    replace: 'if (!isSent && loader.isRead(attribute)) this.unknown',
  },
  {
    name: 'only the principal is asked about, and none of its actors',
    file: LOOP,
    find: 'for (const [index, { subject }] of ask.principals.entries()) {\n    const answer',
    replace: 'for (const [index, { subject }] of ask.principals.slice(0, 1).entries()) {\n    const answer',
  },
  {
    name: 'schemas do not wait for what they mention',
    file: LOOP,
    find: 'if (!sides.principal && !sides.resource) return true;',
    replace: 'return true;',
  },
  {
    name: 'a fact that is not among the needs decides',
    file: LOOP,
    find: "typeof next === 'string')\n      unknown.push(",
    replace: "typeof next === 'string')\n      subject.unknown.delete(attribute), unknown.push(",
  },
  {
    name: 'outputs do not wait for what they read',
    file: LOOP,
    find: 'if (wanted.length > 0) return distinct(wanted);',
    replace: '',
  },
  {
    name: 'the first of two rows is taken',
    file: ACCEPT,
    find: "if (rows.length > 1) return [key, 'ambiguous'];",
    replace: '',
  },
  {
    name: 'another spelling of a key is no row',
    file: ACCEPT,
    find: "source.notFound === 'absent' && !found.has(key) && isSpeltOtherwise(key) ? 'ambiguous' : 'no row'",
    replace: "'no row'",
  },
  {
    name: 'a row of another key is taken',
    file: ACCEPT,
    find: "if (source.keyFact === undefined && own !== undefined && keyText(own) !== key) return 'shape';",
    replace: '',
  },
  {
    name: 'a row without attributes has none',
    file: ACCEPT,
    find: "if ([...values.values()].every((value) => value === undefined)) return 'shape';",
    replace: '',
  },
  {
    name: 'values of another type are taken',
    file: ACCEPT,
    find: "return copy === REFUSED || !hasType(copy, type) ? 'type' : { value: copy };",
    replace: "return copy === REFUSED ? 'type' : { value: copy };",
  },
  {
    name: 'values that are not JSON are absent',
    file: ACCEPT,
    find: "return copy === REFUSED || !hasType(copy, type) ? 'type' : { value: copy };",
    replace: "return copy === REFUSED ? absent : !hasType(copy, type) ? 'type' : { value: copy };",
  },
  {
    name: 'NULL is absent',
    file: ACCEPT,
    find: "if (nulls === undefined && type !== 'any') return 'type';",
    replace: "if (nulls === undefined && type !== 'any') return absent;",
  },
  {
    name: 'a time that does not exist is a time',
    file: ACCEPT,
    find: ' && parseTimestamp(value) !== undefined;',
    replace: ';',
  },
  {
    name: 'a getter is read',
    file: ACCEPT,
    find: "return 'value' in property ? property.value : GETTER;",
    replace: 'return (object as { readonly [name: string]: unknown })[name];',
  },
  {
    name: 'a source that fails returns nothing',
    file: LOADER,
    find: "          () => end({ reason: 'failed' }),",
    replace: '          () => end({ rows: new Map() }),',
  },
  {
    name: 'a source that throws returns nothing',
    file: LOADER,
    find: "} catch {\n          end({ reason: 'failed' });",
    replace: '} catch {\n          end({ rows: new Map() });',
  },
  {
    name: 'rows of a transaction are kept for others',
    file: LOADER,
    find: 'const isKept = tx === undefined && at',
    replace: 'const isKept = at',
  },
  {
    name: 'a row that is gone is kept',
    file: LOADER,
    find: "if (isKept && row === 'no row') this.cache?.delete(key, at);",
    replace: '',
  },
  {
    name: 'a stale row is as good as a young one',
    file: CACHE,
    find: 'if (row === undefined || now - row.at >= age) return undefined;',
    replace: 'if (row === undefined) return undefined;',
  },
  {
    name: 'a row is replaced by an older one',
    file: CACHE,
    find: 'if (Math.max(this.rows.get(key)?.at ?? row.at, this.gone.get(key) ?? row.at) > row.at) return;',
    replace: '',
  },
  {
    name: 'without a formula, all sources are asked',
    file: LOOP,
    find: '() => effectFacts(ask, index),',
    replace: '() => undefined,',
  },
  {
    name: 'what is read by a decision without a formula is taken for known',
    file: NARROW,
    find: 'return needed.length > 0 ? new Set(needed) : isAllowed();',
    replace: 'return isAllowed();',
  },
  {
    name: 'a row that was too old is taken again',
    file: ASK,
    find: 'row !== this.renewed.get(loader) &&',
    replace: '',
  },
  {
    name: 'rows that are fetched with credentials may be kept',
    file: SOURCE,
    find: 'if (forwards && (cache.maxAge > 0 || cache.maxStale > 0))',
    replace: 'if (false as boolean)',
  },
  {
    name: 'two sources may provide a fact',
    file: SOURCE,
    find: 'throw new TypeError(`\\`${fact}\\` has two sources: \\`${one.name}\\` and \\`${other.name}\\``);',
    replace: 'continue;',
  },
  {
    name: 'a caller chooses whose facts are read',
    file: SOURCE,
    find: "? { ...source, caller: 'ignore' as const }",
    replace: '? source',
  },
  {
    name: 'what all objects inherit is sent',
    file: SENT,
    find: 'const value = Object.hasOwn(own, name) ? own[name] : undefined;',
    replace: 'const value = own[name];',
  },
  {
    name: 'a loop that meets inherited members is trusted',
    file: SENT,
    find: '(this.isComplete && !isPolluted() && this.hasLayout(own))',
    replace: '(this.isComplete && this.hasLayout(own))',
  },
  {
    name: 'the beginning of a layout is enough',
    file: SENT,
    find: 'return index === layout.length;',
    replace: 'return true;',
  },
];
