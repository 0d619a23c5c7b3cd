import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stringify } from 'yaml';
import type { BundleModule } from '../../compiler/bundle/import-bundle.js';
import { compileFolder } from '../../packages/cli/policies/compile.js';
import { loadConfig } from '../../server/config.js';
import { type RunningServer, startServer } from '../../server/main.js';
import { loaded } from '../support/compiled.js';
import { CORPUS } from '../support/corpus.js';
import type { Outcome } from '../support/known-failures.js';

/**
 * Compiles the policies of a suite, serves them with the suite's config.json, and sends all its cases. Case ids begin
 * with the name of the suite.
 */
export async function replaySuite(name: string, plan: PlanConfig = {}): Promise<readonly Outcome[]> {
  const { runSuites } = (await import(pathToFileURL(join(CORPUS, 'run.mjs')).href)) as Runner;
  const server = await serveSuite(join(CORPUS, name), plan);
  try {
    const options = {
      suites: [name],
      target: `http://${server.httpAddress}`,
      root: CORPUS,
      filters: [],
      messages: 'normal',
      jobs: 4,
    } as const;
    const results = await runSuites(options);
    return results.map(({ id, pass, diffs }) => ({
      id: `${name}/${id}`,
      problem: pass ? undefined : JSON.stringify(diffs).slice(0, 600),
    }));
  } finally {
    await server.close();
  }
}

/** The part of the corpus runner (`run.mjs`) that is used here. */
interface Runner {
  runSuites(options: {
    readonly suites: readonly string[];
    readonly target: string;
    readonly root: string;
    readonly filters: readonly string[];
    readonly messages: 'normal';
    readonly jobs: number;
  }): Promise<readonly { readonly id: string; readonly pass: boolean; readonly diffs: readonly unknown[] }[]>;
}

/** The server settings of a suite (the corpus's README). Paths are relative to the suite. */
interface SuiteConfig {
  readonly policies: string;
  readonly defaultPolicyVersion: string;
  readonly defaultScope: string;
  readonly lenientScopeSearch: boolean;
  readonly strictEvaluation: boolean;
  readonly globals: object;
  readonly schemaEnforcement: string;
  readonly requestLimits: object;
  readonly auxData: null | {
    readonly acceptableTimeSkew?: string;
    readonly disableVerification?: boolean;
    readonly keySets: readonly SuiteKeySet[];
  };
}

interface SuiteKeySet {
  readonly id: string;
  readonly file: string;
  readonly pem?: boolean;
  readonly optionalAlg?: boolean;
  readonly optionalKid?: boolean;
}

/** Options for plans. */
interface PlanConfig {
  readonly referenceShapes?: boolean;
}

async function serveSuite(folder: string, plan: PlanConfig): Promise<RunningServer> {
  const wanted = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as SuiteConfig;
  return startServer(configOf(wanted, folder, plan), await bundleOf(join(folder, wanted.policies)));
}

/** Many suites have the same policies. */
const bundles = new Map<string, Promise<BundleModule>>();

function bundleOf(folder: string): Promise<BundleModule> {
  const bundle = bundles.get(folder) ?? loaded(compileFolder(folder));
  bundles.set(folder, bundle);
  return bundle;
}

/** The configuration is written to a file, so that it is read in the form in which authors write it. */
function configOf(wanted: SuiteConfig, folder: string, plan: PlanConfig): Parameters<typeof startServer>[0] {
  const directory = mkdtempSync(join(tmpdir(), 'authz-suite-'));
  try {
    const file = join(directory, 'config.yaml');
    writeFileSync(file, yamlOf(wanted, folder, plan));
    return loadConfig({ file, environment: {} }).config;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function yamlOf(
  { policies, schemaEnforcement, requestLimits, auxData, ...wanted }: SuiteConfig,
  folder: string,
  plan: PlanConfig,
): string {
  const { defaultPolicyVersion, defaultScope, lenientScopeSearch, strictEvaluation, globals } = wanted;
  return stringify({
    server: { httpListenAddr: '127.0.0.1:0', grpcListenAddr: '127.0.0.1:0', requestLimits },
    engine: { defaultPolicyVersion, defaultScope, lenientScopeSearch, strictEvaluation, globals, plan },
    schema: { enforcement: schemaEnforcement },
    auxData:
      auxData === null
        ? undefined
        : { jwt: { ...auxData, keySets: auxData.keySets.map((set) => keySetOf(set, folder)) } },
    storage: { driver: 'disk', disk: { directory: join(folder, policies) } },
  });
}

function keySetOf(
  { id, file, pem = false, optionalAlg = false, optionalKid = false }: SuiteKeySet,
  folder: string,
): object {
  return { id, local: { file: join(folder, file), pem }, insecure: { optionalAlg, optionalKid } };
}
