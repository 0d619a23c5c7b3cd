import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/compiled.js';

const text = readFileSync(join(ROOT, 'deploy/dashboards/authz.json'), 'utf8');

test('the dashboard is one by the schema of Grafana, and so are options and fields of its panels', () => {
  assert.equal(problemsOf(text), []);
});

test('mistakes in the dashboard are found', () => {
  for (const [right, wrong] of [
    ['"refresh":', '"refrsh":'],
    ['"schemaVersion": 39', '"schemaVersion": "39"'],
    ['"fillOpacity"', '"fillOpacitie"'],
    ['"showLegend"', '"showsLegend"'],
    ['"fillOpacity": 10', '"fillOpacity": "10"'],
  ] as const) {
    assert.ok(text.includes(right), right);
    assert.is.not(problemsOf(text.replace(right, wrong)).length, 0, wrong);
  }
});

test.run();

interface Panel {
  readonly type: string;
  readonly options?: object;
  readonly fieldConfig?: { readonly defaults: { readonly custom?: object } };
}

/** What the types that Grafana generates from its schema say of a dashboard. */
function problemsOf(dashboard: string): readonly string[] {
  const file = join(ROOT, 'tests/deploy/dashboard-by-schema.ts');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const source = ts.createSourceFile(file, programOf(dashboard), ts.ScriptTarget.ES2022);
  const program = ts.createProgram([file], options, {
    ...host,
    fileExists: (path) => path === file || host.fileExists(path),
    getSourceFile: (path, ...rest) => (path === file ? source : host.getSourceFile(path, ...rest)),
  });
  return program
    .getSemanticDiagnostics(source)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ').slice(0, 200));
}

/** A program with the JSON in it. Enums are written by their values in JSON. */
function programOf(dashboard: string): string {
  const { panels } = JSON.parse(dashboard) as { readonly panels: readonly Panel[] };
  const series = panels.filter(({ type }) => type === 'timeseries');
  return `
import type { Dashboard } from '@grafana/schema';
import type { FieldConfig, Options } from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';
type InJson<T> = T extends string ? \`\${T}\` : T extends object ? { [K in keyof T]: InJson<T[K]> } : T;
export const dashboard: InJson<Dashboard> = ${dashboard};
export const options: readonly InJson<Options>[] = ${JSON.stringify(series.map((panel) => panel.options))};
export const fields: readonly InJson<FieldConfig>[] = ${JSON.stringify(series.map(({ fieldConfig }) => fieldConfig?.defaults.custom))};
`;
}
