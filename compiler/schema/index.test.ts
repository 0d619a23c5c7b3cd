import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Diagnostics } from '../diagnostics/diagnostic.js';
import { toReport } from '../diagnostics/json.js';
import { Source } from '../diagnostics/source.js';
import { link } from '../link/index.js';
import { parse } from '../parse/index.js';
import { schema } from './index.js';

function policy(scope: string, refs: string): string {
  return `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  scope: "${scope}"
  schemas:
${refs}
`;
}

function report(
  texts: { readonly [path: string]: string },
  schemas: { readonly [file: string]: string },
): ReturnType<typeof toReport>['errors'] {
  const diagnostics = new Diagnostics();
  const files = Object.entries(texts).flatMap(([path, text]) => parse(new Source(path, text), diagnostics) ?? []);
  schema(link(files, diagnostics), new Map(Object.entries(schemas)), diagnostics);
  return toReport(diagnostics.sorted()).errors;
}

const BOTH = '    principalSchema:\n      ref: authz:///a.json\n    resourceSchema:\n      ref: authz:///b.json';

test('a schema that cannot be loaded is reported at its ref, also in scoped policies (docs/spec/policy-language.md#compile-errors)', () => {
  const errors = report({ 'doc.yaml': policy('', BOTH), 'acme.yaml': policy('acme', BOTH) }, { 'a.json': 'true' });
  const message = 'Failed to load resource schema "authz:///b.json": schema _schemas/b.json doesn\'t exist';
  const position = { line: 10, column: 7, path: '$.resourcePolicy.schemas.resourceSchema.ref' };
  assert.equal(
    errors.map((error) => ({
      kind: error.kind,
      stage: error.stage,
      file: error.file,
      message: error.message,
      position: error.position,
    })),
    ['acme.yaml', 'doc.yaml'].map((file) => ({ kind: 'invalid schema', stage: 'compile', file, message, position })),
  );
});

test('a note shows the error in the schema', () => {
  const [error] = report({ 'doc.yaml': policy('', BOTH) }, { 'a.json': '{"type": 5}', 'b.json': 'true' });
  assert.match(
    error?.message ?? '',
    /^Failed to load principal schema "authz:\/\/\/a.json": jsonschema authz:\/\/\/a.json compilation failed: '\/type' must name/,
  );
  assert.equal(error?.notes, [
    {
      message: 'here',
      file: '_schemas/a.json',
      span: { start: { line: 1, column: 10 }, end: { line: 1, column: 11 } },
    },
  ]);
});

test('unreferenced files are not read', () => {
  assert.equal(report({ 'doc.yaml': policy('', BOTH) }, { 'a.json': 'true', 'b.json': '{}', 'c.json': '{' }), []);
});

test.run();
