import { existsSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '#runtime/engine';
import { compileTexts, loaded, SHARED } from '../support/compiled.js';

interface Case {
  readonly id: string;
  readonly category: string;
  readonly expr: string;
  readonly principalAttr: Record<string, unknown>;
  readonly resourceAttr: Record<string, unknown>;
  readonly variables?: Record<string, string>;
  readonly constants?: Record<string, unknown>;
  readonly globals?: Record<string, unknown>;
  readonly jwtClaims?: Record<string, unknown>;
  readonly jwtsClaims?: Record<string, Record<string, unknown>>;
  readonly principalPolicyVersion?: string;
  readonly want?: unknown;
  readonly wantError?: string;
  readonly errorKind?: 'compile' | 'runtime' | 'output' | 'response';
  readonly condition?: boolean;
  readonly messageIsImplementationSpecific?: boolean;
}

const file = join(SHARED, 'cases', 'cel-cases.json');
const test = suite('recorded CEL cases');

if (existsSync(file)) {
  const { cases, environment } = JSON.parse(readFileSync(file, 'utf8')) as { cases: readonly Case[]; environment: Environment };
  test('every recorded expression gives the recorded value or failure, as output and as condition', async () => {
    const failures = await replay(cases.filter((entry) => entry.errorKind !== 'compile'), environment);
    assert.is(failures.length, 0, `${failures.length} of ${cases.length} differ:\n${failures.slice(0, 60).join('\n')}`);
  });
} else {
  console.log('skipped: the recorded CEL cases are not here (../shared/cases)');
}

test.run();

interface Environment {
  readonly principal: { readonly id: string; readonly roles: readonly string[] };
  readonly resource: { readonly id: string };
  readonly globals: Record<string, unknown>;
}

/** What differs, a line a case. All cases are compiled as one set, a policy each. */
async function replay(cases: readonly Case[], environment: Environment): Promise<readonly string[]> {
  const failures: string[] = [];
  let list = cases.map((entry, index) => ({ entry, index }));
  let compilation = compileTexts(Object.fromEntries(list.map(({ entry, index }) => [`c${index}.yaml`, policyOf(entry, index)])));
  if (compilation.program === undefined) {
    const refused = new Map(compilation.diagnostics.map((diagnostic) => [diagnostic.source?.path, diagnostic.message]));
    for (const { entry, index } of list) {
      const message = refused.get(`c${index}.yaml`);
      if (message !== undefined) failures.push(`${entry.id} ${entry.expr} does not compile: ${message}`);
    }
    list = list.filter(({ index }) => !refused.has(`c${index}.yaml`));
    compilation = compileTexts(Object.fromEntries(list.map(({ entry, index }) => [`c${index}.yaml`, policyOf(entry, index)])));
  }
  const { policies, traced } = await loaded(compilation);
  const engines = [createEngine(policies, { globals: asGlobals(environment.globals) })];
  const strict = createEngine(policies, { globals: asGlobals(environment.globals), strictEvaluation: true, traced: await traced() });
  for (const { entry, index } of list) {
    const engine = entry.globals === undefined ? engines[0] : createEngine(policies, { globals: asGlobals(entry.globals) });
    const request = {
      principal: {
        id: environment.principal.id,
        roles: environment.principal.roles,
        attr: entry.principalAttr as never,
        policyVersion: entry.principalPolicyVersion,
      },
      resources: [{ resource: { kind: `case${index}`, id: environment.resource.id, attr: entry.resourceAttr as never }, actions: ['out', 'cond'] }],
      auxData: auxDataOf(entry),
    };
    const [result] = engine?.check(request) ?? [];
    const problem = differenceOf(entry, result?.outputs.find(({ action }) => action === 'out'), result?.actions[1]?.effect === 1);
    if (problem !== undefined) failures.push(`${entry.id} ${entry.expr}: ${problem}`);
    if (entry.globals === undefined && entry.condition !== undefined) {
      const [strictResult] = strict.check(request);
      if ((strictResult?.actions[1]?.effect === 1) !== entry.condition) failures.push(`${entry.id} ${entry.expr}: strict evaluation decides otherwise`);
    }
  }
  return failures;
}

function differenceOf(entry: Case, output: { readonly val?: unknown; readonly error?: string } | undefined, condition: boolean): string | undefined {
  if (output === undefined) return 'no output';
  if (entry.errorKind === 'response') return output.error === undefined ? 'a failure was expected' : undefined;
  if (entry.errorKind === undefined) {
    if (!('val' in output)) return `value ${JSON.stringify(entry.want)} expected, failed with ${output.error}`;
    if (!isDeepStrictEqual(plain(output.val), plain(entry.want))) return `value ${JSON.stringify(entry.want)} expected, got ${JSON.stringify(output.val)}`;
  } else {
    if (output.error === undefined) return `failure ${entry.wantError} expected, got ${JSON.stringify(output.val)}`;
    const error = output.error.replace(/case\d+/g, 'doc');
    if (!entry.messageIsImplementationSpecific && error !== entry.wantError) return `failure «${entry.wantError}» expected, got «${error}»`;
  }
  return entry.condition !== undefined && entry.condition !== condition ? `condition ${entry.condition} expected` : undefined;
}

/** Values as JSON tells them apart: no minus zero, no kind in their names. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null).replace(/case\d+/g, 'doc'));
}

function policyOf(entry: Case, index: number): string {
  return JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      resource: `case${index}`,
      version: 'default',
      ...(entry.constants && { constants: { local: entry.constants } }),
      ...(entry.variables && { variables: { local: entry.variables } }),
      rules: [
        { name: 'o', actions: ['out'], effect: 'EFFECT_ALLOW', roles: ['*'], output: { when: { ruleActivated: entry.expr } } },
        { name: 'c', actions: ['cond'], effect: 'EFFECT_ALLOW', roles: ['*'], condition: { match: { expr: entry.expr } } },
      ],
    },
  });
}

/** Globals of a configuration: integers are ints (conditions.md 1.2). */
function asGlobals(value: unknown): never {
  if (typeof value === 'number') return (Number.isInteger(value) ? BigInt(value) : value) as never;
  if (Array.isArray(value)) return value.map(asGlobals) as never;
  if (typeof value !== 'object' || value === null) return value as never;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asGlobals(item)])) as never;
}

function auxDataOf(entry: Case): never {
  if (entry.jwtClaims !== undefined) return { jwt: entry.jwtClaims } as never;
  if (entry.jwtsClaims === undefined) return undefined as never;
  return { jwts: Object.fromEntries(Object.entries(entry.jwtsClaims).map(([name, claims]) => [name, { claims }])) } as never;
}
