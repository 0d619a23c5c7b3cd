import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileFolder, policiesInMemory } from '../../packages/cli/policies/compile.js';
import { PROCESS_CONTEXT } from '../../packages/cli/process-context.js';

const test = suite('chains of variables');

/** A policy whose condition uses a chain of this many variables. */
function policyOf(length: number): string {
  const variables = Array.from(
    { length },
    (_, index) => `      v${index}: ${index === 0 ? 'R.attr.a == 1' : `V.v${index - 1} || R.attr.b == ${index}`}\n`,
  );
  return `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  variables:
    local:
${variables.join('')}  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: V.v${length - 1}
`;
}

async function inFolder<T>(length: number, work: (folder: string) => T): Promise<Awaited<T>> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-deep-chains-'));
  try {
    writeFileSync(join(folder, 'policy.yaml'), policyOf(length));
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a chain of 200 variables compiles, including all emitted files', async () => {
  assert.ok((await inFolder(200, (folder) => policiesInMemory(folder, PROCESS_CONTEXT))) !== undefined);
});

for (const length of [201, 1000, 3000, 10_000]) {
  test(`a chain of ${length} variables is rejected once, at the first variable that is too deep`, async () => {
    const diagnostics = await inFolder(length, (folder) => compileFolder(folder).diagnostics);
    assert.equal(
      diagnostics.filter(({ severity }) => severity === 'error').map(({ code, message }) => [code, message]),
      [['variable/too-deep', 'variable `v200` uses a chain of more than 200 variables']],
    );
  });
}

test.run();
