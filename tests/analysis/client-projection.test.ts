import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { runtimeFolder } from '../../compiler/load/runtime-folder.js';
import { emitClient } from '../../packages/analysis/client/emit.js';
import { projectClient } from '../../packages/analysis/client/project.js';
import { type ClientView, readClientView } from '../../packages/analysis/client/view.js';
import { bundleClient } from '../../compiler/bundle/client.js';
import type { Prover } from '../../packages/analysis/question/question.js';
import { makeProver } from '../../packages/analysis/solve/prover.js';
import { findZ3, startZ3 } from '../../packages/analysis/solve/z3.js';
import { writeClient } from '../../packages/cli/policies/client.js';
import { createEngine, type Engine } from '../../runtime/engine/index.js';
import { compileTexts, loaded, ROOT } from '../support/compiled.js';
import { skip } from '../support/skip.js';

/* The projection for clients never says yes or no wrongly, and contains nothing that is only for the server. */

const test = suite('client projection');
const z3 = findZ3(ROOT);

type Answer = 'allowed' | 'denied' | 'conditional';
interface Client {
  readonly bundleHash: string;
  capabilities(request: object): readonly { readonly [action: string]: Answer }[];
}

/** One process of the solver for all projections. */
const prover = z3 === undefined ? undefined : makeProver(startZ3(z3), { effort: 3 });

async function projected(texts: { readonly [path: string]: string }, view: ClientView) {
  const { program, lowered, ...rest } = compileTexts(texts);
  assert.ok(program && lowered, JSON.stringify(rest.diagnostics));
  const projection = await projectClient(lowered, view, prover);
  const text = await bundleClient(emitClient(projection, view, 'h1'), runtimeFolder());
  const { policies } = await loaded({ program, lowered, ...rest });
  const client = (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as Client;
  return { projection, text, client, engine: createEngine(policies) as Engine };
}

test.after(() => prover?.close());

const rule = (actions: readonly string[], effect: string, roles: readonly string[], expr?: string): object => ({
  actions,
  effect: `EFFECT_${effect}`,
  roles,
  ...(expr !== undefined && { condition: { match: { expr } } }),
});

function policyText(rules: readonly object[], more: object = {}): string {
  return JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: { resource: 'doc', version: 'default', rules, ...more },
  });
}

const VIEW = readClientView(`
client:
  kinds: { doc: { actions: [view, edit, delete], attributes: [owner, flag, n, list] } }
  principal: { attributes: [department] }
`);

const SECRETS = ['TOP-SECRET', 'hidden', 'clearance', 'auditor', '424242', 'secretly'];

const RULES = [
  rule(['view', 'edit'], 'ALLOW', ['user'], 'R.attr.owner == P.id'),
  rule(['view'], 'ALLOW', ['user'], 'R.attr.flag == true || R.attr.hidden == "TOP-SECRET"'),
  rule(['edit'], 'DENY', ['*'], 'R.attr.hidden == "TOP-SECRET" && P.attr.department != "it"'),
  rule(['delete'], 'ALLOW', ['user'], 'P.attr.clearance > 424242.0'),
  { ...rule(['export'], 'ALLOW', ['auditor']), name: 'secretly' },
];

/** Invoices of tenants: accountants, authors, and what nobody may do. */
const INVOICES = {
  'invoice.yaml': JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      resource: 'invoice',
      version: 'default',
      importDerivedRoles: ['tenant_roles'],
      rules: [
        rule(['*'], 'DENY', ['*'], '!(has(P.attr.tenant) && R.attr.tenant == P.attr.tenant)'),
        rule(['view', 'create', 'edit'], 'ALLOW', ['accountant']),
        {
          actions: ['view', 'edit'],
          effect: 'EFFECT_ALLOW',
          derivedRoles: ['author'],
          condition: { match: { expr: 'R.attr.amount < 10000.0' } },
        },
        rule(['delete'], 'ALLOW', ['accountant'], 'R.attr.status == "draft"'),
        rule(['edit', 'delete'], 'DENY', ['*'], 'R.attr.status == "paid"'),
      ],
    },
  }),
  'tenant_roles.yaml': JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    derivedRoles: {
      name: 'tenant_roles',
      definitions: [
        { name: 'author', parentRoles: ['employee'], condition: { match: { expr: 'R.attr.author == P.id' } } },
      ],
    },
  }),
};

