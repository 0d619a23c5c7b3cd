import { createEngine, delegation as actors, explanations, mergeErrors } from '../../../runtime/engine/index.js';
import { ALLOW } from '../../../runtime/policy/index.js';
import * as z from 'zod';
import { loadVersion } from '../../analysis/decision/policy-version.js';
import { diffVersions } from '../../analysis/diff/diff.js';
import { markdownDiff } from '../../analysis/diff/report/markdown.js';
import { explainDecisions, stoppedClock } from '../../analysis/explain/explain-decisions.js';
import { prettyExplanation } from '../../analysis/explain/report/pretty.js';
import { coverTests, loadPolicies, loadTests } from '../analysis-library.js';
import { formatPretty, shownPath } from '../../../compiler/diagnostics/format.js';
import { toReport } from '../../../compiler/diagnostics/json.js';
import { plain } from '../../../compiler/diagnostics/paint.js';
import { readSet } from '../policies/compared-sets.js';
import { type PolicyFolder, Refused } from './policy-folder.js';

/** What a tool answers: a text to read, and the same as data. */
export interface Answer {
  readonly text: string;
  readonly data: object;
}

/** A tool of `authzc mcp`. It reads a folder of policies, and changes nothing. */
export interface Tool<Input extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** Rejects with a Refused, whose message is for the caller, if there is no answer. */
  readonly run: (folder: PolicyFolder, input: z.output<Input>) => Promise<Answer>;
}

const attributes = z.record(z.string(), z.unknown());
const one = z.object({
  id: z.string().min(1),
  roles: z.array(z.string().min(1)).min(1),
  attr: attributes.optional(),
  policyVersion: z.string().optional(),
  scope: z.string().optional(),
});
const principal = one.strict().describe('the principal');
const delegation = one
  .extend({
    actors: z
      .array(one.strict())
      .max(8)
      .optional()
      .describe('the actors that act on behalf of the principal, in order'),
  })
  .describe('the principal');
const resource = z
  .object({
    kind: z.string().min(1),
    id: z.string().min(1),
    attr: attributes.optional(),
    policyVersion: z.string().optional(),
    scope: z.string().optional(),
  })
  .describe('the resource; its kind selects the policies');
const actions = z.array(z.string().min(1)).min(1).max(500);
const auxData = z
  .object({ jwt: attributes.default({}) })
  .transform(({ jwt }) => ({ jwt, jwts: {} }))
  .optional()
  .describe('the claims of a token, as conditions read them');

/** How long a comparison may take, in milliseconds. */
const LONGEST_DIFF = 60_000;

