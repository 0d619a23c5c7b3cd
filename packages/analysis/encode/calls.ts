import { functions } from '../../cel/library/functions.js';
import type { CelType } from '../../cel/library/types.js';
import { addressesIn, IPV4_ADDRESSES, isInRange, isMapped } from './networks.js';
import { encodeMembership } from './membership.js';
import { matchingTexts } from './regular-expressions.js';
import { optional, orOther } from './optionals.js';
import type { QueryRecord } from './query-record.js';
import type { Script } from './script.js';
import { encodeSetCall, equivalence, normalArguments } from './set-functions.js';
import { apply } from './smt.js';
import { FAILURE, ofKind, type Term, type TermKind, unknown } from './values.js';

/** A function of packages/cel/runtime in a query: the image of its result. Undefined where it is not interpreted. */
type Encoding = (args: readonly Term[], script: Script) => Term | undefined;

/** The functions of a call that a query interprets, by the name of the runtime. All others are uninterpreted. */
const ENCODINGS: { readonly [runtime: string]: Encoding } = {
  contains: defined('contains'),
  startsWith: defined('startsWith'),
  endsWith: defined('endsWith'),
  size: defined('size', 'integer'),
  identity: ([value]) => value,
  dynOf: ([value]) => value,
  now: () => ofKind('time', 'now'),
  timeSince: defined('timeSince'),
  toTimestamp: defined('toTimestamp', 'time'),
  toDuration: defined('toDuration', 'duration'),
  matches: ([text, pattern], script) => {
    const language = typeof pattern?.value === 'string' ? matchingTexts(pattern.value) : undefined;
    return language === undefined || text === undefined
      ? undefined
      : ofString(text, (string) => `(Bool (str.in_re ${string} ${language}))`, script);
  },
  inIPAddrRange: ([text, range], script) => {
    if (text === undefined || typeof range?.value !== 'string') return undefined;
    const bits = `(ipBits (str ${text.text}))`;
    const isIn = isInRange(range.value, bits);
    if (isIn === undefined) return undefined;
    // Texts of IPv4 addresses are known; of others only that each is one address, or none.
    const isPlain = `(str.in_re (str ${text.text}) ${IPV4_ADDRESSES})`;
    const language = addressesIn(range.value);
    const isMatch = language === undefined ? 'false' : `(str.in_re (str ${text.text}) ${language})`;
    script.assert(`(=> ${isPlain} (and ${isMapped(bits)} (= ${isIn} ${isMatch})))`);
    return ofString(text, () => `(ite (< ${bits} 0) Err (Bool ${isIn}))`, script);
  },
  optionalOf: ([value], script) => value && optional(value, value, script),
  optionalNone: (_, script) => optional(FAILURE, { text: 'Null', isJson: true }, script),
  optionalOr: (args, script) => orOther(args, script),
  optionalHasValue: ([of], script) => applyToContent(of, (content) => `(Bool (not (isErr ${content})))`, script),
  optionalValue: ([of], script) => applyToContent(of, (content) => content, script),
  optionalOrValue: ([of, other], script) =>
    applyToContent(of, (content) => `(ite (isErr ${content}) ${other?.text} ${content})`, script, other),
};

/** Functions that may give a value where an argument fails. */
const TOLERANT: ReadonlySet<string> = new Set(['optionalOr', 'optionalOrValue', 'messageOf', 'stored']);

/** What the functions of the table give, where all their overloads agree. */
const RESULTS: ReadonlyMap<string, string> = resultsOfTable();

