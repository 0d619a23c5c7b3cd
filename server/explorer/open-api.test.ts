import SwaggerParser from '@apidevtools/swagger-parser';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openApiPrinter } from './open-api.js';

const text = openApiPrinter()('https://pdp.example:3592', '1.2.3');

/**
 * What Redocly warns of and is meant: combinations of fields are required without their types being repeated, and
 * requests without content cannot be wrong.
 */
const MEANT = new Set(['no-required-schema-properties-undefined', 'operation-4xx-response']);

for (const rules of ['spec', 'recommended'] as const) {
  test(`the description of a server has no problem in Redocly's rules: ${rules}`, async () => {
    const config = await createConfig({ extends: [rules] });
    const problems = await lintFromString({ source: text, absoluteRef: '/openapi.json', config });
    const unwanted = problems.filter(({ severity, ruleId }) => severity === 'error' || !MEANT.has(ruleId));
    assert.equal(
      unwanted.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`),
      [],
    );
  });
}

test("Redocly's rules find what is wrong", async () => {
  const { security: _, ...unsecured } = JSON.parse(text) as { readonly security: unknown };
  const problems = await lintFromString({
    source: JSON.stringify(unsecured),
    absoluteRef: '/openapi.json',
    config: await createConfig({ extends: ['recommended'] }),
  });
  assert.ok(problems.some(({ ruleId }) => ruleId === 'security-defined'));
});

test("the description of a server is valid for Swagger's parser, which finds what is wrong", async () => {
  const findProblem = (description: unknown): Promise<unknown> =>
    SwaggerParser.validate(description as never).then(
      () => undefined,
      (error: Error) => error.message,
    );
  assert.is(await findProblem(JSON.parse(text)), undefined);
  assert.type(
    await findProblem({ ...JSON.parse(text), paths: { '/api': { get: { parameters: [{ name: 'nowhere' }] } } } }),
    'string',
  );
});

test.run();