/** Policies in which everything that a view does not list has a name, a string or a number that nothing else has. */
function secretPolicies() {
  const secret = (word: string): string => `secret-${word}`;
  const condition = (expr: string): object => ({ condition: { match: { expr } } });
  const apiVersion = 'api.authz.dev/v1';
  const policies = [
    {
      description: 'secret description',
      variables: { local: { secret_variable: 'R.attr.secretly == "secret value"' } },
      constants: { local: { secret_constant: 424_242 } },
      resourcePolicy: {
        resource: 'doc',
        version: 'default',
        importDerivedRoles: ['secret_derived'],
        variables: { local: { secret_variable: 'R.attr.secretly == "secret value"' } },
        constants: { local: { secret_constant: 424_242 } },
        rules: [
          { ...rule(['view', 'edit'], 'ALLOW', ['user'], 'R.attr.owner == P.id'), name: secret('name') },
          rule(['read', 'view'], 'ALLOW', ['user'], 'R.attr.owner == P.id'),
          rule(['read'], 'ALLOW', ['user'], 'P.attr.department == "it" || V.secret_variable'),
          rule(['edit'], 'DENY', ['*'], 'R.attr.n > double(C.secret_constant)'),
          rule(['edit'], 'ALLOW', [secret('role')], 'R.attr.secretly == 1.0'),
          rule(['edit'], 'ALLOW', ['user'], 'R.attr.secretly > 31337.0'),
          rule([secret('action')], 'ALLOW', ['user', secret('other-role')], 'R.attr.owner == "secret owner"'),
          rule(['view'], 'ALLOW', ['user'], 'request.aux_data.jwt.secret_claim == "secret issuer"'),
          rule(['view'], 'ALLOW', ['user'], 'globals.secret_global == "secret region"'),
          rule(['view'], 'ALLOW', ['user'], 'R.attr.list.exists(secret_element, secret_element == R.attr.secretly)'),
          rule(['view'], 'ALLOW', ['user'], '{"secret key": 1}["secret key"] == R.attr.n'),
          {
            ...rule(['view'], 'ALLOW', ['user'], 'R.attr.flag'),
            output: { when: { ruleActivated: '"secret output"' } },
          },
          { actions: ['edit'], effect: 'EFFECT_ALLOW', derivedRoles: ['secret_owner'] },
        ],
      },
    },
    {
      derivedRoles: {
        name: 'secret_derived',
        definitions: [
          { name: 'secret_owner', parentRoles: [secret('parent')], ...condition('R.attr.secretly == "x"') },
        ],
      },
    },
    {
      principalPolicy: {
        principal: secret('principal'),
        version: 'default',
        rules: [
          {
            resource: 'doc',
            actions: [{ action: 'view', effect: 'EFFECT_DENY', ...condition('R.attr.n == 31337.0') }],
          },
        ],
      },
    },
    {
      rolePolicy: {
        role: secret('clerk'),
        version: 'default',
        scope: '',
        parentRoles: [secret('boss')],
        rules: [{ resource: secret('kind'), allowActions: ['view'] }],
      },
    },
    {
      resourcePolicy: {
        resource: 'doc',
        version: 'default',
        scope: secret('scope'),
        rules: [rule(['view'], 'DENY', ['user'], 'R.attr.owner == "secret tenant"')],
      },
    },
    {
      resourcePolicy: {
        resource: 'doc',
        version: 'secret_version',
        rules: [rule(['view'], 'DENY', ['user'], 'R.attr.owner == "secret of a version"')],
      },
    },
    {
      resourcePolicy: {
        resource: secret('kind'),
        version: 'default',
        rules: [rule(['view'], 'DENY', ['user'], 'R.attr.owner == "secret of a kind"')],
      },
    },
  ].map(({ description, ...policy }, index) => {
    const { variables: _, constants: __, ...own } = policy as { variables?: object; constants?: object };
    const text = JSON.stringify({ apiVersion, ...(description && { description }), ...own });
    return [`secret-${index}.yaml`, `# secret comment\n${text}\n`] as const;
  });
  const kinds = { doc: { actions: ['read', 'view', 'edit'], attributes: ['owner', 'flag', 'n', 'list'] } };
  return {
    texts: Object.fromEntries(policies),
    view: { client: { kinds, principal: { attributes: ['department'] } } },
  };
}

