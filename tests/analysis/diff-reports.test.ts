import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DiffAnswer, DiffReport, DiffRow, WitnessRequest } from '../../packages/analysis/diff/report.js';
import { diffJson } from '../../packages/analysis/diff/report/json.js';
import { diffList } from '../../packages/analysis/diff/report/list.js';
import { markdownDiff } from '../../packages/analysis/diff/report/markdown.js';
import { prettyDiff } from '../../packages/analysis/diff/report/pretty.js';
import { plain } from '../../compiler/diagnostics/paint.js';

const test = suite('reports of authzc diff');

/** Names that do harm on terminals, in Markdown or in HTML. */
const HOSTILE = '`|<img src=x>@all\n### \u001b[2Jx\u202e\\|"\'**_[a](b)';

const REQUEST: WitnessRequest = {
  principal: { id: 'alice', roles: ['user'], attr: {} },
  resource: { kind: 'album', id: 'r1', attr: { visibility: 'family', friends: ['alice'] } },
  action: 'view',
  auxData: { jwt: {} },
  globals: {},
  now: '2025-01-01T00:00:00Z',
};

const NO: DiffAnswer = { answer: 'no', by: 'bdd' };

const AUDIENCE = { rule: 'resource.album.vdefault#audience', place: { file: 'album.yaml', line: 16, column: 7 } };

test('pretty: rows with one verdict, one request and one cause are one paragraph', () => {
  assert.is(
    pretty([
      row({
        action: 'comment:*',
        verdict: 'widened',
        roles: ['user', 'guest:*'],
        widened: yes('comment:x'),
        causes: [cause()],
      }),
      row({ action: 'delete' }),
      row({ action: 'view', verdict: 'widened', roles: ['user', 'guest:*'], widened: yes('view'), causes: [cause()] }),
      row({
        kind: 'leave_request',
        scope: 'acme.hr',
        action: 'approve',
        verdict: 'not narrowed',
        widened: open('does not replay', ['inIPAddrRange']),
      }),
      row({
        kind: 'leave_request',
        scope: 'acme.hr',
        action: 'view',
        verdict: 'narrowed',
        roles: ['user'],
        narrowed: denied(),
      }),
    ]),
    `album
  WIDENED   comment:*, view   roles: user, guest:*
    alice [user] may comment:x album r1 now
      principal  {"id":"alice","roles":["user"]}
      resource   {"kind":"album","id":"r1","attr":{"visibility":"family","friends":["alice"]}}
      before     DENY   no rule allows
      after      ALLOW  audience, new/album.yaml:16:7
    because  audience, new/album.yaml:16:7   "friends" → in ["friends", "family"]
    not narrowed: proved

leave_request   scope acme.hr
  NOT DECIDED   approve
    widening: not decided, there is no proof, and no request that replays (inIPAddrRange)
    not narrowed: proved
  NARROWED   view   roles: user
    alice [user] may not view album r1 any more
      principal  {"id":"alice","roles":["user"]}
      resource   {"kind":"album","id":"r1","attr":{"visibility":"family","friends":["alice"]}}
      before     ALLOW  audience, old/album.yaml:16:7
      after      DENY   no rule allows
    not widened: proved

5 rows of kind, version, scope and action: 1 unchanged, 2 widened, 1 narrowed, 0 mixed, 1 not decided
`,
  );
});

test('pretty: rows that differ in the request, in the roles or in the cause are apart', () => {
  const widened = (more: Partial<DiffRow>): DiffRow => row({ verdict: 'widened', widened: yes('view'), ...more });
  const other: DiffAnswer = { ...yes('view'), request: { ...REQUEST, resource: { ...REQUEST.resource, attr: {} } } };
  const text = pretty([
    widened({}),
    widened({ widened: other }),
    widened({ roles: ['user'] }),
    widened({ causes: [cause()] }),
  ]);
  assert.is(text.match(/WIDENED/g)?.length, 4);
});

test('pretty: nothing changed, nothing to compare, a part that was looked at, and time', () => {
  assert.is(pretty([row({}), row({ action: 'edit' })]), '2 rows of kind, version, scope and action: all unchanged\n');
  assert.is(pretty([]), '0 rows of kind, version, scope and action: nothing to compare\n');
  const narrowed = { ...reportOf([row({})]), limits: { solver: 'none', effort: 3, kind: 'al*', scope: '' } };
  assert.is(
    prettyDiff(narrowed, { pathOf, paint: plain, took: 640 }),
    'only kind al*, scope ""\n1 row of kind, version, scope and action: all unchanged   (0.6 s)\n',
  );
});

