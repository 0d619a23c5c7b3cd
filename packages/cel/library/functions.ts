import { type CelFunction, either, global, impure, member, type Overload, row, rowAs } from './function.js';
import {
  bool,
  bytes,
  type CelType,
  cidr,
  double,
  duration,
  dyn,
  hierarchy,
  int,
  ip,
  listOf,
  mapOf,
  optionalOf,
  parameter,
  spiffeID,
  spiffeMatcher,
  spiffeTrustDomain,
  string,
  timestamp,
  typeOf,
  uint,
} from './types.js';

const A = parameter('A');
const B = parameter('B');

/** docs/spec/conditions.md#core-functions. */
const coreFunctions: readonly CelFunction[] = [
  row(
    'size',
    either([string], int),
    either([bytes], int),
    either([listOf(A)], int),
    either([mapOf(A, B)], int),
    member([hierarchy], int),
  ),

  row('contains', member([string, string], bool)),
  row('startsWith', member([string, string], bool)),
  row('endsWith', member([string, string], bool)),
  row('matches', either([string, string], bool)),

  rowAs(
    'int',
    'toInt',
    [int, uint, double, string, duration, timestamp].map((from) => global([from], int)),
  ),
  rowAs(
    'uint',
    'toUint',
    [uint, int, double, string].map((from) => global([from], uint)),
  ),
  rowAs(
    'double',
    'toDouble',
    [double, int, uint, string].map((from) => global([from], double)),
  ),
  rowAs(
    'string',
    'toText',
    [string, bool, int, uint, double, bytes, timestamp, duration, ip, cidr].map((from) => global([from], string)),
  ),
  rowAs(
    'bool',
    'toBool',
    [bool, string].map((from) => global([from], bool)),
  ),
  rowAs(
    'bytes',
    'toBytes',
    [bytes, string].map((from) => global([from], bytes)),
  ),
  rowAs(
    'timestamp',
    'toTimestamp',
    [timestamp, int, string].map((from) => global([from], timestamp)),
  ),
  rowAs(
    'duration',
    'toDuration',
    [duration, string].map((from) => global([from], duration)),
  ),
  rowAs('dyn', 'dynOf', global([A], dyn)),
  rowAs('type', 'typeOf', global([A], typeOf(A))),

  // The member form captures `spiffeTrustDomain(x).id()` (docs/spec/conditions.md#path-and-spiffe-functions).
  rowAs('id', 'identity', either([dyn], dyn)),

  impure(row('now', global([], timestamp))),
  impure(row('timeSince', either([timestamp], duration))),
];

/** docs/spec/conditions.md#string-functions. `reverse` is of strings and of lists, one function. */
const stringFunctions: readonly CelFunction[] = [
  row('charAt', member([string, int], string)),
  row('indexOf', member([string, string], int), member([string, string, int], int)),
  row('lastIndexOf', member([string, string], int), member([string, string, int], int)),
  row('lowerAscii', member([string], string)),
  row('upperAscii', member([string], string)),
  row('replace', member([string, string, string], string), member([string, string, string, int], string)),
  row('split', member([string, string], listOf(string)), member([string, string, int], listOf(string))),
  row('substring', member([string, int], string), member([string, int, int], string)),
  row('trim', member([string], string)),
  row('reverse', member([string], string), member([listOf(A)], listOf(A))),
  row('join', member([listOf(string)], string), member([listOf(string), string], string)),
  row('format', member([string, listOf(dyn)], string)),
  row('strings.quote', global([string], string)),
];

/** docs/spec/conditions.md#encoding-functions. */
const encoderFunctions: readonly CelFunction[] = [
  row('base64.encode', global([bytes], string)),
  row('base64.decode', global([string], bytes)),
  row('json.encode', global([dyn], string)),
];

/** docs/spec/conditions.md#math-functions. `math.greatest` and `math.least` are macros. */
const mathFunctions: readonly CelFunction[] = [
  row('math.abs', sameOf(double, int, uint)),
  row('math.ceil', sameOf(double)),
  row('math.floor', sameOf(double)),
  row('math.round', sameOf(double)),
  row('math.trunc', sameOf(double)),
  row('math.sign', sameOf(double, int, uint)),
  row(
    'math.sqrt',
    [double, int, uint].map((from) => global([from], double)),
  ),
  row('math.isNaN', global([double], bool)),
  row('math.isInf', global([double], bool)),
  row('math.isFinite', global([double], bool)),
  row('math.bitAnd', sameOfTwo(int, uint)),
  row('math.bitOr', sameOfTwo(int, uint)),
  row('math.bitXor', sameOfTwo(int, uint)),
  row('math.bitNot', sameOf(int, uint)),
  row('math.bitShiftLeft', global([int, int], int), global([uint, int], uint)),
  row('math.bitShiftRight', global([int, int], int), global([uint, int], uint)),
];

