/**
 * Policies that nobody would write, as source texts by path: every name, role, action and description that could break
 * a generator, and every form of expression. decisions.test.ts has their decisions, modules.test.ts checks their
 * modules.
 */
export function hostilePolicies(): Readonly<Record<string, string>> {
  const documents: readonly Document[] = [
    names(),
    texts(),
    manyRoles('thirty_one', 31),
    manyRoles('sixty_five', 65),
    sharedRoles(),
    manyRules(),
    attributes(),
    ...kinds(),
    macros(),
    bindings(),
    wholes(),
    expressions(),
    constants(),
    runtime(),
    ...derivedRoles(),
    ...consent(),
    principal(),
    principalByGlob(),
    role(),
    nothing(),
  ];
  return Object.fromEntries(
    documents.map((document, index) => [`p${String(index).padStart(3, '0')}.yaml`, JSON.stringify(document)]),
  );
}

export type Document = Readonly<Record<string, unknown>>;

/** Strings that are dangerous in code, in string literals, in comments, as property names or on a terminal. */
export const DANGEROUS_TEXTS: readonly string[] = [
  '*/ process.exit(1) /*',
  "'; throw new Error('out'); '",
  '"quoted"',
  '`${globalThis}`',
  '${globalThis.leaked = true}',
  'back\\slash\\',
  "end'\\",
  'line one\nthrow new Error("line two")',
  'return\rthrow new Error("cr")',
  'separators\u2028throw new Error("ls")\u2029throw new Error("ps")',
  'vertical\u000bform\u000cnext\u0085throw',
  'nul\u0000here',
  'bidi \u202e gnirts \u2066',
  'zero\u200bwidth\u200djoiner',
  'emoji 👩‍👩‍👧 🔐',
  '日本語のテキスト',
  '</script><!-- -->',
  '@ts-nocheck',
  '  @ts-expect-error',
  '# sourceMappingURL=data:,x',
  '//# sourceMappingURL=data:,x',
  '/ <reference path="/etc/passwd" />',
  '__proto__',
  'constructor',
  'x'.repeat(5000),
];

/** JavaScript keywords, identifiers of generated code, and members of Object.prototype. */
export const DANGEROUS_NAMES: readonly string[] = [
  'constructor',
  'then',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'eval',
  'arguments',
  'undefined',
  'NaN',
  'Infinity',
  'await',
  'async',
  'class',
  'default',
  'delete',
  'enum',
  'export',
  'function',
  'if',
  'import',
  'in',
  'let',
  'new',
  'null',
  'package',
  'return',
  'static',
  'super',
  'switch',
  'this',
  'true',
  'typeof',
  'var',
  'void',
  'with',
  'yield',
  'Map',
  'Set',
  'Object',
  'globalThis',
  'cel',
  'request',
  'principal',
  'resource',
  'P',
  'R',
  'V',
  'C',
  'G',
  'ALLOW',
  'DENY',
  'ANYONE',
  'always',
  'glob',
  'anyOf',
  'matchesAny',
  'Rule',
  'Request',
  'policies',
  'traced',
  'conditions',
  'hash',
  'item',
  'list',
  'values',
  'pattern',
  'rule',
  'require',
  'module',
  'exports',
  'process',
];

/** A rule that allows an action to everyone under a condition. */
export function when(action: string, expr: string): Document {
  return { actions: [action], effect: 'EFFECT_ALLOW', roles: ['*'], condition: { match: { expr } } };
}

export function resourcePolicy(
  resource: string,
  rules: readonly Document[],
  more: Document = {},
  description?: string,
): Document {
  return {
    apiVersion: 'api.authz.dev/v1',
    ...(description !== undefined && { description }),
    resourcePolicy: { resource, version: 'default', rules, ...more },
  };
}