test('pretty: what changed but is not compared is listed', () => {
  const report = { ...reportOf([row({})]), alsoChanged: [{ what: 'output', rule: 'resource.album.vdefault#locked' }] };
  assert.is(
    prettyDiff(report as DiffReport, { pathOf, paint: plain }),
    'also changed, and not compared\n  output  resource.album.vdefault#locked\n\n1 row of kind, version, scope and action: all unchanged\n',
  );
});

test('what decisions read now and did not is listed in each format', () => {
  const reads = [
    {
      kind: 'album',
      action: 'edit',
      change: 'also reads',
      path: 'resource.attr.region',
      roles: ['user'],
      lines: ['a.yaml:12'],
    },
    { kind: 'album scope acme', action: 'view', change: 'no longer reads', path: 'now()', roles: [], lines: [] },
  ] as const;
  const report = { ...reportOf([row({})]), reads };
  assert.match(
    prettyDiff(report, { pathOf, paint: plain }),
    'what decisions read\n  album: edit now also reads `resource.attr.region` for user (new/a.yaml:12)\n  album scope acme: view no longer reads `now()`\n\n1 row',
  );
  assert.match(
    diffList(report),
    'reads: added kind=album action=edit path=resource.attr.region roles=user\nreads: removed kind="album scope acme" action=view path=now()\n',
  );
  assert.match(
    markdownDiff(report),
    '`album`: `edit` now also reads `resource.attr.region` for `user` (`a.yaml:12`).\n\n`album scope acme`: `view` no longer reads `"now()"`.',
  );
});

test('pretty: principals with policies, versions, combined roles, claims, globals and time', () => {
  const request = {
    ...REQUEST,
    auxData: { jwt: { aud: 'x' } },
    globals: { region: 'eu' },
    now: '2024-02-29T00:00:00Z',
  };
  const text = pretty([
    row({
      version: 'v2',
      principal: { id: 'bob', scope: 'acme' },
      verdict: 'widened, narrowing not decided',
      combined: true,
      widened: { ...yes('view'), request },
      narrowed: open('time'),
      causes: [{ ...cause(), side: 'old', condition: undefined } as never],
    }),
  ]);
  assert.match(
    text,
    /^album {3}version v2 {3}principal bob {3}principal scope acme\n {2}WIDENED {3}view {3}roles: combined\n/,
  );
  assert.match(
    text,
    /\n {6}auxData {4}\{"jwt":\{"aud":"x"\}\}\n {6}globals {4}\{"region":"eu"\}\n {6}now {8}"2024-02-29T00:00:00Z"\n/,
  );
  assert.match(
    text,
    /\n {4}because {2}audience, old\/album\.yaml:16:7 {3}removed\n {4}narrowing: not decided, the run ended first\n/,
  );
  assert.match(
    text,
    /\n1 row of kind, version, scope and action: 0 unchanged, 1 widened, 0 narrowed, 0 mixed, 1 not decided\n$/,
  );
});

test('all formats: rows that need the solver are counted, once', () => {
  const rows = [
    row({ verdict: 'not decided', widened: open('no solver'), narrowed: open('no solver') }),
    row({ action: 'edit' }),
  ];
  const note = '1 row undecided; install z3-solver to decide most of them: npm install --save-dev z3-solver';
  assert.ok(pretty(rows).endsWith(`\nnote: ${note}\n`));
  assert.ok(diffList(reportOf(rows)).endsWith(`\nnote: ${note}\n`));
  assert.is(markdownDiff(reportOf(rows)).split(note).length, 2);
});

