/** Conditions that databases have answered otherwise than check, over rows of the typed table: each stands for a class of them. */
export const TYPED_HAZARDS: readonly string[] = [
  // A part that is empty, of an attribute that is missing.
  'R.attr.a.startsWith(R.attr.s)', 'R.attr.a.endsWith(R.attr.s)', 'R.attr.a.contains(R.attr.s)', 'R.attr.s.startsWith(P.attr.empty)', '"x".endsWith(R.attr.a)',
  // Columns of collations that differ, or that take other texts for equal.
  'R.attr.nick == "x"', 'R.attr.nick != "x"', 'R.attr.nick in ["x", "U1"]', '!(R.attr.nick in ["x", "U1"])', 'R.attr.nick < "b"', 'R.attr.nick.endsWith("x")',
  'R.attr.nick.contains("x")', 'R.attr.nick.startsWith("x")', 'R.attr.a.endsWith(R.attr.nick)', 'R.attr.nick == R.attr.word', 'R.attr.a == R.attr.word', 'R.attr.a < R.attr.word',
  'R.attr.a != R.attr.code', 'R.attr.nick + R.attr.a == "xx"', 'R.attr.nick + "x" in ["xx", "Xx"]', 'R.attr.word + R.attr.a < R.attr.tag + R.attr.nick', 'size(R.attr.nick + R.attr.word) == 2',
  'R.attr.tag == "x"', 'R.attr.tag != R.attr.nick', 'R.attr.tag in ["x", "y"]', 'R.attr.tag.startsWith("x")', 'R.attr.tag.contains("x")', 'R.attr.tag < "x"', 'R.attr.word.startsWith("a")',
  'R.attr.a in [R.attr.word, R.attr.nick]', 'R.attr.code == "x"', 'R.attr.code < R.attr.s', 'R.attr.nick.startsWith("x%")', 'R.attr.s.startsWith("x_")', 'R.attr.s.startsWith("\\\\")', 'R.attr.s.startsWith("é")',
  // Times that check cannot read.
  'timestamp(R.attr.at) < timestamp("2020-06-01T00:00:00Z")', 'timestamp(R.attr.at) > timestamp("2020-01-15T00:00:00Z")', 'timestamp(R.attr.at) != timestamp("2020-01-01T00:00:00Z")',
  'timestamp(R.attr.at) >= timestamp("0001-01-01T00:00:00Z")', 'timestamp(R.attr.at) == timestamp(R.attr.until)', 'timestamp(R.attr.at) != timestamp(R.attr.until)',
  'timestamp(R.attr.at) <= timestamp(R.attr.until)', 'timestamp(R.attr.at) < timestamp("2020-06-01T00:00:00.0000001Z")',
  // Numbers that are none, or no doubles.
  'R.attr.m > 5.0', 'R.attr.m < 5.0', 'R.attr.m != 5.0', 'R.attr.m == R.attr.m', 'R.attr.m >= R.attr.n', 'R.attr.m * 2.0 > 5.0', 'R.attr.m - 1.0 != 2.0', '!(R.attr.m > 5.0)', '!(R.attr.m < 5.0)',
];

/** Those that read documents, which are not rendered for MySQL. */
export const DOCUMENT_HAZARDS: readonly string[] = [
  // A scalar for an array.
  'R.attr.map.a[0] == "x"', 'R.attr.any[0] == "x"', 'R.attr.map.list[0] == "x"', 'R.attr.list[0] == "x"', 'R.attr.list[0][0] == "x"', 'R.attr.list.exists(t, t[0] == "x")', 'R.attr.list.exists(t, t[0][0] == "x")',
  '"x" in R.attr.list', '!("x" in R.attr.list)', 'R.attr.list.exists(t, t == "x")', 'R.attr.list.all(t, t != "x")', 'hasIntersection(R.attr.list, ["x", "y"])', 'size(R.attr.list) > 0',
  '["x"].isSubset(R.attr.list)', 'R.attr.list == "x"', 'R.attr.list != "x"', 'R.attr.list == null', 'R.attr.list > 0', 'R.attr.list.exists(t, t in ["x", "y"])', 'R.attr.list.exists_one(t, t == "x")',
  // Numbers that are no doubles.
  'R.attr.map.a > 5.0', 'R.attr.map.a < 5.0', 'R.attr.map.a == 0.0', 'R.attr.map.n != 0.0', 'R.attr.any > 5.0', 'R.attr.list.exists(t, t > 5.0)', '1 in R.attr.list', 'R.attr.map.a.n > 5.0', 'R.attr.map.n == 1.7976931348623157e308',
  'R.attr.map.a == R.attr.m', 'R.attr.map.a in [0.0, 1.0]',
  // Names that no document has.
  'R.attr.map[P.attr.nul] == "x"', 'R.attr.map[P.attr.half] != "x"', 'has(R.attr.map.a) && R.attr.map[P.attr.nul] == null',
  // A document beside several constants.
  'R.attr.map.a in ["x", "y"]', '!(R.attr.map.a in ["x", "y"])', 'R.attr.any in ["x", true]', 'R.attr.any in ["x", "x\\u0000"]', 'R.attr.any in ["x", 1, null]', 'R.attr.map.a.startsWith(R.attr.s)',
];
