import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  CodeActionRequest,
  CodeLensRequest,
  CompletionRequest,
  type CompletionItem,
  type CompletionList,
  DefinitionRequest,
  DocumentFormattingRequest,
  DocumentSymbolRequest,
  type DocumentSymbol,
  ExecuteCommandRequest,
  HoverRequest,
  type Location,
  PrepareRenameRequest,
  ReferencesRequest,
  RenameRequest,
  SemanticTokensRequest,
  type TextEdit,
  WorkspaceSymbolRequest,
} from 'vscode-languageserver-protocol/node';
import { type Editor, marked, openEditor } from '../support/editor/client.js';

const test = suite('authzc lsp');

const ALBUM = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  importDerivedRoles: [common]
  schemas:
    resourceSchema: { ref: authz:///album.json }
  variables:
    local:
      is_public: R.attr.visibility == "public"
  rules:
    - name: view-public
      actions: [view]
      roles: [user]
      effect: EFFECT_ALLOW
      condition:
        match:
          expr: V.is_public
    - actions: [edit, "delete"]
      derivedRoles: [owner]
      effect: EFFECT_ALLOW
`;

const COMMON = `apiVersion: api.authz.dev/v1
derivedRoles:
  name: common
  definitions:
    - name: owner
      parentRoles: [user]
      condition: {match: {expr: "R.attr.owner == P.id"}}
`;

const SCHEMA = JSON.stringify({
  type: 'object',
  properties: { owner: { type: 'string' }, visibility: { enum: ['public', 'private'] }, tags: { type: 'array' } },
  required: ['owner', 'visibility'],
});

const SUITE = `name: albums
tests:
  - name: the owner edits
    input: { principals: [alice], resources: [hers], actions: [edit, view] }
    expected:
      - { principal: alice, resource: hers, actions: { edit: EFFECT_ALLOW } }
  - name: everybody views
    input: { principals: [alice], resources: [hers], actions: [view] }
    expected:
      - { principal: alice, resource: hers, actions: { view: EFFECT_ALLOW } }
principals:
  alice: { id: alice, roles: [user] }
resources:
  hers: { kind: album, id: a1, attr: { owner: alice, visibility: private } }
`;

let editor: Editor;

test.before(async () => {
  editor = await openEditor({ 'album.yaml': ALBUM, 'common.yaml': COMMON, '_schemas/album.json': SCHEMA });
  await editor.open('album.yaml', ALBUM);
  await editor.open('common.yaml', COMMON);
  await editor.open('album_test.yaml', SUITE);
});

test.after(async () => {
  assert.is(await editor.close(), 0);
});

test('mistakes are reported as they are written, and a fix corrects them', async () => {
  await editor.edit('album.yaml', ALBUM.replace('expr: V.is_public', 'expr: V.is_publc'));
  const [found] = await editor.diagnostics('album.yaml', (list) => list.length > 0);
  assert.is(found?.code, 'variable/undefined');
  assert.match(String(found?.message), 'did you mean `is_public`?');
  assert.equal(found?.range.start, { line: 17, character: 16 });
  const actions = await editor.connection.sendRequest(CodeActionRequest.type, {
    textDocument: { uri: editor.uriOf('album.yaml') },
    range: found?.range as NonNullable<typeof found>['range'],
    context: { diagnostics: [] },
  });
  const [action] = actions ?? [];
  assert.ok(action !== undefined && 'edit' in action);
  assert.equal(action.edit?.changes?.[editor.uriOf('album.yaml')], [
    { range: { start: { line: 17, character: 18 }, end: { line: 17, character: 26 } }, newText: 'is_public' },
  ]);
  await editor.edit('album.yaml', ALBUM);
  await editor.diagnostics('album.yaml', (list) => list.length === 0);
});

test('a mistake in another file is reported there once writing stops', async () => {
  await editor.edit('common.yaml', COMMON.replace('name: owner', 'name: ownr'));
  const [found] = await editor.diagnostics('album.yaml', (list) => list.length > 0);
  assert.is(found?.code, 'derived-role/unknown');
  await editor.edit('common.yaml', COMMON);
  await editor.diagnostics('album.yaml', (list) => list.length === 0);
});

test('the outline has rules and definitions, the workspace its documents', async () => {
  const outline = (await editor.connection.sendRequest(DocumentSymbolRequest.type, {
    textDocument: { uri: editor.uriOf('album.yaml') },
  })) as DocumentSymbol[];
  assert.equal(
    [outline[0]?.name, ...(outline[0]?.children ?? []).map(({ name, detail }) => `${name}: ${detail}`)],
    ['resource.album.vdefault', 'is_public: variable', 'view-public: allow view', 'rule-002: allow edit, delete'],
  );
  const symbols = await editor.connection.sendRequest(WorkspaceSymbolRequest.type, { query: 'own' });
  assert.equal(
    (symbols ?? []).map(({ name }) => name),
    ['owner'],
  );
});

test('a derived role and a variable lead to their definitions and references', async () => {
  const at = async (path: string, text: string): Promise<readonly string[]> => {
    const found = (await editor.connection.sendRequest(DefinitionRequest.type, {
      textDocument: { uri: editor.uriOf(path) },
      position: marked(text).position,
    })) as Location[];
    return found.map(({ uri, range: { start } }) => `${uri.split('/').at(-1)}:${start.line}:${start.character}`);
  };
  assert.equal(await at('album.yaml', ALBUM.replace('[owner]', '[ow|ner]')), ['common.yaml:4:12']);
  assert.equal(await at('album.yaml', ALBUM.replace('[common]', '[|common]')), ['common.yaml:2:8']);
  assert.equal(await at('album.yaml', ALBUM.replace('V.is_public', 'V.is_|public')), ['album.yaml:9:6']);
  assert.equal(await at('album.yaml', ALBUM.replace('authz:///', 'authz|:///')), ['album.json:0:0']);
  const references = await editor.connection.sendRequest(ReferencesRequest.type, {
    textDocument: { uri: editor.uriOf('common.yaml') },
    position: marked(COMMON.replace('name: owner', 'name: ow|ner')).position,
    context: { includeDeclaration: true },
  });
  assert.equal(
    (references ?? []).map(({ uri }) => uri.split('/').at(-1)),
    ['album.yaml', 'common.yaml'],
  );
});

test('a derived role is renamed in all files, and a name of requests is not', async () => {
  const renamed = await editor.connection.sendRequest(RenameRequest.type, {
    textDocument: { uri: editor.uriOf('album.yaml') },
    position: marked(ALBUM.replace('[owner]', '[ow|ner]')).position,
    newName: 'creator',
  });
  const changed = (path: string, text: string): string => applied(text, renamed?.changes?.[editor.uriOf(path)] ?? []);
  assert.is(changed('album.yaml', ALBUM), ALBUM.replace('[owner]', '[creator]'));
  assert.is(changed('common.yaml', COMMON), COMMON.replace('name: owner', 'name: creator'));
  const refused = await editor.connection.sendRequest(PrepareRenameRequest.type, {
    textDocument: { uri: editor.uriOf('album.yaml') },
    position: marked(ALBUM.replace('roles: [user]', 'roles: [us|er]')).position,
  });
  assert.is(refused, null);
});

test('hovering shows definitions, types by schemas, signatures and keys', async () => {
  const shown = async (path: string, text: string): Promise<string> => {
    const found = await editor.connection.sendRequest(HoverRequest.type, {
      textDocument: { uri: editor.uriOf(path) },
      position: marked(text).position,
    });
    return found === null ? '' : (found.contents as { value: string }).value;
  };
  assert.match(await shown('album.yaml', ALBUM.replace('[owner]', '[ow|ner]')), 'R.attr.owner == P.id');
  assert.match(
    await shown('album.yaml', ALBUM.replace('attr.visibility', 'attr.vis|ibility')),
    'one of "public", "private"',
  );
  assert.match(await shown('album.yaml', ALBUM.replace('effect:', 'ef|fect:')), 'what the rule decides');
  assert.match(await shown('common.yaml', COMMON.replace('P.id', 'P.i|d')), '`P.id`: string');
  const calling = COMMON.replace('R.attr.owner == P.id', "P.id.starts|With('a')");
  await editor.edit('common.yaml', marked(calling).text);
  const call = await shown('common.yaml', calling);
  await editor.edit('common.yaml', COMMON);
  assert.match(call, 'string.startsWith(string) -> bool');
  assert.match(call, 'Returns whether a string starts with a prefix.');
  assert.match(call, '"/public/a".startsWith("/public/")  // => true');
});

test('hovering shows what the last text that parsed says of parts that have not changed since', async () => {
  const shown = async (text: string): Promise<{ readonly value: string; readonly word: string } | undefined> => {
    const { text: written, position } = marked(text);
    await editor.edit('album.yaml', written);
    const found = await editor.connection.sendRequest(HoverRequest.type, {
      textDocument: { uri: editor.uriOf('album.yaml') },
      position,
    });
    await editor.edit('album.yaml', ALBUM);
    if (found === null) return undefined;
    const { start, end } = found.range ?? { start: position, end: position };
    const word = written.split('\n')[start.line]?.slice(start.character, end.character) ?? '';
    return { value: (found.contents as { value: string }).value, word };
  };
  // Before and behind the part that is being written, which is longer or shorter than before.
  for (const broken of [
    (text: string) => text.replace('expr: V.is_public', 'expr: "V.'),
    (text: string) => text.replace('expr: V.is_public', 'expr: "V.is_public && (R.attr.own'),
    (text: string) => text.replace('name: view-public', 'name: [\n'),
  ]) {
    const role = await shown(broken(ALBUM.replace('[owner]', '[ow|ner]')));
    assert.match(role?.value ?? '', 'R.attr.owner == P.id');
    assert.is(role?.word, 'owner');
    const attribute = await shown(broken(ALBUM.replace('attr.visibility', 'attr.vis|ibility')));
    assert.match(attribute?.value ?? '', 'one of "public", "private"');
    assert.is(attribute?.word, 'visibility');
  }
  const changed = ['[ow|nerr', '[o|wne', '[xow|ner'].map((text) => ALBUM.replace('[owner]', text));
  for (const text of changed) assert.is(await shown(text), undefined, text);
});

test('completion knows keys, values, and what expressions can name', async () => {
  const items = async (path: string, text: string): Promise<readonly CompletionItem[]> => {
    const { text: written, position } = marked(text);
    await editor.edit(path, written);
    const list = (await editor.connection.sendRequest(CompletionRequest.type, {
      textDocument: { uri: editor.uriOf(path) },
      position,
    })) as CompletionList;
    return list.items;
  };
  const labels = async (text: string): Promise<readonly string[]> =>
    (await items('album.yaml', text)).map(({ label }) => label);
  const at = (line: string): string => ALBUM.replace('          expr: V.is_public\n', line);

  const PARTIAL = `name: albums
tests:
  - name: one
    unknown: [|]
    input: {principals: [ann], resources: [a], actions: [view]}
    expected: [{principal: ann, resource: a, actions: {view: EFFECT_ALLOW}}]
`;
  const inSuite = async (text: string): Promise<readonly string[]> =>
    (await items('album_test.yaml', text)).map(({ label }) => label);
  assert.equal(await inSuite(PARTIAL), ['resource.attr.owner', 'resource.attr.tags', 'resource.attr.visibility']);
  assert.equal(await inSuite(PARTIAL.replace('|', '').replace('EFFECT_ALLOW', '|')), [
    'EFFECT_ALLOW',
    'EFFECT_DENY',
    'UNKNOWN',
  ]);
  await editor.edit('album_test.yaml', SUITE);

  assert.equal(await labels(ALBUM.replace('      roles: [user]\n', '      ro|\n')), ['roles']);
  assert.equal(await labels(ALBUM.replace('EFFECT_ALLOW\n    -', '|\n    -')), ['EFFECT_ALLOW', 'EFFECT_DENY']);
  assert.equal(await labels(ALBUM.replace('[owner]', '[|')), ['owner']);
  assert.equal(await labels(ALBUM.replace('[common]', '[|]')), ['common']);
  assert.equal(await labels(ALBUM.replace('roles: [user]', 'roles:\n        - |')), ['user']);
  const named = await items('album.yaml', ALBUM.replace('roles: [user]', 'roles: ["null", "a\\x7f", |]'));
  assert.equal(
    named.map(({ textEdit }) => textEdit?.newText),
    ['"a\\u007f"', '"null"', 'user'],
  );
  assert.equal(await labels(at('          expr: V.|\n')), ['is_public']);
  assert.equal(await labels(at('          expr: R.attr.vi|\n')), ['visibility']);
  assert.equal(await labels(at('          expr: "R.attr.ow|\n')), ['owner']);
  // YAML tags on values are ignored, as the compiler ignores them.
  assert.equal(await labels(at('          expr: !!str R.attr.vi|\n')), ['visibility']);
  assert.equal(await labels(at('          expr: !!str "R.attr.ow|\n')), ['owner']);
  assert.equal(await labels(at('          expr: !!str >-\n            R.attr.ow|\n')), ['owner']);
  assert.equal(await labels(at('          expr: >-\n            true &&\n            R.attr.t|\n')), [
    'tags',
    'transformList',
    'transformMap',
  ]);
  assert.equal(await labels(ALBUM.replace('match:\n          expr: V.is_public', 'match: { expr: "P.i|" }')), ['id']);
  assert.ok((await labels(at('          expr: R.attr.tags.ex|\n'))).includes('exists'));
  assert.not((await labels(at('          expr: R.attr.tags.s|\n'))).includes('startsWith'));
  for (const compared of [
    'R.attr.visibility == "|',
    'R.attr.visibility != "|',
    "R.attr.visibility == '|",
    'R.attr.visibility in ["public", "|',
    'R.attr.visibility in ["|',
    'request.resource.attr.visibility == "|',
    'R.attr["visibility"] == "|',
    'R.attr.?visibility == "|',
    'V.is_public && R.attr.visibility=="|"',
  ])
    assert.equal(
      [...(await labels(at(`          expr: >-\n            ${compared}\n`)))].sort(),
      ['private', 'public'],
      compared,
    );
  const [chosen] = await items('album.yaml', at('          expr: R.attr.visibility == "pub|\n'));
  assert.is(chosen?.label, 'public');
  assert.equal(
    [
      chosen?.textEdit?.newText,
      chosen?.textEdit && 'range' in chosen.textEdit && chosen.textEdit.range.start.character,
    ],
    ['public', 38],
  );
  for (const free of [
    'R.attr.owner == "|',
    '"|',
    'R.attr.visibility + "|',
    'R.attr.visibility.startsWith("|',
    'P.id == "|',
  ])
    assert.equal(await labels(at(`          expr: >-\n            ${free}\n`)), [], free);
  const [visibility] = await items('album.yaml', at('          expr: R.attr.vi|\n'));
  assert.is(visibility?.detail, 'one of "public", "private"');
  await editor.edit('album.yaml', ALBUM);
});

test('semantic tokens have the places of expressions in scalars of every style', async () => {
  const styles: readonly (readonly [yaml: string, tokens: readonly string[]])[] = [
    ['expr: R.id == "é𝄞" && true', ['R', 'id', '==', '"é𝄞"', '&&', 'true']],
    [
      'expr: "R.id == \\"x\\" && \\u0050.id == R.id"',
      ['R', 'id', '==', '\\"x\\"', '&&', '\\u0050', 'id', '==', 'R', 'id'],
    ],
    ["expr: 'R.id == ''x'''", ['R', 'id', '==', "''x''"]],
    ['expr: >-\n            R.id ==\n            P.id', ['R', 'id', '==', 'P', 'id']],
    ['expr: |\n            size(R.attr.a)\n              > 1.5', ['size', 'R', 'attr', 'a', '>', '1.5']],
    ['expr: R.id ==\n            P.id', ['R', 'id', '==', 'P', 'id']],
  ];
  for (const [yaml, expected] of styles) {
    const text = ALBUM.replace('expr: V.is_public', yaml).replace(/ {2}variables:\n.*\n.*\n/, '');
    await editor.edit('album.yaml', text);
    const tokens = await editor.connection.sendRequest(SemanticTokensRequest.type, {
      textDocument: { uri: editor.uriOf('album.yaml') },
    });
    assert.equal(tokenTexts(text, tokens?.data ?? []), expected, yaml);
  }
  await editor.edit('album.yaml', ALBUM);
});

test('a lens runs a test, and failures are shown with their reasons', async () => {
  const uri = editor.uriOf('album_test.yaml');
  const lenses = (await editor.connection.sendRequest(CodeLensRequest.type, { textDocument: { uri } })) ?? [];
  assert.equal(
    lenses.map(({ range, command }) => `${range.start.line}: ${command?.title}`),
    ['0: run all tests', '2: run test', '6: run test'],
  );
  const run = (index: number): Promise<unknown> => {
    const { command = '', arguments: args = [] } = lenses[index]?.command ?? {};
    return editor.connection.sendRequest(ExecuteCommandRequest.type, { command, arguments: args });
  };
  assert.equal(await run(1), { passed: 2, failed: 0 });
  assert.equal(await run(2), { passed: 0, failed: 1 });
  const [failure] = await editor.diagnostics('album_test.yaml', (list) => list.length > 0);
  assert.is(failure?.range.start.line, 6);
  assert.match(String(failure?.message), 'alice, hers, view: expected EFFECT_ALLOW, but the decision is EFFECT_DENY');
  assert.match(String(failure?.message), '"private"');
  await editor.edit('album_test.yaml', SUITE.replace('resources: [hers]', 'resources: [herz]'));
  const [unknown] = await editor.diagnostics('album_test.yaml', (list) => /herz/.test(String(list[0]?.message)));
  assert.match(String(unknown?.message), 'did you mean `hers`?');
  await editor.edit('album_test.yaml', SUITE);
  await editor.diagnostics('album_test.yaml', (list) => list.length === 0);
});

test('a lens evaluates a condition for the requests of the tests, with the values of its parts', async () => {
  const evaluated = async (path: string, text: string): Promise<unknown> => {
    const uri = editor.uriOf(path);
    await editor.open(path, text);
    const lenses = (await editor.connection.sendRequest(CodeLensRequest.type, { textDocument: { uri } })) ?? [];
    assert.equal(
      lenses.map(({ command }) => command?.title),
      ['evaluate the condition with the tests'],
    );
    const { command = '', arguments: args = [] } = lenses[0]?.command ?? {};
    return editor.connection.sendRequest(ExecuteCommandRequest.type, { command, arguments: args });
  };
  assert.equal(await evaluated('album.yaml', ALBUM), [
    {
      request: 'alice, album a1',
      result: 'false',
      lines: ['✘ V.is_public  album.yaml:10:18  R.attr.visibility == "public"  "private" == "public"'],
    },
  ]);
  const hints = await editor.diagnostics('album.yaml', (list) => list.some(({ severity }) => severity === 3));
  assert.match(String(hints.at(-1)?.message), /^alice, album a1: false\n.*"private" == "public"/);
  const roles = (await evaluated('common.yaml', COMMON)) as readonly { readonly result: string }[];
  assert.equal(
    roles.map(({ result }) => result),
    ['true'],
  );
  await editor.open('broken.yaml', 'resourcePolicy: {}');
  const refused = await evaluated('common.yaml', COMMON).catch((error: Error) => error.message);
  assert.match(String(refused), 'the policies have errors');
  await editor.edit('broken.yaml', ALBUM.replace('resource: album', 'resource: photo'));
});

test('a document is formatted as by authzc fmt', async () => {
  const textDocument = { uri: editor.uriOf('common.yaml') };
  const options = { tabSize: 2, insertSpaces: true };
  const format = (): Promise<TextEdit[] | null> =>
    editor.connection.sendRequest(DocumentFormattingRequest.type, { textDocument, options });
  assert.equal(await format(), []);
  await editor.edit('common.yaml', COMMON.replace('name: common', 'name:    common   # shared'));
  assert.is(
    applied(COMMON.replace('name: common', 'name:    common   # shared'), (await format()) ?? []),
    COMMON.replace('name: common', 'name: common # shared'),
  );
  await editor.edit('common.yaml', '{');
  assert.equal(await format(), []);
  await editor.edit('common.yaml', COMMON);
});

test('hostile documents are answered', async () => {
  const hostile = [
    '',
    '|',
    '\u0000',
    '[[[['.repeat(50_000),
    '{a: '.repeat(50_000),
    '- '.repeat(50_000),
    `a: &a [x]\n${'b: *a\n'.repeat(1000)}`,
    ALBUM.replace('V.is_public', '('.repeat(20_000)),
    ALBUM.replace('V.is_public', `"${'\\u'.repeat(1000)}`),
    ALBUM.replaceAll('\n', '\r'),
    `\ufeff${ALBUM}`,
    ALBUM.repeat(50),
  ];
  const textDocument = { uri: editor.uriOf('album.yaml') };
  const { connection } = editor;
  for (const text of hostile) {
    await editor.edit('album.yaml', text);
    for (const position of [
      { line: 0, character: 0 },
      { line: 17, character: 20 },
      { line: 0, character: 150_000 },
      { line: 1e9, character: 1e9 },
    ]) {
      const place = { textDocument, position };
      await Promise.all([
        connection.sendRequest(CompletionRequest.type, place),
        connection.sendRequest(HoverRequest.type, place),
        connection.sendRequest(DefinitionRequest.type, place),
        connection.sendRequest(PrepareRenameRequest.type, place),
      ]);
    }
    await connection.sendRequest(DocumentSymbolRequest.type, { textDocument });
    await connection.sendRequest(SemanticTokensRequest.type, { textDocument });
  }
  await editor.edit('album.yaml', ALBUM);
  assert.equal(await editor.diagnostics('album.yaml', (list) => list.length === 0), []);
});

function applied(text: string, edits: readonly TextEdit[]): string {
  const lines = text.split('\n');
  for (const { range, newText } of [...edits].reverse()) {
    const line = lines[range.start.line] as string;
    lines[range.start.line] = line.slice(0, range.start.character) + newText + line.slice(range.end.character);
  }
  return lines.join('\n');
}

function tokenTexts(text: string, data: readonly number[]): readonly string[] {
  const lines = text.split('\n');
  const found: string[] = [];
  let [line, character] = [0, 0];
  for (let at = 0; at < data.length; at += 5) {
    const [lineDelta = 0, characterDelta = 0, length = 0] = data.slice(at, at + 3);
    character = lineDelta === 0 ? character + characterDelta : characterDelta;
    line += lineDelta;
    found.push((lines[line] as string).slice(character, character + length));
  }
  return found;
}

test.run();