function names(): Document {
  const called = DANGEROUS_NAMES.map((name) => ({
    ...when(name, `R.attr.name == "${name}"`),
    name,
    roles: [name, `${name}s`],
  }));
  const clashes = ['edit-own', 'edit.own', 'edit_own', 'editOwn', 'edit@own', 'EDIT', 'edit-', 'a', 'A', 'a1', 'a-1'];
  return resourcePolicy('names', [
    ...called,
    ...clashes.map((name) => ({ ...when(name, 'true'), name })),
    { ...when('empty', 'true'), name: '' },
  ]);
}

function texts(): Document {
  const rules = DANGEROUS_TEXTS.flatMap((text, index) => [
    {
      actions: [text, `text${index}:*`],
      effect: 'EFFECT_ALLOW',
      roles: [text, `${text} *`],
      condition: {
        match: {
          any: {
            of: [
              { expr: `R.attr.text == ${JSON.stringify(text)}` },
              { expr: `R.attr[${JSON.stringify(text)}] == true` },
            ],
          },
        },
      },
      output: { when: { ruleActivated: `{${JSON.stringify(text)}: ${JSON.stringify(text)}}` } },
    },
  ]);
  const constants = Object.fromEntries(DANGEROUS_TEXTS.map((text, index) => [`c${index}`, [text, { [text]: text }]]));
  const uses = DANGEROUS_TEXTS.map((_, index) => when(`use${index}`, `R.attr.text in C.c${index}`));
  return resourcePolicy('texts', [...rules, ...uses], { constants: { local: constants } }, DANGEROUS_TEXTS.join('\n'));
}

/** One rule per role, and globs: more than there are bits. */
function manyRoles(kind: string, count: number): Document {
  const own = Array.from({ length: count }, (_, index) => ({
    actions: [`a${index}`],
    effect: 'EFFECT_ALLOW',
    roles: [`role${index}`],
  }));
  return resourcePolicy(kind, [
    ...own,
    { actions: ['shared'], effect: 'EFFECT_ALLOW', roles: ['role1', 'role3*', 'guest:*'] },
    { actions: ['shared'], effect: 'EFFECT_DENY', roles: ['role30'] },
  ]);
}

/** Many roles, of which rules distinguish only a few. */
function sharedRoles(): Document {
  const staff = Array.from({ length: 40 }, (_, index) => `staff${index}`);
  return resourcePolicy('shared_roles', [
    { actions: ['view'], effect: 'EFFECT_ALLOW', roles: [...staff, 'boss'] },
    { actions: ['edit'], effect: 'EFFECT_ALLOW', roles: ['boss'] },
  ]);
}

function manyRules(): Document {
  const rules = Array.from({ length: 100 }, (_, index) => when(`action${index % 10}`, `R.attr.n == ${index}`));
  return resourcePolicy('many_rules', rules);
}

function attributes(): Document {
  const keys = ['constructor', 'length', 'toString', '__proto__', 'valueOf', 'hasOwnProperty', 'at', 'size', 'keys'];
  const selected = keys.flatMap((key) => [
    when(`equals ${key}`, `R.attr.${key} == "x"`),
    when(`differs ${key}`, `!(R.attr.${key} == "x")`),
    when(`has ${key}`, `has(R.attr.${key})`),
    when(`nested ${key}`, `R.attr.o.${key} == "x"`),
    when(`nested has ${key}`, `has(R.attr.o.${key})`),
    when(`element ${key}`, `R.attr.l.exists(e, e.${key} == "x")`),
  ]);
  const indexed = ['0', 'a-b', '', 'ü', '1e3', '__proto__', "a'b"].flatMap((key) => [
    when(`index ${key}`, `R.attr[${JSON.stringify(key)}] == "x"`),
    when(`nested index ${key}`, `R.attr.o[${JSON.stringify(key)}] == "x"`),
    when(`in ${key}`, `${JSON.stringify(key)} in R.attr.o`),
  ]);
  const deep = `R.attr.${Array.from({ length: 60 }, (_, index) => `a${index}`).join('.')} == 1`;
  return resourcePolicy('attributes', [
    ...selected,
    ...indexed,
    when('deep', deep),
    when('back-tick', 'R.attr.`a-b` == "x"'),
  ]);
}

