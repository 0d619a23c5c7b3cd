import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { importPackage } from '../import-package.js';
import type { Decide, Question, Workload } from '../workload.js';
import { entityType } from './cedar.js';

/** The part of the package that is used. */
interface Cedarling {
  readonly initSync: (wasm: { readonly module: Uint8Array }) => object;
  readonly init: (settings: object) => Promise<{
    readonly authorize_unsigned: (
      request: string,
    ) => Promise<{ readonly decision: boolean; readonly free: () => void }>;
  }>;
}

/** Decides with `authorize_unsigned` of Cedarling: requests are JSON beforehand, and its log is off. */
export async function decideWithCedarling(
  { cedar }: Workload,
  questions: readonly Question[],
): Promise<Decide | undefined> {
  if (cedar?.schema === undefined) return undefined;
  const { initSync, init } = await importPackage<Cedarling>(PACKAGE);
  const { resolve } = createRequire(import.meta.url);
  initSync({ module: readFileSync(resolve(`${PACKAGE}/cedarling_wasm_bg.wasm`)) });
  const instance = await init({
    CEDARLING_APPLICATION_NAME: 'bench',
    CEDARLING_POLICY_STORE_LOCAL: JSON.stringify(policyStore(cedar.text, cedar.schema)),
    CEDARLING_LOG_TYPE: 'off',
    CEDARLING_JWT_SIG_VALIDATION: 'disabled',
    CEDARLING_JWT_STATUS_VALIDATION: 'disabled',
  });
  const requests = questions.map(({ principal, resource, action }) =>
    JSON.stringify({
      principal: { ...mapping('User', principal.id), roles: principal.roles, ...principal.attr },
      action: `${NAMESPACE}::Action::"${action}"`,
      resource: { ...mapping(entityType(resource.kind), resource.id), ...resource.attr },
      context: {},
    }),
  );
  return async (index) => {
    const result = await instance.authorize_unsigned(requests[index] as string);
    const { decision } = result;
    // Otherwise the memory of the module grows.
    result.free();
    return decision;
  };
}

const PACKAGE = '@janssenproject/cedarling_wasm';
/** Cedarling builds entities of types that are in a namespace. */
const NAMESPACE = 'Bench';

function mapping(type: string, id: string): object {
  return { cedar_entity_mapping: { entity_type: `${NAMESPACE}::${type}`, id }, id };
}

function policyStore(text: string, schema: string): object {
  const policies = text
    .split(/(?<=;)\n/)
    .map((policy) =>
      policy.replace(/\b(is )(\w)/g, `$1${NAMESPACE}::$2`).replace(/\bAction::/g, `${NAMESPACE}::Action::`),
    );
  return {
    cedar_version: 'v4.0.0',
    policy_stores: {
      bench: {
        cedar_version: 'v4.0.0',
        name: 'bench',
        description: '',
        policies: Object.fromEntries(
          policies.map((body, index) => [
            `policy${index}`,
            { description: '', policy_content: { encoding: 'none', content_type: 'cedar', body } },
          ]),
        ),
        schema: { encoding: 'none', content_type: 'cedar', body: `namespace ${NAMESPACE} {\n${schema}\n}` },
      },
    },
  };
}