function sameOf(...types: readonly CelType[]): readonly Overload[] {
  return types.map((type) => global([type], type));
}

function sameOfTwo(...types: readonly CelType[]): readonly Overload[] {
  return types.map((type) => global([type, type], type));
}

/** The element types that `sort` and the key types that `sortBy` take (docs/spec/conditions.md#list-functions). */
export const comparableTypes = [int, uint, double, bool, duration, timestamp, string, bytes] as const;

/** docs/spec/conditions.md#list-functions, lists. `sortBy` is a macro. */
const listFunctions: readonly CelFunction[] = [
  row('slice', member([listOf(A), int, int], listOf(A))),
  row('flatten', member([listOf(listOf(A))], listOf(A)), member([listOf(dyn), int], listOf(dyn))),
  row(
    'sort',
    comparableTypes.map((type) => member([listOf(type)], listOf(type))),
  ),
  row('distinct', member([listOf(A)], listOf(A))),
  row('first', member([listOf(A)], optionalOf(A))),
  row('last', member([listOf(A)], optionalOf(A))),
  row('lists.range', global([int], listOf(int))),
];

const two = [listOf(A), listOf(A)] as const;

/** docs/spec/conditions.md#set-functions, sets. */
const setFunctions: readonly CelFunction[] = [
  row('intersect', either(two, listOf(A))),
  row('except', either(two, listOf(A))),
  row('hasIntersection', either(two, bool)),
  row('has_intersection', either(two, bool)),
  row('isSubset', either(two, bool)),
  row('is_subset', either(two, bool)),
  row('sets.contains', global(two, bool)),
  row('sets.equivalent', global(two, bool)),
  row('sets.intersects', global(two, bool)),
];

/** docs/spec/conditions.md#regular-expression-functions, regular expressions. */
const regexFunctions: readonly CelFunction[] = [
  row('regex.extract', global([string, string], optionalOf(string))),
  row('regex.extractAll', global([string, string], listOf(string))),
  row('regex.replace', global([string, string, string], string), global([string, string, string, int], string)),
];

/** docs/spec/conditions.md#optional-functions, optionals. `optMap` and `optFlatMap` are macros. */
const optionalFunctions: readonly CelFunction[] = [
  row('optional.of', global([A], optionalOf(A))),
  row('optional.none', global([], optionalOf(A))),
  row('optional.ofNonZeroValue', global([A], optionalOf(A))),
  rowAs('hasValue', 'optionalHasValue', member([optionalOf(A)], bool)),
  rowAs('value', 'optionalValue', member([optionalOf(A)], A)),
  rowAs('or', 'optionalOr', member([optionalOf(A), optionalOf(A)], optionalOf(A))),
  rowAs('orValue', 'optionalOrValue', member([optionalOf(A), A], A)),
  row('optional.unwrap', global([listOf(optionalOf(A))], listOf(A))),
  row('unwrapOpt', member([listOf(optionalOf(A))], listOf(A))),
];

/**
 * docs/spec/conditions.md#network-functions. The table has one row a name, so `ip(text)` and `<cidr>.ip()` are two rows
 * of the same name: they differ in form, and the checker takes the row whose form fits.
 */
const networkFunctions: readonly CelFunction[] = [
  rowAs('ip', 'toIp', global([string], ip)),
  rowAs('ip', 'cidrIp', member([cidr], ip)),
  rowAs('cidr', 'toCidr', global([string], cidr)),
  row('isIP', global([string], bool)),
  row('isCIDR', global([string], bool)),
  row('ip.isCanonical', global([string], bool)),
  row('family', member([ip], int)),
  row('isLoopback', member([ip], bool)),
  row('isGlobalUnicast', member([ip], bool)),
  row('isLinkLocalMulticast', member([ip], bool)),
  row('isLinkLocalUnicast', member([ip], bool)),
  row('isUnspecified', member([ip], bool)),
  row('containsIP', member([cidr, ip], bool), member([cidr, string], bool)),
  row('containsCIDR', member([cidr, cidr], bool), member([cidr, string], bool)),
  row('isMask', member([cidr], bool)),
  row('masked', member([cidr], cidr)),
  row('prefixLength', member([cidr], int)),
  row('inIPAddrRange', member([string, string], bool)),
];