/** The tools, in the order in which clients list them. */
export const TOOLS: readonly Tool[] = [
  tool({
    name: 'compile',
    title: 'Compile the policies',
    description:
      'Compiles the policies and returns the diagnostics of the compiler, with their places and fixes. Writes no file. Call it after each edit of a policy.',
    input: z.object({}),
    run: async (folder) => {
      const { diagnostics } = folder.compile();
      const text = formatPretty(diagnostics, { color: false, folder: folder.path });
      return { text: text === '' ? 'The policies compile without diagnostics.' : text, data: toReport(diagnostics) };
    },
  }),
  tool({
    name: 'check',
    title: 'Decide actions',
    description: 'Decides whether a principal may perform actions on a resource, and names the policies that decided.',
    input: z.object({ principal: delegation, resource, actions, auxData }),
    run: async (folder, { actions, ...rest }) => {
      const { policies, traced } = await folder.policies();
      const engine = createEngine(policies, {
        schemaEnforcement: 'warn',
        traced: await traced(),
        clock: stoppedClock(undefined),
        use: [actors(), explanations()],
      });
      const request = {
        principal: rest.principal,
        resources: [{ resource: rest.resource, actions: [...new Set(actions)] }],
        auxData: rest.auxData,
        includeMeta: true,
      };
      const [result] = engine.check(request);
      const decisions = (result?.actions ?? []).map(({ effect, ...decision }) => ({
        ...decision,
        allowed: effect === ALLOW,
      }));
      const data = { ...result, actions: decisions, evaluationErrors: mergeErrors(engine.explain(request)) };
      return { text: JSON.stringify(data, undefined, 2), data };
    },
  }),
  tool({
    name: 'explain',
    title: 'Explain a decision',
    description:
      'Explains why an action is allowed or denied: each rule, how each part of its condition evaluated, and the smallest changes to the request that would flip the decision.',
    input: z.object({
      principal,
      resource,
      action: z.string().min(1),
      auxData,
      near: z.int().min(0).max(20).default(3).describe('number of change sets to search for'),
    }),
    run: async (folder, { near, ...request }) => {
      const { policies, traced, lowered } = await folder.policies();
      const options = { traced: await traced(), clock: stoppedClock(undefined) };
      const isAllowed = createEngine(policies, options).isAllowed(request);
      const explanation = explainDecisions(lowered, options)(request, isAllowed, { near });
      const formatPath = (file: string): string => shownPath(file, folder.path);
      return {
        text: prettyExplanation(request, explanation, {
          paint: plain,
          pathOf: formatPath,
          full: true,
        }).join('\n'),
        data: explanation,
      };
    },
  }),
  tool({
    name: 'plan',
    title: 'Plan a list',
    description:
      'Returns a filter for the resources of a kind on which a principal may perform all actions: always allowed, always denied, or a condition on attributes.',
    input: z.object({
      principal: delegation,
      kind: z.string().min(1),
      actions,
      attr: attributes.optional().describe('attributes that all resources share'),
      policyVersion: z.string().optional(),
      scope: z.string().optional(),
      auxData,
    }),
    run: async (folder, { principal, actions, auxData, ...resource }) => {
      const { policies, traced } = await folder.policies();
      const engine = createEngine(policies, {
        schemaEnforcement: 'warn',
        traced: await traced(),
        clock: stoppedClock(undefined),
        use: [actors(), explanations()],
      });
      const { filter, filterDebug, unplanned, validationErrors } = engine.plan({
        principal,
        resource,
        actions: [...new Set(actions)],
        auxData,
      });
      return { text: filterDebug, data: { filter, filterDebug, unplanned, validationErrors } };
    },
  }),
  tool({
    name: 'test',
    title: 'Run the policy tests',
    description:
      'Runs the tests beside the policies, and returns each result; failed ones with the rules that decided.',
    input: z.object({
      filter: z
        .string()
        .default('')
        .describe('filter of the tests to run, such as `test=Alice*;action=view,edit`; default is all'),
    }),
    run: async (folder, { filter }) => {
      await folder.policies();
      const tests = loadTests(folder.path);
      const { tests: report } = await coverTests(loadPolicies(folder.path), tests, {
        filter,
        schemaEnforcement: 'reject',
      });
      return { text: JSON.stringify(report, undefined, 2), data: report };
    },
  }),
  tool({
    name: 'diff',
    title: 'Compare with a revision',
    description:
      'Compares the policies with those of a git revision: shows a request for each difference, or proves that there is none.',
    input: z.object({
      revision: z.string().min(1).max(200).describe('a git revision, such as `main` or `HEAD~1`'),
      kind: z.string().optional().describe('a glob of kinds to compare'),
    }),
    run: async (folder, { revision, kind }) => {
      const signal = AbortSignal.timeout(LONGEST_DIFF);
      const old = await readSet({ revision, path: undefined }, folder.path, {
        earlier: folder.compile().sources,
        signal,
        environment: folder.environment,
      });
      const before = loadVersion(old.compilation, old.source);
      if (before === undefined) throw new Refused(`The policies of ${old.source} do not compile.`);
      await folder.policies();
      const now = loadVersion(folder.compile(), folder.path);
      if (now === undefined) throw new Refused('The policies do not compile.');
      const report = await diffVersions(before, now, { kind, isOver: () => signal.aborted && 'time' });
      return { text: markdownDiff(report), data: report };
    },
  }),
];

/** Hides the type of a tool's input, which only its own function sees. */
function tool<Input extends z.ZodType>(definition: Tool<Input>): Tool {
  return definition as unknown as Tool;
}