function kinds(): readonly Document[] {
  const odd = [
    'Album',
    'album',
    'ALBUM',
    'a b',
    'a/b:c',
    '..',
    '.',
    'con',
    'AUX',
    'nul.x',
    'é',
    '管理',
    '👩‍👩‍👧',
    'x'.repeat(300),
    `${'x'.repeat(300)}y`,
    '~41',
    'album.vx',
    'policies',
    'traced',
    'class',
    '1st',
    'K',
  ];
  return [
    ...odd.map((kind) => resourcePolicy(kind, [when('view', 'R.attr.ok == true')])),
    resourcePolicy('album', [when('view', 'R.attr.ok == false')], { version: 'x' }),
    resourcePolicy('album', [when('view', 'R.attr.ok == false')], { scope: 'acme' }),
    resourcePolicy('Album', [when('view', 'R.attr.ok == false')], { scope: 'ACME' }),
  ];
}

function macros(): Document {
  return resourcePolicy('macros', [
    when('nested', 'R.attr.l.exists(x, x.m.all(y, y.v > x.v && R.attr.l.exists(z, z.v == y.v)))'),
    when('shadowed', 'R.attr.l.exists(x, x.m.exists(x, x.v == 2))'),
    when('shadows P', 'R.attr.l.exists(P, P.v == 1)'),
    when('rooted', 'R.attr.l.exists(P, P.v == 1 && .P.id == "u")'),
    when('two over a list', 'R.attr.l.exists(i, v, i == 1 && v.v == 2)'),
    when('two over a map', 'R.attr.o.all(k, v, k != "" && v == "x")'),
    when('called pattern', 'R.attr.names.exists(pattern, pattern.matches("^a+$"))'),
    when('called list', 'R.attr.names.map(list, [list, "b"]).exists(values, "a" in ["a", "b"] && values[0] == "a")'),
    when(
      'keywords',
      'R.attr.names.exists(class, class == "a") && R.attr.names.all(delete, delete != "") && R.attr.names.exists(await, await == "a")',
    ),
    when('cel', 'R.attr.names.exists(cel, cel == "a" && cel.startsWith("a"))'),
    when('bind', 'cel.bind(x, R.attr.l.filter(e, e.v > 1), x.size() == 1 && x[0].v == 2)'),
    when('bind in bind', 'cel.bind(x, 1, cel.bind(x, x + 1, x == 2))'),
    when('exists one', 'R.attr.l.exists_one(x, x.v == 1)'),
    when('map', 'R.attr.l.map(x, x.v > 0, x.v) == [1, 2]'),
    when('literal maps', '[{"a": "b"}].exists(x, x.a == "b" && has(x.a))'),
    when('literal lists', '[["a"], []].exists(x, x.size() == 0 || x == [])'),
    when(
      'transform',
      'R.attr.o.transformMap(k, v, v + k) == {"k": "xk"} && R.attr.l.transformList(i, v, i == 0, v.v) == [1]',
    ),
    when('sorted', 'R.attr.l.sortBy(x, -x.v)[0].v == 2'),
    when('optional', 'R.attr.?o.?k.orValue("") == "x" && R.attr.?p.optMap(v, v + 1.0).orValue(3.0) == 3.0'),
    when('attributes themselves', 'R.attr.exists(k, k == "names") && R.attr.exists(k, v, k == "n" && v == 1.0)'),
  ]);
}

/** Variables named like JavaScript keywords and like each other in camelCase; failing ones. */
function bindings(): Document {
  const local: Record<string, string> = {
    then: 'R.attr.ok == true',
    constructor: 'V.then && R.attr.ok == true',
    __proto: 'V.constructor',
    is_ok: 'V.then',
    isOk: 'V.is_ok && V.constructor',
    IS_OK: 'V.isOk',
    class: 'R.attr.missing.x',
    list: '[R.attr.n, 2.0]',
    when: 'V.list[0] == 1.0',
    opt: 'optional.of(R.attr.n)',
    tree: 'hierarchy("a.b")',
  };
  return resourcePolicy(
    'bindings',
    [
      when('ok', 'V.IS_OK && V.__proto'),
      when('failed', 'V.class'),
      when('not failed', '!V.class'),
      when('has failed', 'has(V.class)'),
      when('has not failed', '!has(V.class)'),
      when('failed or true', 'V.class || true'),
      when('list', 'V.when && V.list.size() == 2'),
      when('unwrapped', 'V.opt == 1.0 && V.tree == ["a", "b"]'),
      {
        ...when('output', 'V.then'),
        output: { when: { ruleActivated: '[V.then, V.list]', conditionNotMet: 'V.class' } },
      },
    ],
    { variables: { local } },
  );
}

