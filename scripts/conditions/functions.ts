import type { Section } from './entry.js';

/**
 * What the reference says of each function of the table (compiler/cel/functions.ts); a test sees to it that none is
 * missing.
 */
export const FUNCTIONS: readonly Section[] = [
  {
    title: 'Text',
    intro: 'Positions count code points, from 0.',
    entries: [
      {
        name: 'size',
        meaning: 'How many code points, bytes, elements, entries or levels.',
        examples: [
          ['size("héllo")', '5'],
          ['[1, 2].size()', '2'],
          ['size({"a": 1})', '1'],
        ],
      },
      {
        name: 'contains',
        meaning: 'Whether a text has another in it.',
        examples: [['"photo.png".contains("to.")', 'true']],
      },
      {
        name: 'startsWith',
        meaning: 'Whether it begins with another.',
        examples: [['"/public/a".startsWith("/public/")', 'true']],
      },
      {
        name: 'endsWith',
        meaning: 'Whether it ends with another.',
        examples: [['"a@example.com".endsWith("@example.com")', 'true']],
      },
      {
        name: 'matches',
        meaning:
          'Whether an RE2 pattern matches somewhere in it; write `^` and `$` for the whole text. Linear time, so no look-around.',
        examples: [['"A-12".matches("^[A-Z]-\\\\d+$")', 'true']],
      },
      {
        name: 'charAt',
        meaning: 'The code point at a position; empty right behind the last.',
        examples: [['"abc".charAt(1)', '"b"']],
      },
      {
        name: 'indexOf',
        meaning: 'Where a text first stands, from a position on; -1 when nowhere.',
        examples: [
          ['"banana".indexOf("an")', '1'],
          ['"banana".indexOf("an", 2)', '3'],
        ],
      },
      {
        name: 'lastIndexOf',
        meaning: 'Where it last stands, at a position or before it.',
        examples: [
          ['"banana".lastIndexOf("an")', '3'],
          ['"banana".lastIndexOf("an", 2)', '1'],
        ],
      },
      {
        name: 'lowerAscii',
        meaning: '`A` to `Z` made small; other letters stay.',
        examples: [['"ÀBC".lowerAscii()', '"Àbc"']],
      },
      { name: 'upperAscii', meaning: '`a` to `z` made large.', examples: [['"abc".upperAscii()', '"ABC"']] },
      {
        name: 'replace',
        meaning: 'Each occurrence replaced, or the first so many.',
        examples: [
          ['"a-b-c".replace("-", "+")', '"a+b+c"'],
          ['"a-b-c".replace("-", "+", 1)', '"a+b-c"'],
        ],
      },
      {
        name: 'split',
        meaning: 'The parts between separators; the last of at most so many keeps the rest.',
        examples: [
          ['"a,b,c".split(",")', '["a", "b", "c"]'],
          ['"a,b,c".split(",", 2)', '["a", "b,c"]'],
        ],
      },
      {
        name: 'substring',
        meaning: 'From a position on, or up to another, which is left out.',
        examples: [
          ['"abcd".substring(1)', '"bcd"'],
          ['"abcd".substring(1, 3)', '"bc"'],
        ],
      },
      { name: 'trim', meaning: 'Without the white space at both ends.', examples: [['"  a b ".trim()', '"a b"']] },
      {
        name: 'reverse',
        meaning: 'A text or a list backwards.',
        examples: [
          ['"abc".reverse()', '"cba"'],
          ['[1, 2].reverse()', '[2, 1]'],
        ],
      },
      {
        name: 'join',
        meaning: 'Texts one after the other, with a separator between.',
        examples: [
          ['["a", "b"].join("/")', '"a/b"'],
          ['["a", "b"].join()', '"ab"'],
        ],
      },
      {
        name: 'format',
        meaning:
          'Values put into a text: `%s` anything, `%d` numbers, `%f` and `%e` with a precision, `%b` binary, `%x` hexadecimal, `%o` octal, `%%` itself.',
        examples: [['"%s owes %.2f".format(["bob", 3.5])', '"bob owes 3.50"']],
      },
      {
        name: 'strings.quote',
        meaning: 'In double quotes, with escapes.',
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
          'A 64-bit integer: of a text its decimal, of a double its whole part, of a timestamp Unix seconds, of a duration nanoseconds.',
        examples: [
          ['int("42")', '42'],
          ['int(3.9)', '3'],
          ['int(timestamp("1970-01-01T00:01:00Z"))', '60'],
        ],
      },
      {
        name: 'uint',
        meaning: 'An unsigned 64-bit integer.',
        examples: [
          ['uint("42")', '42'],
          ['uint(-1)', 'error: unsigned integer overflow'],
        ],
      },
      {
        name: 'double',
        meaning: 'A floating-point number.',
        examples: [
          ['double("1e3")', '1000'],
          ['double(5) / 2.0', '2.5'],
        ],
      },
      {
        name: 'string',
        meaning: 'As text. A double of a million or more is written with an exponent: `string(int(x))` for ids.',
        examples: [
          ['string(12)', '"12"'],
          ['string(1234567.0)', '"1.234567e+06"'],
          ['string(duration("90m"))', '"5400s"'],
        ],
      },
      { name: 'bool', meaning: 'Of `true`, `t`, `1` and `false`, `f`, `0`.', examples: [['bool("true")', 'true']] },
      { name: 'bytes', meaning: 'The UTF-8 of a text.', examples: [['bytes("é").size()', '2']] },
      {
        name: 'timestamp',
        meaning: 'Of RFC 3339, or of Unix seconds.',
        examples: [
          ['timestamp("2024-02-29T12:00:00+02:00")', '"2024-02-29T12:00:00+02:00"'],
          ['timestamp(60)', '"1970-01-01T00:01:00Z"'],
        ],
      },
      {
        name: 'duration',
        meaning: 'Of numbers with units: `h`, `m`, `s`, `ms`, `us`, `ns`. There are no days.',
        examples: [['duration("1h30m")', '"5400s"']],
      },
      {
        name: 'dyn',
        meaning: 'The same value, its type forgotten by the checker.',
        examples: [['dyn(1) == 1.0', 'true']],
      },
      {
        name: 'type',
        meaning: 'The type of a value, for comparison.',
        examples: [['type(R.attr.owner) == string', 'true']],
      },
      { name: 'id', meaning: 'The value itself.', examples: [['id("a")', '"a"']] },
      { name: 'base64.encode', meaning: 'Bytes as base64.', examples: [['base64.encode(bytes("hi"))', '"aGk="']] },
      {
        name: 'base64.decode',
        meaning: 'Bytes from base64, padded or not.',
        examples: [['string(base64.decode("aGk"))', '"hi"']],
      },
      {
        name: 'json.encode',
        meaning: 'As compact JSON, keys sorted.',
        examples: [['json.encode({"b": 1, "a": [true, null]})', String.raw`"{\"a\":[true,null],\"b\":1}"`]],
      },
    ],
  },
  {
    title: 'Time',
    intro: `\`now()\` is one instant for a whole call. Accessors read a timestamp in UTC, or in a zone: an IANA name such as \`"Europe/Berlin"\` or an
offset such as \`"+05:30"\`. Of a duration they give the whole of it in that unit.`,
    entries: [
      {
        name: 'now',
        meaning: 'The instant of the call.',
        examples: [
          ['now() == now()', 'true'],
          ['now() > timestamp("2024-01-01T00:00:00Z")', 'true'],
        ],
      },
      {
        name: 'timeSince',
        meaning: 'From a timestamp to now.',
        examples: [['timeSince(timestamp("2024-01-01T00:00:00Z")) > duration("1h")', 'true']],
      },
      {
        name: 'getFullYear',
        meaning: 'The year.',
        examples: [
          ['timestamp("2024-12-31T23:30:00Z").getFullYear()', '2024'],
          ['timestamp("2024-12-31T23:30:00Z").getFullYear("Europe/Berlin")', '2025'],
        ],
      },
      {
        name: 'getMonth',
        meaning: 'The month, from 0.',
        examples: [['timestamp("2024-12-31T00:00:00Z").getMonth()', '11']],
      },
      {
        name: 'getDate',
        meaning: 'The day of the month, from 1.',
        examples: [['timestamp("2024-12-31T00:00:00Z").getDate()', '31']],
      },
      {
        name: 'getDayOfMonth',
        meaning: 'The day of the month, from 0.',
        examples: [['timestamp("2024-12-31T00:00:00Z").getDayOfMonth()', '30']],
      },
      {
        name: 'getDayOfWeek',
        meaning: 'The day of the week; Sunday is 0.',
        examples: [['timestamp("2024-12-31T00:00:00Z").getDayOfWeek()', '2']],
      },
      {
        name: 'getDayOfYear',
        meaning: 'The day of the year, from 0.',
        examples: [['timestamp("2024-12-31T00:00:00Z").getDayOfYear()', '365']],
      },
      {
        name: 'getHours',
        meaning: 'The hour.',
        examples: [
          ['timestamp("2024-12-31T23:30:00Z").getHours("+05:30")', '5'],
          ['duration("90m").getHours()', '1'],
        ],
      },
      {
        name: 'getMinutes',
        meaning: 'The minute.',
        examples: [
          ['timestamp("2024-12-31T23:30:00Z").getMinutes()', '30'],
          ['duration("1h30m").getMinutes()', '90'],
        ],
      },
      { name: 'getSeconds', meaning: 'The second.', examples: [['duration("1m1s").getSeconds()', '61']] },
      {
        name: 'getMilliseconds',
        meaning: 'The millisecond.',
        examples: [['timestamp("2024-12-31T23:30:00.25Z").getMilliseconds()', '250']],
      },
    ],
  },
  {
    title: 'Lists',
    entries: [
      {
        name: 'slice',
        meaning: 'From a position up to another, which is left out.',
        examples: [['[1, 2, 3].slice(0, 2)', '[1, 2]']],
      },
      {
        name: 'flatten',
        meaning: 'Lists in a list put one after the other, to a depth of 1 or more.',
        examples: [['[[1], [2, 3]].flatten()', '[1, 2, 3]']],
      },
      { name: 'sort', meaning: 'In ascending order.', examples: [['[3, 1, 2].sort()', '[1, 2, 3]']] },
      { name: 'distinct', meaning: 'Each value once.', examples: [['[1, 2, 1].distinct()', '[1, 2]']] },
      { name: 'first', meaning: 'The first element, if there is one.', examples: [['[1, 2].first().value()', '1']] },
      {
        name: 'last',
        meaning: 'The last element, if there is one.',
        examples: [
          ['[1, 2].last().value()', '2'],
          ['[].last().hasValue()', 'false'],
        ],
      },
      {
        name: 'lists.range',
        meaning: 'The integers from 0 up to a number, which is left out.',
        examples: [['lists.range(3)', '[0, 1, 2]']],
      },
    ],
  },
  {
    title: 'Sets',
    intro: 'Lists read as sets.',
    entries: [
      {
        name: 'hasIntersection',
        meaning: 'Whether two lists share an element.',
        examples: [
          ['hasIntersection(["a", "b"], ["b", "c"])', 'true'],
          ['P.attr.teams.hasIntersection(R.attr.teams)', 'true'],
        ],
      },
      {
        name: 'has_intersection',
        meaning: 'An old spelling of `hasIntersection`; a warning.',
        examples: [['has_intersection(["a"], ["b"])', 'false']],
      },
      {
        name: 'intersect',
        meaning: 'What two lists share.',
        examples: [['intersect(["a", "b"], ["b", "c"])', '["b"]']],
      },
      {
        name: 'except',
        meaning: 'What is in the first and not in the second.',
        examples: [['["a", "b"].except(["b"])', '["a"]']],
      },
      {
        name: 'isSubset',
        meaning: 'Whether all of the first are in the second.',
        examples: [['["a"].isSubset(["a", "b"])', 'true']],
      },
      {
        name: 'is_subset',
        meaning: 'An old spelling of `isSubset`; a warning.',
        examples: [['is_subset(["a"], ["b"])', 'false']],
      },
      {
        name: 'sets.contains',
        meaning: 'Whether all of the second are in the first: the other way round than `isSubset`.',
        examples: [['sets.contains(["a", "b"], ["a"])', 'true']],
      },
      {
        name: 'sets.equivalent',
        meaning: 'Whether both have the same elements, however often.',
        examples: [['sets.equivalent([1, 2], [2, 1, 1])', 'true']],
      },
      {
        name: 'sets.intersects',
        meaning: 'Whether they share an element.',
        examples: [['sets.intersects([1, 2], [2, 3])', 'true']],
      },
    ],
  },
  {
    title: 'Numbers',
    entries: [
      { name: 'math.abs', meaning: 'Without its sign.', examples: [['math.abs(-3)', '3']] },
      { name: 'math.ceil', meaning: 'The next whole number up.', examples: [['math.ceil(1.2)', '2']] },
      { name: 'math.floor', meaning: 'The next whole number down.', examples: [['math.floor(-1.2)', '-2']] },
      {
        name: 'math.round',
        meaning: 'The nearest whole number; a half goes away from zero.',
        examples: [
          ['math.round(2.5)', '3'],
          ['math.round(-2.5)', '-3'],
        ],
      },
      { name: 'math.trunc', meaning: 'The whole part.', examples: [['math.trunc(-1.7)', '-1']] },
      { name: 'math.sign', meaning: '-1, 0 or 1.', examples: [['math.sign(-4)', '-1']] },
      { name: 'math.sqrt', meaning: 'The square root.', examples: [['math.sqrt(9)', '3']] },
      { name: 'math.isNaN', meaning: 'Whether it is no number.', examples: [['math.isNaN(0.0 / 0.0)', 'true']] },
      { name: 'math.isInf', meaning: 'Whether it is infinite.', examples: [['math.isInf(1.0 / 0.0)', 'true']] },
      { name: 'math.isFinite', meaning: 'Whether it is neither.', examples: [['math.isFinite(1.5)', 'true']] },
      { name: 'math.bitAnd', meaning: 'The bits that both have.', examples: [['math.bitAnd(6, 3)', '2']] },
      { name: 'math.bitOr', meaning: 'The bits that either has.', examples: [['math.bitOr(6, 3)', '7']] },
      { name: 'math.bitXor', meaning: 'The bits that one of them has.', examples: [['math.bitXor(6, 3)', '5']] },
      { name: 'math.bitNot', meaning: 'The bits it has not.', examples: [['math.bitNot(0)', '-1']] },
      { name: 'math.bitShiftLeft', meaning: 'The bits moved up.', examples: [['math.bitShiftLeft(1, 4)', '16']] },
      {
        name: 'math.bitShiftRight',
        meaning: 'The bits moved down; zeros come in from above.',
        examples: [['math.bitShiftRight(16, 3)', '2']],
      },
    ],
  },
  {
    title: 'Optional values',
    intro: 'A value that may not be there: what `.?` gives.',
    entries: [
      { name: 'optional.of', meaning: 'A value that is there.', examples: [['optional.of(1).hasValue()', 'true']] },
      { name: 'optional.none', meaning: 'One that is not.', examples: [['optional.none().orValue(2)', '2']] },
      {
        name: 'optional.ofNonZeroValue',
        meaning: 'None for zero, empty, false and null.',
        examples: [['optional.ofNonZeroValue("").hasValue()', 'false']],
      },
      { name: 'hasValue', meaning: 'Whether it is there.', examples: [['R.attr.?owner.hasValue()', 'true']] },
      {
        name: 'value',
        meaning: 'The value; an error when it is not there.',
        examples: [
          ['optional.of(1).value()', '1'],
          ['R.attr.?missing.value()', 'error: optional.none() dereference'],
        ],
      },
      {
        name: 'or',
        meaning: 'Itself, or another when it is not there.',
        examples: [['R.attr.?missing.or(R.attr.?owner).value()', '"bob"']],
      },
      { name: 'orValue', meaning: 'Its value, or another.', examples: [['R.attr.?missing.orValue("none")', '"none"']] },
      {
        name: 'optional.unwrap',
        meaning: 'The values that are there.',
        examples: [['optional.unwrap([optional.of(1), optional.none()])', '[1]']],
      },
      { name: 'unwrapOpt', meaning: 'The same.', examples: [['[optional.none(), optional.of(2)].unwrapOpt()', '[2]']] },
    ],
  },
  {
    title: 'Regular expressions',
    intro: 'RE2. With a group, its text is meant; there may be one.',
    entries: [
      {
        name: 'regex.extract',
        meaning: 'The first match, if any.',
        examples: [[String.raw`regex.extract("id-42", "id-(\\d+)").value()`, '"42"']],
      },
      {
        name: 'regex.extractAll',
        meaning: 'All of them.',
        examples: [[String.raw`regex.extractAll("a1b22", "\\d+")`, '["1", "22"]']],
      },
      {
        name: 'regex.replace',
        meaning: String.raw`All matches replaced, or the first so many; \`\\1\` is a group.`.replaceAll(
          String.raw`\``,
          '`',
        ),
        examples: [[String.raw`regex.replace("bob@x.org", "@(.*)", " at \\1")`, '"bob at x.org"']],
      },
    ],
  },
  {
    title: 'Networks',
    entries: [
      {
        name: 'ip',
        meaning: 'An address from a text; of a CIDR its address.',
        examples: [
          ['ip("10.0.0.1") == ip("10.0.0.1")', 'true'],
          ['string(cidr("10.1.0.0/16").ip())', '"10.1.0.0"'],
        ],
      },
      {
        name: 'cidr',
        meaning: 'A network from a text.',
        examples: [['cidr("10.0.0.0/8").containsIP("10.1.2.3")', 'true']],
      },
      { name: 'isIP', meaning: 'Whether a text is an address.', examples: [['isIP("300.1.1.1")', 'false']] },
      { name: 'isCIDR', meaning: 'Whether a text is a network.', examples: [['isCIDR("10.0.0.0/8")', 'true']] },
      {
        name: 'ip.isCanonical',
        meaning: 'Whether an address is written as RFC 5952 writes it.',
        examples: [['ip.isCanonical("2001:DB8::1")', 'false']],
      },
      { name: 'family', meaning: '4 or 6.', examples: [['ip("::1").family()', '6']] },
      { name: 'isLoopback', meaning: 'Whether it is this host.', examples: [['ip("127.0.0.1").isLoopback()', 'true']] },
      {
        name: 'isGlobalUnicast',
        meaning: 'Whether it may be routed; private addresses may.',
        examples: [['ip("10.0.0.1").isGlobalUnicast()', 'true']],
      },
      {
        name: 'isLinkLocalMulticast',
        meaning: 'Whether it is a multicast address of the link.',
        examples: [['ip("224.0.0.1").isLinkLocalMulticast()', 'true']],
      },
      {
        name: 'isLinkLocalUnicast',
        meaning: 'Whether it is an address of the link.',
        examples: [['ip("fe80::1").isLinkLocalUnicast()', 'true']],
      },
      {
        name: 'isUnspecified',
        meaning: 'Whether it is all zeros.',
        examples: [['ip("0.0.0.0").isUnspecified()', 'true']],
      },
      {
        name: 'containsIP',
        meaning: 'Whether a network has an address.',
        examples: [['cidr("192.168.0.0/24").containsIP(ip("192.168.1.1"))', 'false']],
      },
      {
        name: 'containsCIDR',
        meaning: 'Whether it has a network.',
        examples: [['cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16")', 'true']],
      },
      {
        name: 'isMask',
        meaning: 'Whether it has no bits behind its prefix.',
        examples: [['cidr("10.0.0.5/8").isMask()', 'false']],
      },
      {
        name: 'masked',
        meaning: 'The network without them.',
        examples: [['string(cidr("10.0.0.5/8").masked())', '"10.0.0.0/8"']],
      },
      {
        name: 'prefixLength',
        meaning: 'How many bits the prefix has.',
        examples: [['cidr("10.0.0.0/8").prefixLength()', '8']],
      },
      {
        name: 'inIPAddrRange',
        meaning: 'Whether the address in a text is in the network in another.',
        examples: [['"10.20.0.5".inIPAddrRange("10.20.0.0/16")', 'true']],
      },
    ],
  },
  {
    title: 'Hierarchies',
    intro: 'Names with levels, such as `acme.hr.uk`.',
    entries: [
      {
        name: 'hierarchy',
        meaning: 'Of a text with dots, or another separator, or of a list.',
        examples: [
          ['hierarchy("a.b.c").size()', '3'],
          ['hierarchy("a/b", "/")[1]', '"b"'],
        ],
      },
      {
        name: 'ancestorOf',
        meaning: 'Whether the other is below it.',
        examples: [['hierarchy("a").ancestorOf(hierarchy("a.b.c"))', 'true']],
      },
      {
        name: 'descendentOf',
        meaning: 'Whether it is below the other.',
        examples: [['hierarchy("a.b").descendentOf(hierarchy("a"))', 'true']],
      },
      {
        name: 'immediateParentOf',
        meaning: 'Whether the other is right below it.',
        examples: [['hierarchy("a").immediateParentOf(hierarchy("a.b"))', 'true']],
      },
      {
        name: 'immediateChildOf',
        meaning: 'Whether it is right below the other.',
        examples: [['hierarchy("a.b.c").immediateChildOf(hierarchy("a"))', 'false']],
      },
      {
        name: 'overlaps',
        meaning: 'Whether one is the other, or below it.',
        examples: [['hierarchy("a.b").overlaps(hierarchy("a"))', 'true']],
      },
      {
        name: 'siblingOf',
        meaning: 'Whether both are right below the same.',
        examples: [['hierarchy("a.b").siblingOf(hierarchy("a.c"))', 'true']],
      },
      {
        name: 'commonAncestors',
        meaning: 'What is above both.',
        examples: [['hierarchy("a.b.c").commonAncestors(hierarchy("a.b.d")) == hierarchy("a.b")', 'true']],
      },
    ],
  },
  {
    title: 'Paths',
    intro: 'Paths of files, as texts; nothing is looked up. Windows paths are known by their backslashes.',
    entries: [
      { name: 'basePath', meaning: 'The last element.', examples: [['basePath("/a/b.txt")', '"b.txt"']] },
      { name: 'dirPath', meaning: 'What it is in.', examples: [['dirPath("/a/b.txt")', '"/a"']] },
      { name: 'extPath', meaning: 'Its extension, with the dot.', examples: [['extPath("/a/b.txt")', '".txt"']] },
      {
        name: 'volumeName',
        meaning: 'The volume of a Windows path.',
        examples: [[String.raw`volumeName("C:\\a")`, '"C:"']],
      },
      {
        name: 'relPath',
        meaning: 'The way from the first to the second.',
        examples: [['relPath("/a", "/a/b/c")', '"b/c"']],
      },
      { name: 'joinPath', meaning: 'Elements put together.', examples: [['joinPath(["/a", "b"])', '"/a/b"']] },
      {
        name: 'pathHasPrefix',
        meaning: 'Whether it is in a folder, or is it.',
        examples: [
          ['pathHasPrefix("/a/b", "/a")', 'true'],
          ['"/ab".pathHasPrefix("/a")', 'false'],
        ],
      },
      {
        name: 'pathMatch',
        meaning: 'Whether a glob matches it; `*` does not go past a `/`.',
        examples: [['pathMatch("/a/b.txt", "/a/*.txt")', 'true']],
      },
      {
        name: 'pathMatchAnyOf',
        meaning: 'Whether one of several does.',
        examples: [['"/a/b".pathMatchAnyOf(["/x", "/a/*"])', 'true']],
      },
    ],
  },
  {
    title: 'SPIFFE',
    intro: 'Identities of workloads.',
    entries: [
      {
        name: 'spiffeID',
        meaning: 'An identity from a text.',
        examples: [['spiffeID("spiffe://example.org/web").path()', '"/web"']],
      },
      {
        name: 'spiffeTrustDomain',
        meaning: 'A trust domain from a text.',
        examples: [['spiffeTrustDomain("example.org").name()', '"example.org"']],
      },
      {
        name: 'spiffeMatchAny',
        meaning: 'Matches every identity.',
        examples: [['spiffeMatchAny().matchesID("spiffe://example.org/web")', 'true']],
      },
      {
        name: 'spiffeMatchExact',
        meaning: 'Matches one.',
        examples: [['spiffeMatchExact("spiffe://example.org/web").matchesID("spiffe://example.org/db")', 'false']],
      },
      {
        name: 'spiffeMatchOneOf',
        meaning: 'Matches those of a list.',
        examples: [['spiffeMatchOneOf(["spiffe://example.org/web"]).matchesID("spiffe://example.org/web")', 'true']],
      },
      {
        name: 'spiffeMatchTrustDomain',
        meaning: 'Matches those of a trust domain.',
        examples: [['spiffeMatchTrustDomain("example.org").matchesID("spiffe://example.org/web")', 'true']],
      },
      {
        name: 'path',
        meaning: 'The path of an identity.',
        examples: [['spiffeID("spiffe://example.org/a/b").path()', '"/a/b"']],
      },
      {
        name: 'trustDomain',
        meaning: 'Its trust domain.',
        examples: [['spiffeID("spiffe://example.org/a").trustDomain().name()', '"example.org"']],
      },
      {
        name: 'isMemberOf',
        meaning: 'Whether it is of a trust domain.',
        examples: [['spiffeID("spiffe://example.org/a").isMemberOf(spiffeTrustDomain("example.org"))', 'true']],
      },
      {
        name: 'name',
        meaning: 'The name of a trust domain.',
        examples: [['spiffeTrustDomain("spiffe://example.org").name()', '"example.org"']],
      },
      {
        name: 'matchesID',
        meaning: 'Whether a matcher matches an identity.',
        examples: [['spiffeMatchAny().matchesID(spiffeID("spiffe://example.org"))', 'true']],
      },
    ],
  },
];
