import type { Section } from './entry.js';

/**
 * The reference documentation of each function of packages/cel/library/functions.ts. A test fails if one is missing.
 */
export const FUNCTIONS: readonly Section[] = [
  {
    title: 'Strings',
    intro: 'Indices count code points, starting at 0.',
    entries: [
      {
        name: 'size',
        meaning:
          'Returns the number of code points of a string, bytes, list elements, map entries, or levels of a hierarchy.',
        examples: [
          ['size("héllo")', '5'],
          ['[1, 2].size()', '2'],
          ['size({"a": 1})', '1'],
        ],
      },
      {
        name: 'contains',
        meaning: 'Returns whether a string contains another string.',
        examples: [['"photo.png".contains("to.")', 'true']],
      },
      {
        name: 'startsWith',
        meaning: 'Returns whether a string starts with a prefix.',
        examples: [['"/public/a".startsWith("/public/")', 'true']],
      },
      {
        name: 'endsWith',
        meaning: 'Returns whether a string ends with a suffix.',
        examples: [['"a@example.com".endsWith("@example.com")', 'true']],
      },
      {
        name: 'matches',
        meaning:
          'Returns whether an RE2 pattern matches anywhere in a string. Use `^` and `$` to match the whole ' +
          'string. Matching takes linear time, so look-around is not supported.',
        examples: [['"A-12".matches("^[A-Z]-\\\\d+$")', 'true']],
      },
      {
        name: 'charAt',
        meaning: 'Returns the code point at an index, or an empty string if the index is the length of the string.',
        examples: [['"abc".charAt(1)', '"b"']],
      },
      {
        name: 'indexOf',
        meaning:
          'Returns the index of the first occurrence of a substring, or -1. An optional offset sets where the ' +
          'search starts.',
        examples: [
          ['"banana".indexOf("an")', '1'],
          ['"banana".indexOf("an", 2)', '3'],
        ],
      },
      {
        name: 'lastIndexOf',
        meaning:
          'Returns the index of the last occurrence of a substring, or -1. An optional offset sets the last ' +
          'index at which it may start.',
        examples: [
          ['"banana".lastIndexOf("an")', '3'],
          ['"banana".lastIndexOf("an", 2)', '1'],
        ],
      },
      {
        name: 'lowerAscii',
        meaning: 'Converts `A` to `Z` to lower case and leaves other characters unchanged.',
        examples: [['"ÀBC".lowerAscii()', '"Àbc"']],
      },
      {
        name: 'upperAscii',
        meaning: 'Converts `a` to `z` to upper case and leaves other characters unchanged.',
        examples: [['"abc".upperAscii()', '"ABC"']],
      },
      {
        name: 'replace',
        meaning: 'Replaces all occurrences of a substring, or the first `n`.',
        examples: [
          ['"a-b-c".replace("-", "+")', '"a+b+c"'],
          ['"a-b-c".replace("-", "+", 1)', '"a+b-c"'],
        ],
      },
      {
        name: 'split',
        meaning:
          'Splits a string at a separator, into at most `n` parts if `n` is given; the last part keeps the rest.',
        examples: [
          ['"a,b,c".split(",")', '["a", "b", "c"]'],
          ['"a,b,c".split(",", 2)', '["a", "b,c"]'],
        ],
      },
      {
        name: 'substring',
        meaning: 'Returns the part of a string from a start index to its end, or up to an end index (exclusive).',
        examples: [
          ['"abcd".substring(1)', '"bcd"'],
          ['"abcd".substring(1, 3)', '"bc"'],
        ],
      },
      {
        name: 'trim',
        meaning: 'Removes white space from both ends of a string.',
        examples: [['"  a b ".trim()', '"a b"']],
      },
      {
        name: 'reverse',
        meaning: 'Reverses a string or a list.',
        examples: [
          ['"abc".reverse()', '"cba"'],
          ['[1, 2].reverse()', '[2, 1]'],
        ],
      },
      {
        name: 'join',
        meaning: 'Concatenates a list of strings, with an optional separator between them.',
        examples: [
          ['["a", "b"].join("/")', '"a/b"'],
          ['["a", "b"].join()', '"ab"'],
        ],
      },
      {
        name: 'format',
        meaning:
          'Formats values into a string: `%s` any value, `%d` numbers, `%f` and `%e` with a precision, `%b` ' +
          'binary, `%x` hexadecimal, `%o` octal, `%%` a percent sign.',
        examples: [['"%s owes %.2f".format(["bob", 3.5])', '"bob owes 3.50"']],
      },
      {
        name: 'strings.quote',
        meaning: 'Puts a string in double quotes and escapes it.',
        examples: [['strings.quote("a\\"b")', String.raw`"\"a\\\"b\""`]],
      },
    ],
  },
  {
    title: 'Conversions',
    entries: [
      {
        name: 'int',
        meaning:
          'Converts to a 64-bit integer: a string of decimal digits, the integer part of a double, a timestamp ' +
          'in Unix seconds, a duration in nanoseconds.',
        examples: [
          ['int("42")', '42'],
          ['int(3.9)', '3'],
          ['int(timestamp("1970-01-01T00:01:00Z"))', '60'],
        ],
      },
      {
        name: 'uint',
        meaning: 'Converts to an unsigned 64-bit integer.',
        examples: [
          ['uint("42")', '42'],
          ['uint(-1)', 'error: unsigned integer overflow'],
        ],
      },
      {
        name: 'double',
        meaning: 'Converts to a floating-point number.',
        examples: [
          ['double("1e3")', '1000'],
          ['double(5) / 2.0', '2.5'],
        ],
      },
      {
        name: 'string',
        meaning:
          'Converts to a string. A double of a million or more is written with an exponent, so use ' +
          '`string(int(x))` for ids.',
        examples: [
          ['string(12)', '"12"'],
          ['string(1234567.0)', '"1.234567e+06"'],
          ['string(duration("90m"))', '"5400s"'],
        ],
      },
      {
        name: 'bool',
        meaning: 'Converts a string to a boolean: `true`, `t`, `1` and `false`, `f`, `0`.',
        examples: [['bool("true")', 'true']],
      },
      { name: 'bytes', meaning: 'Converts a string to its UTF-8 bytes.', examples: [['bytes("é").size()', '2']] },
      {
        name: 'timestamp',
        meaning: 'Converts an RFC 3339 string or Unix seconds to a timestamp.',
        examples: [
          ['timestamp("2024-02-29T12:00:00+02:00")', '"2024-02-29T12:00:00+02:00"'],
          ['timestamp(60)', '"1970-01-01T00:01:00Z"'],
        ],
      },
      {
        name: 'duration',
        meaning:
          'Parses a duration, a number with a unit or several: `h`, `m`, `s`, `ms`, `us`, `ns`. There is no unit ' +
          'for days.',
        examples: [['duration("1h30m")', '"5400s"']],
      },
      {
        name: 'dyn',
        meaning: 'Returns the value unchanged, but hides its type from the type checker.',
        examples: [['dyn(1) == 1.0', 'true']],
      },
      {
        name: 'type',
        meaning: 'Returns the type of a value, to compare it with another type.',
        examples: [['type(R.attr.owner) == string', 'true']],
      },
      { name: 'id', meaning: 'Returns the value unchanged.', examples: [['id("a")', '"a"']] },
      {
        name: 'base64.encode',
        meaning: 'Encodes bytes as base64.',
        examples: [['base64.encode(bytes("hi"))', '"aGk="']],
      },
      {
        name: 'base64.decode',
        meaning: 'Decodes base64 to bytes. Padding is optional.',
        examples: [['string(base64.decode("aGk"))', '"hi"']],
      },
      {
        name: 'json.encode',
        meaning: 'Encodes a value as compact JSON, with sorted keys.',
        examples: [['json.encode({"b": 1, "a": [true, null]})', String.raw`"{\"a\":[true,null],\"b\":1}"`]],
      },
    ],
  },
  {
    title: 'Time',
    intro: `\`now()\` returns the same time throughout a call. Accessors of timestamps use UTC, or the time zone that you pass: an IANA name such as
\`"Europe/Berlin"\` or an offset such as \`"+05:30"\`. Accessors of durations return the total in that unit.`,
    entries: [
      {
        name: 'now',
        meaning: 'Returns the time of the call.',
        examples: [
          ['now() == now()', 'true'],
          ['now() > timestamp("2024-01-01T00:00:00Z")', 'true'],
        ],
      },
      {
        name: 'timeSince',
        meaning: 'Returns the duration from a timestamp to now.',
        examples: [['timeSince(timestamp("2024-01-01T00:00:00Z")) > duration("1h")', 'true']],
      },
      {
        name: 'getFullYear',
        meaning: 'Returns the year.',
        examples: [
          ['timestamp("2024-12-31T23:30:00Z").getFullYear()', '2024'],
          ['timestamp("2024-12-31T23:30:00Z").getFullYear("Europe/Berlin")', '2025'],
        ],
      },
      {
        name: 'getMonth',
        meaning: 'Returns the month, starting at 0.',
        examples: [['timestamp("2024-12-31T00:00:00Z").getMonth()', '11']],
      },
      {
        name: 'getDate',
        meaning: 'Returns the day of the month, starting at 1.',
        examples: [['timestamp("2024-12-31T00:00:00Z").getDate()', '31']],
      },
      {
        name: 'getDayOfMonth',
        meaning: 'Returns the day of the month, starting at 0.',
        examples: [['timestamp("2024-12-31T00:00:00Z").getDayOfMonth()', '30']],
      },
      {
        name: 'getDayOfWeek',
        meaning: 'Returns the day of the week, where 0 is Sunday.',
        examples: [['timestamp("2024-12-31T00:00:00Z").getDayOfWeek()', '2']],
      },
      {
        name: 'getDayOfYear',
        meaning: 'Returns the day of the year, starting at 0.',
        examples: [['timestamp("2024-12-31T00:00:00Z").getDayOfYear()', '365']],
      },
      {
        name: 'getHours',
        meaning: 'Returns the hour of a timestamp, or the total hours of a duration.',
        examples: [
          ['timestamp("2024-12-31T23:30:00Z").getHours("+05:30")', '5'],
          ['duration("90m").getHours()', '1'],
        ],
      },
      {
        name: 'getMinutes',
        meaning: 'Returns the minute of a timestamp, or the total minutes of a duration.',
        examples: [
          ['timestamp("2024-12-31T23:30:00Z").getMinutes()', '30'],
          ['duration("1h30m").getMinutes()', '90'],
        ],
      },
      {
        name: 'getSeconds',
        meaning: 'Returns the second of a timestamp, or the total seconds of a duration.',
        examples: [['duration("1m1s").getSeconds()', '61']],
      },
      {
        name: 'getMilliseconds',
        meaning: 'Returns the millisecond of a timestamp, or the total milliseconds of a duration.',
        examples: [['timestamp("2024-12-31T23:30:00.25Z").getMilliseconds()', '250']],
      },
    ],
  },
  {
    title: 'Lists',
    entries: [
      {
        name: 'slice',
        meaning: 'Returns the elements from a start index up to an end index (exclusive).',
        examples: [['[1, 2, 3].slice(0, 2)', '[1, 2]']],
      },
      {
        name: 'flatten',
        meaning: 'Flattens nested lists, by default one level deep.',
        examples: [['[[1], [2, 3]].flatten()', '[1, 2, 3]']],
      },
      { name: 'sort', meaning: 'Sorts a list in ascending order.', examples: [['[3, 1, 2].sort()', '[1, 2, 3]']] },
      { name: 'distinct', meaning: 'Removes duplicates from a list.', examples: [['[1, 2, 1].distinct()', '[1, 2]']] },
      {
        name: 'first',
        meaning: 'Returns the first element as an optional, which is none if the list is empty.',
        examples: [['[1, 2].first().value()', '1']],
      },
      {
        name: 'last',
        meaning: 'Returns the last element as an optional, which is none if the list is empty.',
        examples: [
          ['[1, 2].last().value()', '2'],
          ['[].last().hasValue()', 'false'],
        ],
      },
      {
        name: 'lists.range',
        meaning: 'Returns the integers from 0 up to a number (exclusive).',
        examples: [['lists.range(3)', '[0, 1, 2]']],
      },
    ],
  },
  {
    title: 'Sets',
    intro: 'These functions treat lists as sets.',
    entries: [
      {
        name: 'hasIntersection',
        meaning: 'Returns whether two lists have an element in common.',
        examples: [
          ['hasIntersection(["a", "b"], ["b", "c"])', 'true'],
          ['P.attr.teams.hasIntersection(R.attr.teams)', 'true'],
        ],
      },
      {
        name: 'has_intersection',
        meaning: 'A deprecated alias of `hasIntersection`; the compiler warns.',
        examples: [['has_intersection(["a"], ["b"])', 'false']],
      },
      {
        name: 'intersect',
        meaning: 'Returns the elements that are in both lists.',
        examples: [['intersect(["a", "b"], ["b", "c"])', '["b"]']],
      },
      {
        name: 'except',
        meaning: 'Returns the elements of the first list that are not in the second.',
        examples: [['["a", "b"].except(["b"])', '["a"]']],
      },
      {
        name: 'isSubset',
        meaning: 'Returns whether all elements of the first list are in the second.',
        examples: [['["a"].isSubset(["a", "b"])', 'true']],
      },
      {
        name: 'is_subset',
        meaning: 'A deprecated alias of `isSubset`; the compiler warns.',
        examples: [['is_subset(["a"], ["b"])', 'false']],
      },
      {
        name: 'sets.contains',
        meaning:
          'Returns whether all elements of the second list are in the first: the arguments of `isSubset` in reverse.',
        examples: [['sets.contains(["a", "b"], ["a"])', 'true']],
      },
      {
        name: 'sets.equivalent',
        meaning: 'Returns whether both lists have the same elements, regardless of order and repetitions.',
        examples: [['sets.equivalent([1, 2], [2, 1, 1])', 'true']],
      },
      {
        name: 'sets.intersects',
        meaning: 'Returns whether two lists have an element in common.',
        examples: [['sets.intersects([1, 2], [2, 3])', 'true']],
      },
    ],
  },
  {
    title: 'Numbers',
    entries: [
      { name: 'math.abs', meaning: 'Returns the absolute value.', examples: [['math.abs(-3)', '3']] },
      { name: 'math.ceil', meaning: 'Rounds up to an integer.', examples: [['math.ceil(1.2)', '2']] },
      { name: 'math.floor', meaning: 'Rounds down to an integer.', examples: [['math.floor(-1.2)', '-2']] },
      {
        name: 'math.round',
        meaning: 'Rounds to the nearest integer, and halves away from zero.',
        examples: [
          ['math.round(2.5)', '3'],
          ['math.round(-2.5)', '-3'],
        ],
      },
      { name: 'math.trunc', meaning: 'Removes the fractional part.', examples: [['math.trunc(-1.7)', '-1']] },
      { name: 'math.sign', meaning: 'Returns -1, 0 or 1.', examples: [['math.sign(-4)', '-1']] },
      { name: 'math.sqrt', meaning: 'Returns the square root.', examples: [['math.sqrt(9)', '3']] },
      {
        name: 'math.isNaN',
        meaning: 'Returns whether a double is NaN.',
        examples: [['math.isNaN(0.0 / 0.0)', 'true']],
      },
      {
        name: 'math.isInf',
        meaning: 'Returns whether a double is infinite.',
        examples: [['math.isInf(1.0 / 0.0)', 'true']],
      },
      {
        name: 'math.isFinite',
        meaning: 'Returns whether a double is neither infinite nor NaN.',
        examples: [['math.isFinite(1.5)', 'true']],
      },
      { name: 'math.bitAnd', meaning: 'Returns the bitwise AND.', examples: [['math.bitAnd(6, 3)', '2']] },
      { name: 'math.bitOr', meaning: 'Returns the bitwise OR.', examples: [['math.bitOr(6, 3)', '7']] },
      { name: 'math.bitXor', meaning: 'Returns the bitwise exclusive OR.', examples: [['math.bitXor(6, 3)', '5']] },
      { name: 'math.bitNot', meaning: 'Returns the bitwise complement.', examples: [['math.bitNot(0)', '-1']] },
      { name: 'math.bitShiftLeft', meaning: 'Shifts bits to the left.', examples: [['math.bitShiftLeft(1, 4)', '16']] },
      {
        name: 'math.bitShiftRight',
        meaning: 'Shifts bits to the right and fills with zeros.',
        examples: [['math.bitShiftRight(16, 3)', '2']],
      },
    ],
  },
  {
    title: 'Optional values',
    intro: 'An optional has a value or none. `.?` returns an optional.',
    entries: [
      {
        name: 'optional.of',
        meaning: 'Returns an optional with a value.',
        examples: [['optional.of(1).hasValue()', 'true']],
      },
      {
        name: 'optional.none',
        meaning: 'Returns an optional without a value.',
        examples: [['optional.none().orValue(2)', '2']],
      },
      {
        name: 'optional.ofNonZeroValue',
        meaning: 'Returns an optional with the value, or none if it is zero, empty, false or null.',
        examples: [['optional.ofNonZeroValue("").hasValue()', 'false']],
      },
      {
        name: 'hasValue',
        meaning: 'Returns whether an optional has a value.',
        examples: [['R.attr.?owner.hasValue()', 'true']],
      },
      {
        name: 'value',
        meaning: 'Returns the value of an optional; an error if it has none.',
        examples: [
          ['optional.of(1).value()', '1'],
          ['R.attr.?missing.value()', 'error: optional.none() dereference'],
        ],
      },
      {
        name: 'or',
        meaning: 'Returns the optional if it has a value, otherwise the other optional.',
        examples: [['R.attr.?missing.or(R.attr.?owner).value()', '"bob"']],
      },
      {
        name: 'orValue',
        meaning: 'Returns the value of an optional, or a default.',
        examples: [['R.attr.?missing.orValue("none")', '"none"']],
      },
      {
        name: 'optional.unwrap',
        meaning: 'Returns the values of a list of optionals, without those that have none.',
        examples: [['optional.unwrap([optional.of(1), optional.none()])', '[1]']],
      },
      {
        name: 'unwrapOpt',
        meaning: 'The same as `optional.unwrap`.',
        examples: [['[optional.none(), optional.of(2)].unwrapOpt()', '[2]']],
      },
    ],
  },
  {
    title: 'Regular expressions',
    intro:
      'Patterns use RE2 syntax. A pattern can have one group; the functions that extract then return the text of ' +
      'the group.',
    entries: [
      {
        name: 'regex.extract',
        meaning: 'Returns the first match as an optional, which is none if there is no match.',
        examples: [[String.raw`regex.extract("id-42", "id-(\\d+)").value()`, '"42"']],
      },
      {
        name: 'regex.extractAll',
        meaning: 'Returns all matches.',
        examples: [[String.raw`regex.extractAll("a1b22", "\\d+")`, '["1", "22"]']],
      },
      {
        name: 'regex.replace',
        meaning: 'Replaces all matches, or the first `n`. `\\\\1` in the replacement is a group.',
        examples: [[String.raw`regex.replace("bob@x.org", "@(.*)", " at \\1")`, '"bob at x.org"']],
      },
    ],
  },
  {
    title: 'Networks',
    entries: [
      {
        name: 'ip',
        meaning: 'Parses an IP address, or returns the address of a CIDR.',
        examples: [
          ['ip("10.0.0.1") == ip("10.0.0.1")', 'true'],
          ['string(cidr("10.1.0.0/16").ip())', '"10.1.0.0"'],
        ],
      },
      {
        name: 'cidr',
        meaning: 'Parses a network in CIDR notation.',
        examples: [['cidr("10.0.0.0/8").containsIP("10.1.2.3")', 'true']],
      },
      {
        name: 'isIP',
        meaning: 'Returns whether a string is an IP address.',
        examples: [['isIP("300.1.1.1")', 'false']],
      },
      {
        name: 'isCIDR',
        meaning: 'Returns whether a string is a network in CIDR notation.',
        examples: [['isCIDR("10.0.0.0/8")', 'true']],
      },
      {
        name: 'ip.isCanonical',
        meaning: 'Returns whether an address is written in the canonical form of RFC 5952.',
        examples: [['ip.isCanonical("2001:DB8::1")', 'false']],
      },
      { name: 'family', meaning: 'Returns the IP version, 4 or 6.', examples: [['ip("::1").family()', '6']] },
      {
        name: 'isLoopback',
        meaning: 'Returns whether an address is a loopback address.',
        examples: [['ip("127.0.0.1").isLoopback()', 'true']],
      },
      {
        name: 'isGlobalUnicast',
        meaning: 'Returns whether an address is a global unicast address. Private addresses are.',
        examples: [['ip("10.0.0.1").isGlobalUnicast()', 'true']],
      },
      {
        name: 'isLinkLocalMulticast',
        meaning: 'Returns whether an address is a link-local multicast address.',
        examples: [['ip("224.0.0.1").isLinkLocalMulticast()', 'true']],
      },
      {
        name: 'isLinkLocalUnicast',
        meaning: 'Returns whether an address is a link-local unicast address.',
        examples: [['ip("fe80::1").isLinkLocalUnicast()', 'true']],
      },
      {
        name: 'isUnspecified',
        meaning: 'Returns whether an address is all zeros.',
        examples: [['ip("0.0.0.0").isUnspecified()', 'true']],
      },
      {
        name: 'containsIP',
        meaning: 'Returns whether a network contains an address.',
        examples: [['cidr("192.168.0.0/24").containsIP(ip("192.168.1.1"))', 'false']],
      },
      {
        name: 'containsCIDR',
        meaning: 'Returns whether a network contains another network.',
        examples: [['cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16")', 'true']],
      },
      {
        name: 'isMask',
        meaning: 'Returns whether no host bits are set.',
        examples: [['cidr("10.0.0.5/8").isMask()', 'false']],
      },
      {
        name: 'masked',
        meaning: 'Returns the network with its host bits cleared.',
        examples: [['string(cidr("10.0.0.5/8").masked())', '"10.0.0.0/8"']],
      },
      {
        name: 'prefixLength',
        meaning: 'Returns the length of the prefix in bits.',
        examples: [['cidr("10.0.0.0/8").prefixLength()', '8']],
      },
      {
        name: 'inIPAddrRange',
        meaning: 'Returns whether an address is in a network, both given as strings.',
        examples: [['"10.20.0.5".inIPAddrRange("10.20.0.0/16")', 'true']],
      },
    ],
  },
  {
    title: 'Hierarchies',
    intro: 'A hierarchy is a name with levels, such as `acme.hr.uk`.',
    entries: [
      {
        name: 'hierarchy',
        meaning: 'Creates a hierarchy from a string with dots (or another separator), or from a list.',
        examples: [
          ['hierarchy("a.b.c").size()', '3'],
          ['hierarchy("a/b", "/")[1]', '"b"'],
        ],
      },
      {
        name: 'ancestorOf',
        meaning: 'Returns whether a hierarchy is an ancestor of another.',
        examples: [['hierarchy("a").ancestorOf(hierarchy("a.b.c"))', 'true']],
      },
      {
        name: 'descendentOf',
        meaning: 'Returns whether a hierarchy is a descendant of another.',
        examples: [['hierarchy("a.b").descendentOf(hierarchy("a"))', 'true']],
      },
      {
        name: 'immediateParentOf',
        meaning: 'Returns whether a hierarchy is the parent of another.',
        examples: [['hierarchy("a").immediateParentOf(hierarchy("a.b"))', 'true']],
      },
      {
        name: 'immediateChildOf',
        meaning: 'Returns whether a hierarchy is a child of another.',
        examples: [['hierarchy("a.b.c").immediateChildOf(hierarchy("a"))', 'false']],
      },
      {
        name: 'overlaps',
        meaning: 'Returns whether two hierarchies are equal or one is an ancestor of the other.',
        examples: [['hierarchy("a.b").overlaps(hierarchy("a"))', 'true']],
      },
      {
        name: 'siblingOf',
        meaning: 'Returns whether two hierarchies have the same parent.',
        examples: [['hierarchy("a.b").siblingOf(hierarchy("a.c"))', 'true']],
      },
      {
        name: 'commonAncestors',
        meaning: 'Returns the common ancestors of two hierarchies.',
        examples: [['hierarchy("a.b.c").commonAncestors(hierarchy("a.b.d")) == hierarchy("a.b")', 'true']],
      },
    ],
  },
  {
    title: 'Paths',
    intro:
      'These functions work on strings and do not access the file system. A path with backslashes is a Windows path.',
    entries: [
      {
        name: 'basePath',
        meaning: 'Returns the last element of a path.',
        examples: [['basePath("/a/b.txt")', '"b.txt"']],
      },
      { name: 'dirPath', meaning: 'Returns the parent folder of a path.', examples: [['dirPath("/a/b.txt")', '"/a"']] },
      {
        name: 'extPath',
        meaning: 'Returns the file extension, with the dot.',
        examples: [['extPath("/a/b.txt")', '".txt"']],
      },
      {
        name: 'volumeName',
        meaning: 'Returns the volume of a Windows path.',
        examples: [[String.raw`volumeName("C:\\a")`, '"C:"']],
      },
      {
        name: 'relPath',
        meaning: 'Returns the relative path from the first path to the second.',
        examples: [['relPath("/a", "/a/b/c")', '"b/c"']],
      },
      { name: 'joinPath', meaning: 'Joins path elements.', examples: [['joinPath(["/a", "b"])', '"/a/b"']] },
      {
        name: 'pathHasPrefix',
        meaning: 'Returns whether a path is in a folder, or is the folder itself.',
        examples: [
          ['pathHasPrefix("/a/b", "/a")', 'true'],
          ['"/ab".pathHasPrefix("/a")', 'false'],
        ],
      },
      {
        name: 'pathMatch',
        meaning: 'Returns whether a path matches a glob. `*` does not match `/`.',
        examples: [['pathMatch("/a/b.txt", "/a/*.txt")', 'true']],
      },
      {
        name: 'pathMatchAnyOf',
        meaning: 'Returns whether a path matches at least one of several globs.',
        examples: [['"/a/b".pathMatchAnyOf(["/x", "/a/*"])', 'true']],
      },
    ],
  },
  {
    title: 'SPIFFE',
    intro: 'SPIFFE IDs identify workloads.',
    entries: [
      {
        name: 'spiffeID',
        meaning: 'Parses a SPIFFE ID.',
        examples: [['spiffeID("spiffe://example.org/web").path()', '"/web"']],
      },
      {
        name: 'spiffeTrustDomain',
        meaning: 'Parses a trust domain.',
        examples: [['spiffeTrustDomain("example.org").name()', '"example.org"']],
      },
      {
        name: 'spiffeMatchAny',
        meaning: 'Returns a matcher for every ID.',
        examples: [['spiffeMatchAny().matchesID("spiffe://example.org/web")', 'true']],
      },
      {
        name: 'spiffeMatchExact',
        meaning: 'Returns a matcher for one ID.',
        examples: [['spiffeMatchExact("spiffe://example.org/web").matchesID("spiffe://example.org/db")', 'false']],
      },
      {
        name: 'spiffeMatchOneOf',
        meaning: 'Returns a matcher for the IDs of a list.',
        examples: [['spiffeMatchOneOf(["spiffe://example.org/web"]).matchesID("spiffe://example.org/web")', 'true']],
      },
      {
        name: 'spiffeMatchTrustDomain',
        meaning: 'Returns a matcher for the IDs of a trust domain.',
        examples: [['spiffeMatchTrustDomain("example.org").matchesID("spiffe://example.org/web")', 'true']],
      },
      {
        name: 'path',
        meaning: 'Returns the path of an ID.',
        examples: [['spiffeID("spiffe://example.org/a/b").path()', '"/a/b"']],
      },
      {
        name: 'trustDomain',
        meaning: 'Returns the trust domain of an ID.',
        examples: [['spiffeID("spiffe://example.org/a").trustDomain().name()', '"example.org"']],
      },
      {
        name: 'isMemberOf',
        meaning: 'Returns whether an ID belongs to a trust domain.',
        examples: [['spiffeID("spiffe://example.org/a").isMemberOf(spiffeTrustDomain("example.org"))', 'true']],
      },
      {
        name: 'name',
        meaning: 'Returns the name of a trust domain.',
        examples: [['spiffeTrustDomain("spiffe://example.org").name()', '"example.org"']],
      },
      {
        name: 'matchesID',
        meaning: 'Returns whether a matcher matches an ID.',
        examples: [['spiffeMatchAny().matchesID(spiffeID("spiffe://example.org"))', 'true']],
      },
    ],
  },
];