test('list: a line for each row, with what it says', () => {
  assert.is(
    diffList(
      reportOf([
        row({}),
        row({ action: 'a b', scope: 'acme', verdict: 'widened', roles: ['user', 'guest:*'], widened: yes('a b') }),
        row({
          action: 'x',
          named: false,
          verdict: 'widened, narrowing not decided',
          combined: true,
          widened: yes('x'),
          narrowed: open('time'),
        }),
        row({
          kind: '-',
          principal: { id: 'bob', scope: 'acme' },
          verdict: 'not widened',
          narrowed: open('no solver'),
        }),
      ]),
    ),
    `album default - view unchanged
album default acme "a b" widened roles=user,guest:* ${JSON.stringify({ ...REQUEST, action: 'a b' })}
album default - ~x widened roles=combined undecided=narrowing:time ${JSON.stringify({ ...REQUEST, action: 'x' })}
"-" default - view not-decided principal=bob principal-scope=acme undecided=narrowing:no-solver
note: 1 row undecided; install z3-solver to decide most of them: npm install --save-dev z3-solver
`,
  );
});

test('json: the report, on which JSON parsers agree', () => {
  const report = reportOf([row({ kind: HOSTILE })]);
  const text = diffJson(report);
  assert.equal(JSON.parse(text), JSON.parse(JSON.stringify(report)));
  assert.not.match(text, /[\u001b\u202e]/);
});

test('markdown: a table of what changed, requests to replay, and a marker on the last line', () => {
  assert.is(
    markdownDiff(
      reportOf([
        row({ verdict: 'widened', roles: ['user', 'guest:*'], widened: yes('view') }),
        row({ action: 'edit' }),
        row({
          kind: 'leave_request',
          scope: 'acme.hr',
          action: 'approve',
          verdict: 'not narrowed',
          widened: open('does not replay', ['inIPAddrRange']),
        }),
      ]),
    ),
    `### Policies: 1 widened, 1 not decided, 1 unchanged

| | kind | actions | roles | example |
|---|---|---|---|---|
| 🔺 widened | \`album\` | \`view\` | \`user\`, \`guest:*\` | \`alice\` [\`user\`] may now **\`view\`** \`{"visibility":"family","friends":["alice"]}\` |
| ❔ not decided | \`leave_request\` (scope \`acme.hr\`) | \`approve\` |  | widening not decided: there is no proof, and no request that replays (\`inIPAddrRange\`) |

<details><summary>Requests to replay</summary>

- \`{"principal":{"id":"alice","roles":["user"]},"resource":{"kind":"album","id":"r1","attr":{"visibility":"family","friends":["alice"]}},"action":"view"}\`: DENY → ALLOW

</details>

1 row proved unchanged. <!-- authzc-diff -->
`,
  );
});