function wholes(): Document {
  return resourcePolicy(
    'wholes',
    [
      when('variables', 'V == V && V.a == 1'),
      when('constants', 'C == C && C.limit == 5.0'),
      when('globals', 'G == G'),
      when('global', 'has(G.region) && G.region == "eu"'),
      when('no global', 'has(G.constructor) || G.constructor == 1'),
      when('optional variable', 'V.?a.hasValue() || V.?unused.hasValue()'),
      when('principal', 'P == request.principal && P.id == "u"'),
      when('request', 'request == request && type(request.resource) == type(R)'),
      when('roles', '"admin" in P.roles && !("nobody" in P.roles)'),
      when('claims', 'request.auxData.jwt.sub == "s" && request.aux_data.jwts.b.claims.x == 1.0'),
      when('has claims', 'has(request.auxData.jwts.b.claims) && !has(request.auxData.jwts.c.claims)'),
      when(
        'nested claims',
        'request.auxData.jwts.b.claims.y.z == "deep" && request.auxData.jwts["b"].claims["x"] == 1.0',
      ),
      when('unset', 'P.scope == "" && !has(P.scope) && has(P.attr)'),
    ],
    { variables: { local: { a: '1', unused: '2' } }, constants: { local: { limit: 5, other: { a: [1] } } } },
  );
}

function expressions(): Document {
  const deepTernary = Array.from({ length: 30 }, (_, index) => `R.attr.n == ${index}.0 ? R.attr.l[0].v == 1.0 : `).join(
    '',
  );
  const nestedTernary = Array.from({ length: 12 }).reduce<string>(
    (inner) => `(${inner} ? R.attr.ok : R.attr.no)`,
    'R.attr.ok == true',
  );
  return resourcePolicy('expressions', [
    when('deep ternary', `${deepTernary}false`),
    when('nested ternary', `${nestedTernary} == true`),
    when(
      'ternary in a macro in a ternary',
      '(R.attr.l.exists(x, x.v == 1.0 ? true : false) ? R.attr.ok : R.attr.no) == true',
    ),
    when('many ands', Array.from({ length: 200 }, (_, index) => `R.attr.n != ${index + 5}`).join(' && ')),
    when('mixed', '(R.attr.ok == true || R.attr.no == true) && !(R.attr.n > 5.0 && R.attr.n < 3.0 || R.attr.n == 4.0)'),
    when('ints', 'int(R.attr.n) + 1 == 2 && 9223372036854775807 > 1 && R.attr.n < 9007199254740993'),
    when('uints', 'uint(R.attr.n) == 1u && 1u in [1u, 2u]'),
    when('bytes', 'bytes(R.attr.names[0]) == b"a" && b"\\x00\\xff" != b"a"'),
    when('types', 'type(R.attr.n) == double && type(R.attr.names) == list && type(1) != string'),
    when(
      'numbers',
      'R.attr.n == 1e0 && -0.0 == 0.0 && R.attr.n < 1e308 && 1.5 in [1.5, 2.5] && R.attr.n in [1, 2.0, 3u]',
    ),
    when('empty lists', '!(R.attr.n in []) && R.attr.names != [] && [] == [] && {} == {}'),
    when('not in', '!(R.attr.names[0] in ["b", "c"]) && !("x" in R.attr.names) && !(R.attr.n in [true, null])'),
    when(
      'times',
      'timestamp("2020-01-01T00:00:00Z") < now() && duration("1h") < duration("2h") && timestamp(R.attr.since).getFullYear() == 2020',
    ),
    when(
      'patterns',
      'R.attr.names[0].matches("^a$") && !R.attr.names[0].matches("^b") || R.attr.names[0].matches(R.attr.names[0])',
    ),
    when('format', '"%s-%d".format([R.attr.names[0], 1]) == "a-1"'),
    when('network', 'R.attr.ip.inIPAddrRange("10.0.0.0/8")'),
    when('messages', 'google.protobuf.Int32Value{value: 5} == 5'),
    when('optionals', '[?R.attr.?n, ?R.attr.?missing] == [1.0] && {?"a": R.attr.?n} == {"a": 1.0}'),
    when('constant', 'true'),
    when('never', '1 == 2'),
  ]);
}

