import { createEngine } from 'authz/runtime';
import { grpcClient } from 'authz/client/grpc';
import { AuthzError, connectClient, inProcessClient, restClient, type AuthzClient } from 'authz/client';
import { compilePolicies, loadPolicies } from 'authz/compiler';
import { type Filter, filterText, selects } from 'authz/residual';
import { renderSql } from 'authz/residual/sql';
import { explainer, policies } from './generated/index.js';
import type { Policies } from './generated/types.js';
import { policies as bundled, type Policies as BundledPolicies } from './dist/policies.js';

/**
 * A program that uses every entry point of the package, with the types that `authzc compile` generated. Prints one line
 * of JSON.
 */
const engine = createEngine<Policies>(policies);
const clients: readonly AuthzClient<Policies>[] = [
  inProcessClient(engine),
  inProcessClient<Policies>(policies),
  inProcessClient<BundledPolicies>(bundled),
  restClient<Policies>({ url: 'http://127.0.0.1:9' }),
  connectClient<Policies>({ url: 'http://127.0.0.1:9' }),
  grpcClient<Policies>({ address: '127.0.0.1:9', timeout: 300 }),
];

const principal = { id: 'anna', roles: ['user'] };
const answers: (boolean | string)[] = [];
for (const client of clients) {
  try {
    answers.push(
      await client.isAllowed({
        principal,
        resource: { kind: 'note', id: '1', attr: { owner: 'anna' } },
        action: 'edit',
      }),
    );
  } catch (error) {
    answers.push(error instanceof AuthzError ? 'AuthzError' : String(error));
  }
  await client.close();
}

const misspelt = engine.isAllowed({
  principal,
  resource: { kind: 'note', id: '1', attr: { owner: 'anna' } },
  // @ts-expect-error: no such action
  action: 'edti',
});
const filter: Filter = engine.plan({ principal, resource: { kind: 'note' }, actions: ['edit'] }).filter;
const explanation = (await explainer()).explain({
  principal,
  resource: { kind: 'note', id: '1', attr: { owner: 'anna' } },
  action: 'edit',
});
const compiled = compilePolicies(loadPolicies('policies'));
const { js } = await compiled.bundle();

console.log(
  JSON.stringify({
    answers,
    misspelt,
    text: filterText(filter),
    selected: [selects(filter, { attr: { owner: 'anna' } }), selects(filter, { attr: { owner: 'bert' } })],
    sql: typeof renderSql,
    files: compiled.files?.map(({ path }) => path),
    errors: compiled.report.errors,
    bundles: js.includes('export'),
    explained: explanation.decision,
  }),
);
