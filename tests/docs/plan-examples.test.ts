import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { createEngine, type PlanRequest } from '../../runtime/engine/index.js';
import { REFERENCE } from '../../runtime/residual/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { readPage } from '../support/docs/blocks.js';
import { matchesText } from '../support/docs/expected.js';
import { DOCS_FOLDER } from './pages.js';

/**
 * The rows of the tables in docs/spec/plans.md that begin with `ALLOW if` or `DENY if`: a condition, the text of its
 * filter and, where it differs, the text in reference shapes.
 */
const PAGE = join(DOCS_FOLDER, 'spec/plans.md');
const test = suite('docs/spec/plans.md');

test('every example has the filter that the page shows', async () => {
  const examples = examplesOf(readFileSync(PAGE, 'utf8'));
  assert.ok(examples.length >= 55, `${examples.length} examples`);
  const { policies } = await loaded(compileTexts({ 'document.yaml': policyOf(examples) }));
  const flat = createEngine(policies);
  const reference = createEngine(policies, { plan: REFERENCE });
  const problems = examples.flatMap(({ condition, filter, referenceFilter }, index) => {
    const request: PlanRequest = {
      principal: principal(),
      resource: { kind: 'document' },
      actions: [`example${index}`],
    };
    const texts = [flat.plan(request).filterDebug, reference.plan(request).filterDebug] as const;
    const isShown =
      matchesText(texts[0], filter) && (referenceFilter === undefined || matchesText(texts[1], referenceFilter));
    return isShown ? [] : [`${condition}: ${texts.join(' and, in reference shapes, ')}`];
  });
  assert.equal(problems, []);
});

test.run();

interface Example {
  readonly effect: 'ALLOW' | 'DENY';
  readonly condition: string;
  readonly filter: string;
  /** Absent in a table without that column. */
  readonly referenceFilter: string | undefined;
}

function examplesOf(page: string): readonly Example[] {
  let effect: Example['effect'] | undefined;
  return page.split('\n').flatMap((line) => {
    effect =
      (/^\| (ALLOW|DENY) if \|/.exec(line)?.[1] as Example['effect'] | undefined) ??
      (line.startsWith('|') ? effect : undefined);
    const cells = line.split(/(?<!\\)\|/).map((cell) => /^ `(.*)` $/.exec(cell)?.[1]?.replaceAll('\\|', '|'));
    const [, condition, filter, referenceFilter] = cells;
    if (effect === undefined || condition === undefined || filter === undefined) return [];
    return [{ effect, condition, filter, referenceFilter: cells.length > 4 ? (referenceFilter ?? filter) : undefined }];
  });
}

function policyOf(examples: readonly Example[]): string {
  const rules = examples.flatMap(({ effect, condition }, index) => {
    const rule = {
      actions: [`example${index}`],
      effect: `EFFECT_${effect}`,
      roles: ['user'],
      condition: { match: { expr: condition } },
    };
    return effect === 'ALLOW' ? [rule] : [rule, { ...rule, effect: 'EFFECT_ALLOW', condition: undefined }];
  });
  const definitions = { variables: { local: { geo: 'R.attr.geo' } }, constants: { local: { lim: 5 } } };
  return JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: { resource: 'document', version: 'default', ...definitions, rules },
  });
}

function principal(): PlanRequest['principal'] {
  const block = readPage(PAGE).blocks.find(({ words }) => words.has('request'));
  return (parse(block?.text ?? '') as { readonly principal: PlanRequest['principal'] }).principal;
}