function constants(): Document {
  const local = {
    constructor: 'x',
    toString: ['a', 'b'],
    nested: { __proto__x: { then: 1 }, list: [1, { a: null }] },
    empty: [],
    none: {},
    nil: null,
    yes: true,
    a: -0.5,
    cel: ['cel'],
    R: ['R'],
    request: { R: 1 },
  };
  return resourcePolicy(
    'constants',
    [
      when('scalars', 'C.constructor == "x" && C.a < 0.0 && C.yes && C.nil == null'),
      when('list', 'R.attr.names[0] in C.toString && !(R.attr.n in C.toString) && C.toString[1] == "b"'),
      when('paths', 'C.nested.__proto__x.then == 1.0 && C.nested["list"][0] == 1.0 && C.nested.list[1].a == null'),
      when('missing', 'C.nested.nothing == 1 || has(C.nested.constructor) || has(C.nested.list.length)'),
      when('has', 'has(C.nested) && has(C.nested.list)'),
      when('empty', '!(R.attr.n in C.empty) && C.empty == [] && C.none == {} && !("a" in C.none)'),
      when('names', '"cel" in C.cel && "R" in C.R && C.request.R == 1.0'),
      when('element', 'C.nested.list.exists(e, e == R.attr.n)'),
    ],
    { constants: { local } },
  );
}

function runtime(): Document {
  return resourcePolicy(
    'runtime',
    [
      { actions: ['own'], effect: 'EFFECT_ALLOW', derivedRoles: ['owner', 'then', 'class'] },
      when('reads', '"owner" in runtime.effectiveDerivedRoles'),
      when('whole', 'type(runtime) == type(runtime) && runtime.effective_derived_roles.size() > 0'),
    ],
    { importDerivedRoles: ['hostile-roles'] },
  );
}

/** Derived roles of two sets whose names become equal identifiers, with failing variables, read through `runtime`. */
function derivedRoles(): readonly Document[] {
  const set = (name: string, definitions: readonly Document[], more: Document = {}): Document => ({
    apiVersion: 'api.authz.dev/v1',
    derivedRoles: { name, definitions, ...more },
  });
  return [
    set(
      'hostile-roles',
      [
        { name: 'owner', parentRoles: ['user'], condition: { match: { expr: 'R.attr.owner == P.id' } } },
        { name: 'then', parentRoles: ['user'], condition: { match: { expr: 'V.bad == null' } } },
        {
          name: 'class',
          parentRoles: ['us*', '*'],
          condition: { match: { none: { of: [{ expr: 'has(V.bad)' }, { expr: 'V.other' }] } } },
        },
        { name: 'no-condition', parentRoles: ['user'] },
      ],
      { variables: { local: { bad: 'R.attr.missing.x', other: 'V.bad == 1' } } },
    ),
    set('second.roles', [
      { name: 'Owner', parentRoles: ['user'], condition: { match: { expr: 'R.attr.second == true' } } },
      { name: 'unused', parentRoles: ['user'], condition: { match: { expr: 'P.attr.x == 1' } } },
    ]),
    resourcePolicy(
      'two_sets',
      [
        {
          actions: ['view'],
          effect: 'EFFECT_ALLOW',
          roles: ['admin'],
          derivedRoles: ['owner', 'Owner', 'no-condition'],
          condition: { match: { expr: 'R.attr.ok == true' } },
        },
        { actions: ['owner'], effect: 'EFFECT_ALLOW', roles: ['*'], name: 'owner' },
        {
          actions: ['several'],
          effect: 'EFFECT_ALLOW',
          roles: ['admin'],
          derivedRoles: ['owner', 'no-condition'],
          name: 'constructor',
          condition: { match: { none: { of: [{ expr: 'R.attr.ok == true' }, { expr: 'V.x' }] } } },
          output: { when: { conditionNotMet: 'V.x' } },
        },
      ],
      { importDerivedRoles: ['hostile-roles', 'second.roles'], variables: { local: { x: 'R.attr.x == 1' } } },
    ),
    resourcePolicy('owner', [{ actions: ['view'], effect: 'EFFECT_ALLOW', derivedRoles: ['owner'], name: 'Owner' }], {
      importDerivedRoles: ['hostile-roles'],
    }),
  ];
}

