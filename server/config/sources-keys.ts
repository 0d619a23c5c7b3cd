import * as v from 'valibot';
import { maskUrl } from './mask.js';
import { isPlainHttp } from './plain-http.js';
import { about, fields, makeMap, makePath, mustBe } from './schema-type.js';
import { key, optionalKey, section } from './section.js';
import { bool, duration, integer, name, pickOne, texts } from './value-types.js';

/** The types of facts. */
const FACT_TYPES = ['string', 'number', 'boolean', 'timestamp', 'list', 'map', 'any'] as const;

/** The longest time that a timer measures, in milliseconds. */
const LONGEST = 2 ** 31 - 1;

const callerWords = pickOne('use', 'ignore', 'refuse');

/** The URL of a source. It may not hold a password, as messages name it. */
const sourceUrl = v.pipe(
  name,
  v.check(
    (written) => /^https?:\/\/[^\s/@?#]+\/[^\s#]*$/.test(written) && (written.match(/\{ids?\}/g) ?? []).length === 1,
    mustBe('a URL without credentials and with `{ids}` or `{id}` once: `https://host/people?ids={ids}`', false),
  ),
  v.check(
    (written) => !written.includes('{ids}') || /\?[^#]*=[^&]*\{ids\}/.test(written),
    mustBe('a URL with `{ids}` in a value of the query', false),
  ),
  v.check(
    (written) => !/\{id\}/.test(written) || /=[^&]*\{id\}/.test(written) || /\/\{id\}([/?]|$)/.test(written),
    mustBe('a URL with `{id}` in a value of the query or as a whole segment of the path', false),
  ),
  about({ words: 'URL', json: { type: 'string', pattern: '^https?://.*\\{ids?\\}' } }),
);

/** A JSON pointer (RFC 6901). */
const pointer = v.pipe(
  v.string(mustBe('a JSON pointer')),
  v.check((written) => written === '' || written.startsWith('/'), mustBe('a JSON pointer that begins with `/`')),
  about({ json: { type: 'string', pattern: '^(/.*)?$' } }),
);

const pgUrl = v.pipe(
  name,
  v.check((written) => /^postgres(?:ql)?:\/\//.test(written), mustBe('a URL that begins with `postgresql://`', false)),
  about({
    json: { type: 'string', pattern: '^(postgres(ql)?://|.*\\$)' },
    show: (written) => maskUrl(String(written)),
  }),
);

const httpSource = v.pipe(
  fields({
    url: sourceUrl,
    maxKeys: v.optional(integer(1, 1000), 100n),
    tokenFile: v.optional(name),
    forward: v.optional(pickOne('authorization')),
    items: v.optional(pointer, ''),
    id: v.optional(pointer, '/id'),
    attributes: v.optional(makeMap(pointer), {}),
    nulls: v.optional(pickOne('null', 'absent')),
    notFound: v.optional(integer(404, 410)),
    plainHttp: v.optional(bool, false),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { url, plainHttp } = dataset.value;
    if (URL.canParse(url) && isPlainHttp(new URL(url)) && !plainHttp)
      addIssue({
        message: 'needs `https://`: an attacker on the network could change facts; `plainHttp: true` allows it',
        path: makePath('url'),
      });
    if (dataset.value.forward !== undefined && dataset.value.tokenFile !== undefined)
      addIssue({
        message: 'contradicts `tokenFile`: both are the header `authorization`',
        path: makePath('forward'),
      });
  }),
);

const sqlSource = fields({
  url: pgUrl,
  tables: name,
  table: v.optional(name),
  maxConnections: v.optional(integer(1, 100), 4n),
});

const source = v.pipe(
  fields({
    of: name,
    provides: v.optional(
      v.union(
        [makeMap(pickOne(...FACT_TYPES)), texts],
        'must be a list of attributes, or a map of attributes to types',
      ),
    ),
    http: v.optional(httpSource),
    sql: v.optional(sqlSource),
    selects: v.optional(
      fields({ roles: v.optional(name), scope: v.optional(name), policyVersion: v.optional(name) }),
      {},
    ),
    key: v.optional(name),
    deadline: v.optional(duration(1, LONGEST)),
    caller: v.optional(callerWords),
    notFound: v.optional(pickOne('unknown', 'absent'), 'unknown'),
    cost: v.optional(integer(0, 1000)),
    search: v.optional(bool, false),
    subjectType: v.optional(name),
    cache: v.optional(
      fields({
        maxAge: v.optional(duration(), 0n),
        maxStale: v.optional(duration(), 0n),
        maxEntries: v.optional(integer(1, 10_000_000), 10_000n),
      }),
      {},
    ),
  }),
  v.check(({ http, sql }) => (http === undefined) !== (sql === undefined), 'must have one of `http` and `sql`'),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { http, provides } = dataset.value;
    if (http !== undefined && (provides === undefined || Array.isArray(provides)))
      addIssue({
        message: 'must be a map of attributes to types, such as `{department: string}`, for `http`',
        path: makePath('provides'),
      });
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { of, http, sql, key, caller, search, selects, subjectType, cache } = dataset.value;
    if (sql !== undefined && sql.table === undefined) {
      const refuse = (path: string, message: string): void => addIssue({ message, path: makePath(path) });
      if (of !== 'principal') refuse('sql', 'needs `table`: only `of: principal` may read `users` of the file');
      if (Object.keys(selects).length > 0)
        refuse(
          'selects',
          'contradicts `users` of the file of tables, which declares the roles: set `table`, or leave out `selects`',
        );
      if (key !== undefined)
        refuse('key', 'contradicts `users` of the file of tables, whose rows are found by their id');
      if (caller === 'use')
        refuse(
          'caller',
          '`use` contradicts `users` of the file of tables: roles that callers send would replace theirs',
        );
    }
    if (http?.forward !== undefined && (cache.maxAge > 0n || cache.maxStale > 0n))
      addIssue({
        message: 'contradicts `http.forward`: what one caller may read must not be kept for others',
        path: makePath('cache'),
      });
    if (selects.roles !== undefined && of !== 'principal')
      addIssue({ message: 'needs `of: principal`', path: makePath('selects') });
    if (key !== undefined && Object.keys(selects).length > 0)
      addIssue({ message: 'needs rows that are found by their id, not by `key`', path: makePath('selects') });
    if (search && sql === undefined) addIssue({ message: 'needs `sql`: rows of a table', path: makePath('search') });
    if (search && key !== undefined)
      addIssue({ message: 'needs rows that are found by their id, not by `key`', path: makePath('search') });
    if (subjectType !== undefined && (of !== 'principal' || !search))
      addIssue({ message: 'needs `of: principal` and `search: true`', path: makePath('subjectType') });
  }),
);

/** `sources`: where facts come from that callers do not send (docs/sources.md). */
export const sourcesKeys = section({
  from: key(
    v.pipe(makeMap(source), about({ words: 'map of names to [sources](sources.md)' })),
    {},
    'where [facts](sources.md) come from that callers do not send: a source for each name, with `of`, `provides`, and `http` ' +
      'or `sql`; needs policies that were compiled with `--facts`',
  ),
  deadline: key(duration(1, LONGEST), '250ms', 'maximum time to fetch the facts of a call'),
  maxSkew: optionalKey(
    duration(),
    'how far apart the facts of a decision may have been fetched: older ones are fetched once more, and then count as not available',
  ),
  onFailure: key(
    pickOne('unavailable', 'deny'),
    'unavailable',
    'what happens if a fact that matters is not available: the call fails with 503 / UNAVAILABLE, or the action is denied',
  ),
  caller: key(
    callerWords,
    'use',
    'what happens to facts that a caller sends and a source provides: they are used, replaced, or refused',
  ),
  sent: key(texts, [], 'facts that callers send: `resource.attr.owner`, `principal.attr.*`'),
  require: key(bool, false, 'refuse policies that read facts that no source provides and `sources.sent` does not name'),
  search: section({
    maxPageSize: key(integer(1, 10_000), 1000, 'maximum number of results in a page of a [search](api.md#searches)'),
    maxRows: key(
      integer(1, 1_000_000),
      10_000,
      'maximum number of subjects that are decided for a page of a search of subjects; the next page goes on',
    ),
    timeout: key(duration(1, LONGEST), '5s', 'maximum time of a query of a search, and of deciding about its rows'),
    maxConnections: key(
      integer(1, 100),
      2,
      'maximum number of connections for searches to the database of each source, per process; facts have others',
    ),
  }),
  tellNotFound: key(
    bool,
    false,
    'let error messages tell that a source has no row for an id, which makes the server an oracle for ids',
  ),
});
