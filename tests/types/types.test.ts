import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileFolder } from '../../packages/cli/policies/compile.js';
import { emitTypes } from '../../compiler/emit/types.js';
import { compileTexts, ROOT } from '../support/compiled.js';

/** The emitted types, as engine and clients use them. One program of `tsc`, so that a run takes seconds. */
const test = suite('types');

const folder = join(ROOT, 'tests', 'types');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

test('the emitted types are the recorded ones', () => {
  const { program } = compileFolder(join(folder, 'policies'));
  assert.ok(program);
  assert.fixture(emitTypes(program).text, read('generated/types.ts'));
});

test('names from policies compile, and other names do not', () => {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT);
  const files = ['must-compile.ts', 'must-not-compile.ts', 'capabilities.ts', 'facts.ts'].map((name) =>
    join(folder, name),
  );
  const program = ts.createProgram(files, { ...options, skipDefaultLibCheck: true });
  const problems = files
    .flatMap((file) => program.getSemanticDiagnostics(program.getSourceFile(file)))
    .map((problem) => {
      const { line = 0 } = problem.file?.getLineAndCharacterOfPosition(problem.start ?? 0) ?? {};
      return `${problem.file?.fileName}:${line + 1}: ${ts.flattenDiagnosticMessageText(problem.messageText, ' ')}`;
    });
  assert.equal(problems, []);
});

test('a kind is listed once, as resource policies write it, however other policies name it', () => {
  const rules = (resource: string) => ({
    principal: [{ resource, actions: [{ action: 'edit', effect: 'EFFECT_ALLOW' }] }],
    role: [{ resource, allowActions: ['view'] }],
  });
  const policy = (document: object): string => JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...document });
  const { program } = compileTexts({
    'album.yaml': policy({
      resourcePolicy: {
        resource: 'album:object',
        version: 'default',
        rules: [{ actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['user'] }],
      },
    }),
    'ann.yaml': policy({
      principalPolicy: { principal: 'ann', version: 'default', rules: rules('album:object').principal },
    }),
    'bob.yaml': policy({ principalPolicy: { principal: 'bob', version: 'default', rules: rules('note').principal } }),
    'user.yaml': policy({ rolePolicy: { role: 'user', version: 'default', rules: rules('album_object').role } }),
  });
  assert.ok(program);
  const { text } = emitTypes(program);
  assert.equal(text.match(/(?<=^ {4}readonly ').*(?=': \{$)/gm), ['album:object', 'note']);
  assert.match(text, "  'album:object': 'edit' | 'view';");
});

test('at least forty mistakes are tried, each with a number', () => {
  const text = read('must-not-compile.ts');
  const mistakes = text.match(/@ts-expect-error \d+/g) ?? [];
  assert.equal(
    mistakes.map((mistake) => Number(mistake.slice(17))),
    Array.from({ length: mistakes.length }, (_, index) => index + 1),
  );
  assert.ok(mistakes.length >= 40);
});

test.run();