/** A call of a function. */
export function encodeCall(query: QueryRecord, runtime: string, name: string, args: readonly Term[]): Term {
  const known = interpretedCall(runtime, args, query.script);
  const [first] = args;
  if (known !== undefined) {
    if (runtime === 'toTimestamp' && first !== undefined) query.parsed.timestamps.add(first.text);
    if (runtime === 'toDuration' && first !== undefined) query.parsed.durations.add(first.text);
    if (runtime === 'size' && first !== undefined) query.collections.set(first.text, first);
    if (runtime === 'inIPAddrRange' && first !== undefined) {
      query.uninterpreted.add('inIPAddrRange of other than IPv4 addresses');
      query.usual.push(`(or (not ((_ is Str) ${first.text})) (str.in_re (str ${first.text}) ${IPV4_ADDRESSES}))`);
    }
    return known;
  }
  const { script } = query;
  const isIn = (element: Term, list: Term): Term => encodeMembership(query, element, list, false);
  const ofSets =
    encodeSetCall(runtime, args, isIn, script) ??
    equivalence(runtime, args, (all, some_) => encodeCall(query, 'setsContains', name, [all, some_]), script);
  if (ofSets !== undefined) return ofSets;
  query.uninterpreted.add(name);
  return uninterpretedCall(runtime, normalArguments(runtime, args, query.script), query.script);
}

/** A call of a function of packages/cel/runtime that a query interprets. */
function interpretedCall(runtime: string, args: readonly Term[], script: Script): Term | undefined {
  return Object.hasOwn(ENCODINGS, runtime) ? ENCODINGS[runtime]?.(args, script) : undefined;
}

/** A function of which nothing is known but that it depends on its arguments alone, and what kind of value it gives. */
function uninterpretedCall(runtime: string, args: readonly Term[], script: Script): Term {
  const result = script.uninterpreted(
    `call ${runtime} of ${args.length}`,
    'V',
    args.map(() => 'V').join(' '),
    ...args.map(({ text }) => text),
  );
  const limit = RESULTS.get(runtime);
  const limited = limit === undefined ? result : apply(limit, result);
  const failing = args.filter(({ value }) => value === undefined).map(({ text }) => `(isErr ${text})`);
  const text =
    TOLERANT.has(runtime) || failing.length === 0 ? limited : `(ite (or ${failing.join(' ')}) Err ${limited})`;
  return ofKind(limit === undefined ? undefined : KINDS[limit], script.define('V', text));
}

/** The kinds that functions of the prelude limit a result to. */
const KINDS: { readonly [limit: string]: TermKind } = { timestampOf: 'time', durationOf: 'duration', intOf: 'integer' };

function applyToContent(
  of: Term | undefined,
  result: (content: string) => string,
  script: Script,
  other?: Term,
): Term | undefined {
  if (of?.content === undefined) return undefined;
  const isJson = of.content.isJson && other?.isJson !== false;
  return unknown(script.define('V', `(ite (isErr ${of.text}) Err ${result(of.content.text)})`), isJson);
}

function defined(name: string, kind?: TermKind): Encoding {
  return (args, script) => ofKind(kind, script.define('V', apply(name, ...args.map(({ text }) => text))));
}

function ofString(term: Term, result: (string: string) => string, script: Script): Term {
  return unknown(script.define('V', `(ite ((_ is Str) ${term.text}) ${result(`(str ${term.text})`)} Err)`));
}

function resultsOfTable(): ReadonlyMap<string, string> {
  const limits = new Map<string, string | undefined>();
  for (const { runtime, overloads } of functions)
    for (const { result } of overloads) {
      const limit = chooseLimit(result);
      limits.set(runtime, limits.has(runtime) && limits.get(runtime) !== limit ? undefined : limit);
    }
  const known = [...limits].filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new Map(known.flatMap(([name, limit]) => [[name, limit] as const, [`${name}Global`, limit] as const]));
}

/** The function of the prelude that limits an uninterpreted result to a type. */
function chooseLimit(type: CelType): string | undefined {
  switch (type.kind) {
    case 'bool':
    case 'int':
    case 'uint':
    case 'double':
    case 'string':
    case 'list':
    case 'map':
    case 'timestamp':
    case 'duration':
      return `${type.kind}Of`;
    case 'bytes':
    case 'opaque':
    case 'optional':
    case 'type':
    case 'message':
      return 'otherOf';
    case 'null':
    case 'dyn':
    case 'error':
    case 'parameter':
      return undefined;
  }
}
