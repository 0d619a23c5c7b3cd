import * as schema from '../json-schema/index.js';
import type { Attributes, SchemaViolation } from '../../runtime/policy/index.js';
import { schemaDefinitions } from '../analysis/program/schemas.js';
import { compileTexts } from '../../compiler/policy-texts.js';

/** What the schema of a tool's input says of its calls. */
export interface CallSchema {
  /** What an expression reads that calls need not have, or never have; empty if it suits the schema. */
  problemsOf(expression: string): readonly string[];
  /** How the parameters of a call violate the schema; empty if they do not. */
  violations(params: Attributes): readonly SchemaViolation[];
}

/** Reads the schema of a tool's input; a text says why it cannot be used. */
export function readCallSchema(tool: string, inputSchema: object): CallSchema | string {
  const texts = [
    {
      path: 'call.json',
      text: JSON.stringify({ type: 'object', required: ['params'], properties: { params: describeParams(tool) } }),
    },
    { path: 'input.json', text: JSON.stringify(inputSchema) },
  ];
  const compiled = (condition: string) =>
    compileTexts({ policies: [policyWith(condition)], schemas: texts }, { strictTypes: true });
  const { lowered, diagnostics } = compiled('true');
  if (lowered === undefined) return diagnostics[0]?.message ?? 'the schema of the input is not valid';
  const violations = schema.violationsOf(schemaDefinitions(lowered.schemas)({ file: 'call.json', pointer: '' }));
  return {
    problemsOf: (expression) =>
      // The expression may end with a comment.
      compiled(`cel.bind(params, R.attr.params, cel.bind(token, P.attr, [${expression}\n])) == []`).diagnostics.map(
        ({ message }) => message,
      ),
    violations: (params) => violations({ params }),
  };
}

/** The parameters of `tools/call`. The guard adds `arguments` where a call has none. */
function describeParams(tool: string): object {
  return {
    type: 'object',
    required: ['name', 'arguments'],
    properties: { name: { const: tool }, arguments: { $ref: 'input.json' }, _meta: {} },
  };
}

/** A policy that states a condition about calls: the compiler judges what the condition reads by the schema. */
function policyWith(condition: string): { readonly path: string; readonly text: string } {
  const policy = {
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      resource: 'call',
      version: 'default',
      schemas: { resourceSchema: { ref: 'authz:///call.json' } },
      rules: [{ actions: ['call'], effect: 'EFFECT_ALLOW', roles: ['*'], condition: { match: { expr: condition } } }],
    },
  };
  return { path: 'call.yaml', text: JSON.stringify(policy) };
}