if (z3 === undefined) skip(import.meta.url, 'z3-solver is not installed');
else {
  test('decides what the view can tell, and leaves the rest open', async () => {
    const { projection, text, client } = await projected({ 'doc.yaml': policyText(RULES) }, VIEW);
    assert.equal(projection.unproved, []);
    const ask = (attr: object, principal: object = {}, more: object = {}) =>
      client.capabilities({
        principal: { id: 'u1', roles: ['user'], ...principal },
        resource: { kind: 'doc' },
        rows: [{ id: '1', attr }],
        actions: ['view', 'edit', 'delete', 'other'],
        ...more,
      })[0] as { readonly [action: string]: Answer };
    const other = 'conditional';
    assert.equal(ask({ owner: 'u1' }), { view: 'allowed', edit: other, delete: other, other });
    assert.equal(ask({ owner: 'u1' }, { attr: { department: 'it' } }).edit, 'allowed');
    assert.is(ask({ owner: 'u2' }).edit, 'denied');
    assert.is(ask({}).edit, 'conditional', 'what is absent is unknown');
    assert.is(ask({}, {}, { complete: true }).edit, 'denied');
    assert.is(ask({ owner: undefined }, {}, { complete: true }).edit, 'conditional');
    assert.is(ask({ owner: 'u1' }, { roles: ['guest'] }).view, 'denied');
    assert.is(ask({ owner: 'u1' }, {}, { bundleHash: 'h2' }).view, 'conditional', 'a stale projection says nothing');
    assert.is(
      ask({ owner: 'u1' }, { scope: 'acme' }).view,
      'allowed',
      'the scope of a principal finds only its own policies',
    );
    assert.is(ask({ owner: 'u1' }, { policyVersion: 'v2' }).view, 'conditional');
    assert.is(ask({ owner: 'u1' }, { actors: [{ id: 'a' }] }).view, 'conditional');
    assert.is(ask({ owner: () => 1 }).view, 'conditional');
    for (const secret of SECRETS) assert.not.ok(text.includes(secret), `${secret} is in the bytes`);
    assert.not.match(text, /sourceMappingURL|\/\*|\/\/ /);
  });

  test('what a row lacks at any depth is unknown, and names of prototypes are attributes like others', async () => {
    const conditions = [
      'R.attr.constructor == "x"',
      'R.attr.address.city == "x"',
      'has(R.attr.address.city)',
      'R.attr.list.exists(s, s.role == "x")',
      'R.attr.list.exists(x, R.attr.list.exists(x, R.attr.list.exists(y, x != y)))',
      'R.attr.map[P.id] == "x"',
      'R.attr.map == R.attr.address',
      'R.attr.map.exists(key, key == "x")',
      'size(R.attr.map) == 1',
    ];
    const actions = conditions.map((_, index) => `a${index}`);
    const rules = conditions.map((expr, index) => rule([`a${index}`], 'ALLOW', ['user'], expr));
    const attributes = ['constructor', 'address', 'list', 'map'];
    const view = readClientView(JSON.stringify({ client: { kinds: { doc: { actions, attributes } } } }));
    const { client, projection } = await projected({ 'doc.yaml': policyText(rules) }, view);
    assert.equal(projection.unproved, []);
    const ask = (attr: object, complete = false): string =>
      Object.values(
        client.capabilities({
          principal: { id: 'u1', roles: ['user'] },
          resource: { kind: 'doc' },
          rows: [{ id: '1', attr }],
          actions,
          complete,
        })[0] as object,
      )
        .map((answer: Answer) => answer[0])
        .join('');
    const partial = { address: {}, list: [{}], map: {} };
    assert.is(ask(partial), 'ccccccccc');
    assert.is(ask(partial, true), 'dddddd' + 'add');
    assert.is(
      ask({ constructor: 'x', address: { city: 'x' }, list: [{ role: 'x' }, 1], map: { u1: 'x' } }),
      'aaaac' + 'cccc',
    );
    assert.is(ask({ constructor: 'y', address: 'x', list: [1, 'x'], map: ['x'] }), 'dddda' + 'ddaa');
  });

  test('for albums and invoices it takes at most 4 KB', async () => {
    const folder = join(ROOT, 'policies');
    const texts = Object.fromEntries(
      ['album.yaml', 'album_roles.yaml'].map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
    );
    const view = readClientView(`
client:
  kinds:
    album: { actions: [view, edit, delete], attributes: [owner, visibility, friends, status] }
    invoice: { actions: [view, create, edit, delete], attributes: [tenant, author, amount, status] }
  principal: { attributes: [tenant] }
`);
    const { text, projection } = await projected({ ...texts, ...INVOICES }, view);
    assert.equal(projection.unproved, []);
    const size = gzipSync(text, { level: 9 }).length;
    console.log(`  album and invoice: ${text.length} bytes, ${size} gzipped`);
    assert.ok(size <= 4096, `${size} bytes`);
  });

  test('no name, string, number or comment that is only for the server is in the bytes', async () => {
    const { texts, view } = secretPolicies();
    const { text, projection } = await projected(texts, readClientView(JSON.stringify(view)));
    assert.equal(projection.unproved, []);
    assert.not.match(text, /secret|424242|31337|sourceMappingURL|\/\*|\/\/ /i);
    // What the view has is there.
    for (const shown of ['owner', 'department', 'view', 'edit', 'user', 'it']) assert.match(text, `"${shown}"`);
  });

  test('policies of listed scopes decide in them, and conditions on the time if the clock is trusted', async () => {
    const rules = [
      rule(['view'], 'ALLOW', ['user'], 'R.attr.owner == P.id'),
      rule(['edit'], 'ALLOW', ['user'], 'now() > timestamp(R.attr.until)'),
    ];
    const texts = {
      'doc.yaml': policyText(rules),
      'acme.yaml': policyText([rule(['view'], 'DENY', ['user'], 'R.attr.flag')], { scope: 'acme' }),
      'other.yaml': policyText([rule(['view'], 'DENY', ['user'], 'R.attr.n == 5.0')], { scope: 'other' }),
    };
    const kinds = { doc: { actions: ['view', 'edit'], attributes: ['owner', 'flag', 'until', 'n'] } };
    const past = { owner: 'u1', flag: true, until: '2000-01-01T00:00:00Z', n: 5 };
    for (const clock of ['unknown', 'trusted']) {
      const view = readClientView(JSON.stringify({ client: { kinds, scopes: ['acme'], clock } }));
      const { client, projection } = await projected(texts, view);
      assert.equal(projection.unproved, []);
      const ask = (scope: string, attr: object = past): object =>
        client.capabilities({
          principal: { id: 'u1', roles: ['user'] },
          resource: { kind: 'doc', scope },
          rows: [{ id: '1', attr }],
          actions: ['view', 'edit'],
        })[0] as object;
      const edit = clock === 'trusted' ? 'allowed' : 'conditional';
      assert.equal(ask(''), { view: 'allowed', edit });
      assert.equal(ask('acme'), { view: 'denied', edit });
      assert.equal(ask('other'), { view: 'conditional', edit: 'conditional' }, 'a scope that is not listed');
      const later = { ...past, until: '2900-01-01T00:00:00Z' };
      assert.equal(ask('', later), { view: 'allowed', edit: clock === 'trusted' ? 'denied' : 'conditional' });
    }
  });

  test('attributes that schemas mark are in the view, the hash is that of the bundle, and the report names rules', async () => {
    const report = new Diagnostics();
    const resource = {
      type: 'object',
      properties: { owner: { type: 'string', 'x-authz-client': true }, hidden: { type: 'string' } },
      allOf: [{ $ref: '#/$defs/flagged' }],
      $defs: { flagged: { properties: { flag: { 'x-authz-client': true } } } },
    };
    const schemas = new Map([
      ['doc.json', JSON.stringify(resource)],
      [
        'user.json',
        JSON.stringify({ type: 'object', properties: { clearance: {}, department: { 'x-authz-client': true } } }),
      ],
    ]);
    const references = {
      schemas: {
        resourceSchema: { ref: 'authz:///doc.json' },
        principalSchema: { ref: 'authz:///user.json' },
      },
    };
    const rules = RULES.map((one, index) => ({ name: `rule-${index}`, ...one }));
    const compilation = compile([new Source('doc.yaml', policyText(rules, references))], report, {
      schemaTexts: schemas,
    });
    assert.equal(compilation.diagnostics, []);
    const written = await writeClient(
      { ...compilation, schemas },
      'client: { kinds: { doc: { actions: [view, edit, delete] }, note: { actions: [view] } } }',
      async () => prover as Prover,
    );
    assert.equal(written.diagnostics, []);
    assert.equal(written.report, [
      'warning: no policy of the kind `note` is in the scope of requests without one: it is always conditional',
      'doc view: allowed, denied, conditional; decides 77 % of cases; the rest is open because of rule-1 (doc.yaml:1)',
      'doc edit: allowed, denied, conditional; decides 94 % of cases; the rest is open because of rule-2 (doc.yaml:1)',
      'warning: never allowed: doc delete: denied, conditional; decides 50 % of cases; the rest is open because of rule-3 (doc.yaml:1)',
    ]);
    const client = (await import(`data:text/javascript,${encodeURIComponent(written.text as string)}`)) as Client;
    const { policies } = await loaded(compilation);
    assert.is(client.bundleHash, policies.hash);
    const [answer] = client.capabilities({
      principal: { id: 'u1', roles: ['user'], attr: { department: 'it' } },
      resource: { kind: 'doc' },
      rows: [{ id: '1', attr: { owner: 'u1', flag: false } }],
      actions: ['view', 'edit', 'delete'],
    });
    assert.equal(answer, { view: 'allowed', edit: 'allowed', delete: 'conditional' });
  });

  test('without a solver nothing is proved, so nothing is emitted', async () => {
    const { lowered } = compileTexts({ 'doc.yaml': policyText(RULES) });
    assert.ok(lowered);
    const { unproved } = await projectClient(lowered, VIEW, undefined);
    assert.ok(unproved.length > 0 && unproved.every(({ reason }) => reason === 'no solver'));
  });
}

test('a view with a wrong key, a glob or no action says where', () => {
  const read =
    (text: string): (() => unknown) =>
    () =>
      readClientView(text);
  assert.throws(read('client: { kinds: { doc: { actions: [a], attribute: [b] } } }'), /unknown key `attribute`/);
  assert.throws(read('client: { kinds: { doc: { actions: ["a:*"] } } }'), /not the glob `a:\*`/);
  assert.throws(read('client: { kinds: { doc: { actions: [] } } }'), /must name an action/);
  assert.throws(read('client: { kinds: [doc] }'), /`client.kinds` must be a map/);
});

test.run();