test('markdown: a report without changes says so in its title', () => {
  assert.is(
    markdownDiff(reportOf([row({})])),
    '### Policies: no decision changes\n\n1 row proved unchanged. <!-- authzc-diff -->\n',
  );
  assert.match(markdownDiff(reportOf([])), /^### Policies: nothing to compare\n/);
});

test('markdown: names from policies stay in their cells, and are neither tags nor mentions', () => {
  const text = markdownDiff(reportOf([hostile()]));
  const table = text.split('\n').filter((line) => line.startsWith('|'));
  for (const line of table) assert.is(cellsOf(line), 5, line);
  assert.not.match(outsideCode(text), /img|@all|\\|###.*x/);
  assert.not.match(text, /[\u001b\u202e]/);
  const [request = ''] = /(?<=^- `)[^`]*(?=`)/m.exec(text) ?? [];
  assert.equal((JSON.parse(request) as WitnessRequest).resource, hostileRequest().resource);
});

test('pretty and list: names from policies do not reach the terminal as they are', () => {
  for (const text of [pretty([hostile()]), diffList(reportOf([hostile()]))])
    assert.not.match(text, /[\u001b\u202e]|^###/m);
});

test('markdown: at most 50 rows and 60,000 characters', () => {
  const rows = (count: number, length: number): readonly DiffRow[] =>
    Array.from({ length: count }, (_, index) => {
      const resource = { ...REQUEST.resource, id: `r${index}`, attr: { name: '"`'.repeat(length) } };
      const widened = { ...yes('view'), request: { ...REQUEST, resource } };
      return row({
        kind: `k${index}`,
        roles: Array.from({ length: 20 }, (_, role) => `${role}${'r'.repeat(length)}`),
        verdict: 'widened',
        widened,
      });
    });
  const many = markdownDiff(reportOf(rows(60, 1)));
  assert.is(many.match(/^\| 🔺/gm)?.length, 50);
  assert.match(many, /\n\n… and 10 more\n\n/);
  assert.match(many, /, … and 10 more \|/);
  const long = markdownDiff(reportOf(rows(60, 20_000)));
  assert.ok(long.length <= 60_000, `${long.length}`);
  assert.match(long, /<!-- authzc-diff -->\n$/);
  assert.match(long, /\n… and \d+ more\n/);
});

test.run();

function row(more: Partial<DiffRow>): DiffRow {
  return {
    kind: 'album',
    version: 'default',
    scope: '',
    principal: null,
    action: 'view',
    named: true,
    verdict: 'unchanged',
    roles: [],
    combined: false,
    widened: NO,
    narrowed: NO,
    causes: [],
    ...more,
  };
}

function yes(action: string): Extract<DiffAnswer, { answer: 'yes' }> {
  return {
    answer: 'yes',
    by: 'search',
    request: { ...REQUEST, action },
    before: 'EFFECT_DENY',
    after: 'EFFECT_ALLOW',
    decidedBy: { before: null, after: AUDIENCE },
  };
}

function denied(): DiffAnswer {
  return { ...yes('view'), before: 'EFFECT_ALLOW', after: 'EFFECT_DENY', decidedBy: { before: AUDIENCE, after: null } };
}

function open(
  reason: Extract<DiffAnswer, { answer: '?' }>['reason'],
  uninterpreted: readonly string[] = [],
): DiffAnswer {
  return { answer: '?', reason, uninterpreted };
}

function cause(): DiffRow['causes'][number] {
  return { ...AUDIENCE, side: 'both', condition: { before: '"friends"', after: 'in ["friends",\n  "family"]' } };
}

function hostileRequest(): WitnessRequest {
  return {
    ...REQUEST,
    principal: { id: HOSTILE, roles: [HOSTILE], attr: { [HOSTILE]: HOSTILE } },
    resource: { kind: HOSTILE, id: HOSTILE, attr: { [HOSTILE]: HOSTILE } },
    action: HOSTILE,
  };
}

function hostile(): DiffRow {
  const rule = { rule: `resource.x.vdefault#${HOSTILE}`, place: { file: `${HOSTILE}.yaml`, line: 1, column: 1 } };
  return row({
    kind: HOSTILE,
    version: HOSTILE,
    scope: HOSTILE,
    principal: { id: HOSTILE, scope: HOSTILE },
    action: HOSTILE,
    verdict: 'widened, narrowing not decided',
    roles: [HOSTILE],
    widened: { ...yes('view'), request: hostileRequest(), decidedBy: { before: rule, after: rule } },
    narrowed: open('does not replay', [HOSTILE]),
    causes: [{ ...rule, side: 'both', condition: { before: HOSTILE, after: HOSTILE } }],
  });
}

function reportOf(rows: readonly DiffRow[]): DiffReport {
  const count = (wanted: (row: DiffRow) => boolean): number => rows.filter(wanted).length;
  return {
    old: { source: 'git:main:policies', hash: '5a0c1f0be2a97d11' },
    new: { source: 'policies', hash: '77d2b3a4c5e6f708' },
    rows,
    summary: {
      rows: rows.length,
      unchanged: count(({ verdict }) => verdict === 'unchanged'),
      widened: count(({ widened, narrowed }) => widened.answer === 'yes' && narrowed.answer !== 'yes'),
      narrowed: count(({ widened, narrowed }) => widened.answer !== 'yes' && narrowed.answer === 'yes'),
      mixed: count(({ widened, narrowed }) => widened.answer === 'yes' && narrowed.answer === 'yes'),
      undecided: count(({ widened, narrowed }) => widened.answer === '?' || narrowed.answer === '?'),
    },
    grants: [],
    reads: [],
    alsoChanged: [],
    limits: { solver: 'none', effort: 3 },
  };
}

function pathOf(side: 'old' | 'new', file: string): string {
  return `${side}/${file}`;
}

function pretty(rows: readonly DiffRow[]): string {
  return prettyDiff(reportOf(rows), { pathOf, paint: plain });
}

/** The number of cells of a table row, as GitHub splits it: a backslash protects a bar also in code. */
function cellsOf(line: string): number {
  return line.replace(/\\[!-/:-@[-`{-~]/g, '').split('|').length - 2;
}

function outsideCode(text: string): string {
  return text.replace(/`[^`]*`/g, '');
}
