/**
 * Functions and methods of other languages and what to write instead, by name in lower case without underscores. The
 * expressions in backticks are compiled by a test. Braces have a part of the author's call (WrittenParts), and what is
 * written where the call has no such part.
 */
export const functionAdvice: ReadonlyMap<string, string> = new Map(
  (
    [
      [
        'write `{other:"x"} in {subject:R.attr.tags}` for an element of a list or a key of a map, or `{subject:R.attr.name}.contains({other:"x"})` for a part of a string',
        'includes include contain member memberof in isin inlist inarray oneof isoneof elementof',
      ],
      [
        'write `{subject:R.attr.tags}.filter(x, x == "a")` for the elements, or `{subject:R.attr.tags}.exists(x, x == "a")` if there is one',
        'find findfirst findlast findall detect search findindex grep where select reject query pick',
      ],
      [
        'write `{subject:R.attr.tags}.exists(x, x == "a")` if the condition must hold for some element',
        'some any exist anymatch existsany forsome anyof',
      ],
      [
        'write `{subject:R.attr.tags}.all(x, x == "a")` if the condition must hold for each element',
        'every allmatch forall each foreach allof everyone',
      ],
      ['write `!{subject:R.attr.tags}.exists(x, x == "a")`', 'none nonematch noneof notexists'],
      [
        'no function folds a list: write `{subject:R.attr.tags}.exists(x, x == "a")`, `{subject:R.attr.tags}.all(x, x == "a")` or `size({subject:R.attr.tags})`',
        'reduce fold foldl foldr inject aggregate accumulate',
      ],
      ['write `{subject:R.attr.tags}.map(x, x + "a")`', 'collect pluck flatmap transform mapvalues'],
      ['write `size({subject:R.attr.tags})`', 'len length count sizeof strlen cardinality'],
      [
        'write `{other:"a"} in {subject:R.attr.map}` for a key, or `{subject:R.attr.map}.exists(key, key == "a")`: a macro on a map goes over its keys',
        'has keys getkeys keyset objectkeys haskey containskey hasproperty hasownproperty hasfield hasattr hasattribute',
      ],
      [
        'write `{subject:R.attr.map}.exists(key, value, value == 1)`: a macro with two variables goes over keys and values',
        'values entries items entryset tolist',
      ],
      [
        'write `{subject:R.attr.map}.key` or `{subject:R.attr.map}["key"]`',
        'get getattr getvalue getfield getin at index elementat nth lookup',
      ],
      [
        'write `{subject:R.attr.name}.lowerAscii()`',
        'tolowercase tolower lower lowercase downcase lcase casefold lowerunicode',
      ],
      ['write `{subject:R.attr.name}.upperAscii()`', 'touppercase toupper upper uppercase upcase ucase'],
      ['write `{subject:R.attr.name}.trim()`', 'strip trimstart trimend ltrim rtrim trimspace lstrip rstrip'],
      ['write `{subject:R.attr.name}.substring(0, 3)`', 'substr subseq mid left right slicestring'],
      ['write `{subject:R.attr.name}.replace("a", "b")`', 'replaceall gsub sub'],
      ['write `{subject:R.attr.name}.startsWith({other:"a"})`', 'hasprefix beginswith beginwith startwith'],
      ['write `{subject:R.attr.name}.endsWith({other:"a"})`', 'hassuffix endwith'],
      [
        'write `{subject:R.attr.name}.matches("^a.*$")`',
        'match test regex regexmatch rematch matchesregex regexpmatch regexp like ilike rlike glob globmatch',
      ],
      ['write `string({subject:R.attr.a})`', 'tostring str tostr stringify text tos'],
      ['write `int({subject:R.attr.a})`', 'parseint toint tointeger integer number toi long tolong parselong asint'],
      ['write `double({subject:R.attr.a})`', 'parsefloat float tofloat tonumber decimal todouble numeric'],
      ['write `{subject:R.attr.a} == true`', 'tobool boolean toboolean istrue isfalse parsebool'],
      ['write `size({subject:R.attr.tags}) == 0`', 'isempty empty isblank isnotempty notempty isnullorempty'],
      ['write `{subject:R.attr.a} == {other:"b"}`', 'equals equal eq is isequal equalsto strictequal same'],
      ['write `{subject:R.attr.a}.lowerAscii() == {other:"b"}`', 'equalsignorecase iequals equalfold'],
      ['write `{subject:R.attr.a} != {other:"b"}`', 'notequals ne neq notequal'],
      ['write `{subject:R.attr.a} == null`', 'isnull isnil isnone'],
      [
        'write `has({field:R.attr.a})` to test whether the attribute was sent',
        'defined isdefined isset exists present ispresent notnull isnotnull isundefined',
      ],
      [
        'write `has({field:R.attr.a}) ? {field:R.attr.a} : {other:"default"}`',
        'coalesce default getordefault getorelse orelse ifnull nvl ordefault',
      ],
      [
        'write `isSubset(["a"], {subject:R.attr.tags})` if the list must have all of these elements',
        'containsall hasall includesall isparentof issuperset issupersetof superset subset supersetof issubsetof',
      ],
      [
        'write `hasIntersection(["a"], {subject:R.attr.tags})` if the list must have one of these elements',
        'containsany hasany includesany intersects overlap overlapping containsone anyin inany',
      ],
      ['write `intersect(["a"], {subject:R.attr.tags})`', 'intersection setintersection'],
      ['write `except({subject:R.attr.tags}, ["a"])`', 'difference without minus diff setdifference'],
      ['write `{subject:R.attr.tags} + ["a"]`', 'push append add concat union extend'],
      ['write `{subject:R.attr.tags}[0]`', 'head peek'],
      ['write `{subject:R.attr.tags}.distinct()`', 'unique uniq dedupe toset set'],
      [
        'write `now()` for the time of the request, and `timestamp("2026-01-31T00:00:00Z")` for a fixed time',
        'today currenttime currentdate currenttimestamp gettime date datetime time totimestamp parsedate todate strptime parsetime utcnow',
      ],
      [
        'write `now() + duration("24h")`',
        'adddays addhours addminutes addseconds adddate plus minusdays subtract dateadd datesub subtractdays',
      ],
      [
        'write `timeSince({time:timestamp(R.attr.created)}) < duration("24h")`',
        'datediff timediff dayssince daysbetween diffdays since age elapsed',
      ],
      ['write `{time:timestamp(R.attr.a)}.getFullYear()`', 'year getyear fullyear'],
      ['write `{time:timestamp(R.attr.a)}.getMonth()`, from 0 for January', 'month'],
      [
        'write `{time:timestamp(R.attr.a)}.getDate()` for the day of the month from 1, or `{time:timestamp(R.attr.a)}.getDayOfWeek()` from 0 for Sunday',
        'day getday weekday dayofweek dayofmonth',
      ],
      ['write `{time:timestamp(R.attr.a)}.getHours()`', 'hour gethour'],
      ['write `{time:timestamp(R.attr.a)}.getMinutes()`', 'minute getminute'],
      ['write `{time:timestamp(R.attr.a)} < now()`', 'before isbefore'],
      ['write `{time:timestamp(R.attr.a)} > now()`', 'after isafter'],
      ['write `duration("24h")`', 'days hours minutes seconds interval timedelta weeks'],
      ['write `math.greatest(1, 2)`', 'max maximum greatest'],
      ['write `math.least(1, 2)`', 'min minimum least'],
      ['write `math.abs(-1)`', 'abs'],
      ['write `math.ceil(1.5)`', 'ceil ceiling'],
      ['write `math.floor(1.5)`', 'floor'],
      ['write `math.round(1.5)`', 'round'],
      ['write `math.sqrt(4.0)`', 'sqrt'],
      ['write `!(R.attr.a == 1)`', 'not negate'],
      ['write `R.attr.a == 1 && R.attr.b == 2`', 'and allof'],
      ['write `R.attr.a == 1 || R.attr.b == 2`', 'or xor'],
      ['write `R.attr.a == 1 ? "yes" : "no"`', 'if iif ifelse cond case choose ternary when'],
      ['write `"admin" in P.roles`', 'hasrole hasroles isinrole inrole hasanyrole hasallroles isrole userhasrole'],
      [
        'write `{subject:R.attr.ip}.inIPAddrRange("10.0.0.0/8")`',
        'ipinrange incidr cidrmatch inrange inipaddressrange ipinsubnet insubnet cidrcontains ismatchcidr matchescidr',
      ],
      [
        'write `type({subject:R.attr.a}) == string`',
        'typeof instanceof isstring isnumber isint isbool isarray islist ismap isobject',
      ],
      ['write `R.attr.a >= 1 && R.attr.a <= 5`', 'between isbetween within'],
    ] as const
  ).flatMap(([advice, names]) => names.split(' ').map((name) => [name, advice] as const)),
);
