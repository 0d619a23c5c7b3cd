import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileFolder } from '../../packages/cli/policies/compile.js';
import { compile } from '../../compiler/compile.js';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { type Code, messages } from '../../compiler/diagnostics/messages.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { CASES, FLAGS_FILE, fileNameOf, GENERATED_FILES } from './cases.js';

const test = suite('fixes of diagnostics');

test('every fix of a case removes its diagnostic', () => {
  const fixed: string[] = [];
  for (const code of Object.keys(messages) as Code[]) {
    const folder = join(CASES, fileNameOf(code));
    if ([FLAGS_FILE, GENERATED_FILES].some((file) => existsSync(join(folder, file)))) continue;
    const { diagnostics, sources, schemas } = compileFolder(folder);
    for (const diagnostic of diagnostics) {
      if (diagnostic.fix === undefined) continue;
      fixed.push(diagnostic.code);
      const { fix } = diagnostic;
      const changed = sources.map((source) => (source.path === fix.span.source.path ? applied(fix, source) : source));
      const after = compile(changed, new Diagnostics(), { schemaTexts: schemas }).diagnostics;
      assert.is(countOf(after, diagnostic), countOf(diagnostics, diagnostic) - 1, `${code}: ${fix.description}`);
    }
  }
  for (const code of ['variable/undefined', 'policy/enum-name', 'deprecated/function', 'deprecated/output-expr'])
    assert.ok(fixed.includes(code), code);
});

test('a name in an expression that does not type-check has a fix at its place', () => {
  const source = new Source('a.yaml', policyWith("hasIntersecton(R.attr.tags, ['a'])"));
  const [found] = compile([source]).diagnostics;
  assert.is(found?.code, 'expression/invalid');
  assert.is(found?.fix?.isSafe, false);
  assert.match(applied(found?.fix, source).text, "expr: hasIntersection(R.attr.tags, ['a'])");
});

test('a fix is safe only where nothing else can be meant', () => {
  const source = new Source('a.yaml', policyWith("is_subset(P.roles, ['a'])").replace('EFFECT_ALLOW', 'allow'));
  const [effect] = compile([source]).diagnostics;
  assert.equal([effect?.fix?.text, effect?.fix?.isSafe], ['EFFECT_ALLOW', true]);
  const once = applied(effect?.fix, source);
  const renamed = compile([once]).diagnostics.find(({ code }) => code === 'deprecated/function');
  assert.equal([renamed?.fix?.text, renamed?.fix?.isSafe], ['isSubset', true]);
});

test('output.expr has no fix where its value would need another indentation', () => {
  const text = `${policyWith('P.id == R.id')}      output:\n        expr: |-\n          P.id\n`;
  const [found] = compile([new Source('a.yaml', text)]).diagnostics;
  assert.equal([found?.code, found?.fix], ['deprecated/output-expr', undefined]);
});

function applied(fix: Diagnostic['fix'], { path, text }: Source): Source {
  assert.ok(fix);
  return new Source(path, text.slice(0, fix.span.start) + fix.text + text.slice(fix.span.end));
}

function countOf(diagnostics: readonly Diagnostic[], { code, message }: Diagnostic): number {
  return diagnostics.filter((other) => other.code === code && other.message === message).length;
}

function policyWith(expression: string): string {
  return `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - actions: [view]
      roles: [user]
      effect: EFFECT_ALLOW
      condition:
        match:
          expr: ${expression}
`;
}

test.run();