function consent(): readonly Document[] {
  return [
    resourcePolicy('consent', [
      when('view', 'R.attr.public == true'),
      { actions: ['edit'], effect: 'EFFECT_ALLOW', roles: ['user'] },
    ]),
    resourcePolicy(
      'consent',
      [
        {
          ...when('view', 'R.attr.open == true'),
          condition: {
            match: { all: { of: [{ expr: 'R.attr.open == true' }, { none: { of: [{ expr: 'R.attr.locked' }] } }] } },
          },
        },
        { ...when('edit', '!(R.attr.locked == true) && R.attr.open == true'), roles: ['user'] },
      ],
      { scope: 'strict', scopePermissions: 'SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS' },
    ),
  ];
}

function principal(): Document {
  return {
    apiVersion: 'api.authz.dev/v1',
    description: '*/ a principal',
    principalPolicy: {
      principal: "o'brien\\ @example.com",
      version: 'default',
      rules: [
        {
          resource: 'album',
          actions: [
            { action: 'view', effect: 'EFFECT_DENY', name: 'constructor' },
            { action: 'edit*', effect: 'EFFECT_ALLOW', condition: { match: { expr: 'V.x' } } },
          ],
        },
        {
          resource: 'Album',
          actions: [
            {
              action: 'view',
              effect: 'EFFECT_ALLOW',
              name: 'constructor',
              condition: { match: { expr: 'R.attr.ok == true' } },
            },
          ],
        },
        {
          resource: 'a*',
          actions: [
            {
              action: '*',
              effect: 'EFFECT_ALLOW',
              condition: { match: { expr: 'R.attr.any' } },
              output: { when: { ruleActivated: 'R.id' } },
            },
          ],
        },
      ],
      variables: { local: { x: 'R.attr.edit == true' } },
    },
  };
}

function principalByGlob(): Document {
  return {
    apiVersion: 'api.authz.dev/v1',
    principalPolicy: {
      principal: 'globs',
      version: 'default',
      rules: [{ resource: '*:x', actions: [{ action: 'a', effect: 'EFFECT_DENY' }] }],
    },
  };
}

function role(): Document {
  return {
    apiVersion: 'api.authz.dev/v1',
    rolePolicy: {
      role: 'toString',
      version: 'default',
      parentRoles: ['__proto__', 'class'],
      rules: [
        {
          resource: 'album',
          allowActions: ['view', 'a*/b', '[ab]', "it's"],
          condition: { match: { expr: 'R.attr.x in C.list' } },
        },
        { resource: '*', allowActions: ['list'], name: 'class', output: { when: { ruleActivated: '"listed"' } } },
        { resource: 'photo', allowActions: ['view'] },
      ],
      constants: { local: { list: ['a', 'b'] } },
    },
  };
}

/** A policy without rules. */
function nothing(): Document {
  return { apiVersion: 'api.authz.dev/v1', resourcePolicy: { resource: 'nothing', version: 'default' } };
}