const relation = member([hierarchy, hierarchy], bool);

/** docs/spec/conditions.md#hierarchy-functions. */
const hierarchyFunctions: readonly CelFunction[] = [
  row(
    'hierarchy',
    global([string], hierarchy),
    global([string, string], hierarchy),
    global([listOf(string)], hierarchy),
  ),
  row('ancestorOf', relation),
  row('descendentOf', relation),
  row('immediateParentOf', relation),
  row('immediateChildOf', relation),
  row('overlaps', relation),
  row('siblingOf', relation),
  row('commonAncestors', member([hierarchy, hierarchy], hierarchy)),
];

/** docs/spec/conditions.md#path-and-spiffe-functions, paths. */
const pathFunctions: readonly CelFunction[] = [
  row('basePath', global([string], string)),
  row('dirPath', global([string], string)),
  row('extPath', global([string], string)),
  row('volumeName', global([string], string)),
  row('relPath', global([string, string], string)),
  row('joinPath', global([listOf(string)], string)),
  row('pathHasPrefix', either([string, string], bool)),
  row('pathMatch', either([string, string], bool)),
  row('pathMatchAnyOf', either([string, listOf(string)], bool)),
];

/**
 * docs/spec/conditions.md#path-and-spiffe-functions, SPIFFE. `<trust domain>.id()` is the identity function of
 * `coreFunctions`.
 */
const spiffeFunctions: readonly CelFunction[] = [
  row('spiffeID', global([string], spiffeID)),
  row('spiffeTrustDomain', global([string], spiffeTrustDomain)),
  row('spiffeMatchAny', global([], spiffeMatcher)),
  row('spiffeMatchExact', global([spiffeID], spiffeMatcher), global([string], spiffeMatcher)),
  row('spiffeMatchOneOf', global([listOf(spiffeID)], spiffeMatcher), global([listOf(string)], spiffeMatcher)),
  row('spiffeMatchTrustDomain', global([spiffeTrustDomain], spiffeMatcher), global([string], spiffeMatcher)),
  rowAs('path', 'spiffePath', member([spiffeID], string)),
  row('trustDomain', member([spiffeID], spiffeTrustDomain)),
  row('isMemberOf', member([spiffeID, spiffeTrustDomain], bool)),
  rowAs('name', 'spiffeName', member([spiffeTrustDomain], string)),
  row('matchesID', member([spiffeMatcher, spiffeID], bool), member([spiffeMatcher, string], bool)),
];

const ofTimestamp: readonly Overload[] = [member([timestamp], int), member([timestamp, string], int)];
const ofDuration = member([duration], int);

/** docs/spec/conditions.md#time-accessors. */
const timeFunctions: readonly CelFunction[] = [
  row('getFullYear', ofTimestamp),
  row('getMonth', ofTimestamp),
  row('getDate', ofTimestamp),
  row('getDayOfMonth', ofTimestamp),
  row('getDayOfWeek', ofTimestamp),
  row('getDayOfYear', ofTimestamp),
  row('getHours', ofTimestamp, ofDuration),
  row('getMinutes', ofTimestamp, ofDuration),
  row('getSeconds', ofTimestamp, ofDuration),
  row('getMilliseconds', ofTimestamp, ofDuration),
];

/**
 * Every function of the language (docs/spec/conditions.md#operators-macros-and-functions), one row each; operators and
 * macros are the checker's own. A name has one row, but for `ip`, whose two forms do different things.
 */
export const functions: readonly CelFunction[] = [
  ...coreFunctions,
  ...stringFunctions,
  ...encoderFunctions,
  ...mathFunctions,
  ...listFunctions,
  ...setFunctions,
  ...regexFunctions,
  ...optionalFunctions,
  ...networkFunctions,
  ...hierarchyFunctions,
  ...pathFunctions,
  ...spiffeFunctions,
  ...timeFunctions,
];
