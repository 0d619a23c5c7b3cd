import { byAction } from '../by-action.js';
import type { CheckResourcesResponse, OutputEntry, ResultEntry } from '../messages.js';
import { setOwn } from '../wire/json-shape.js';

/**
 * CheckResourcesResponse as the JSON value that its JSON form is: for messages that carry one as a
 * google.protobuf.Value (docs/spec/server.md#authzen).
 */
export function checkResponseValue({
  requestId,
  results,
  includeMeta,
  authzCallId,
}: CheckResourcesResponse): Record<string, unknown> {
  return {
    ...text('requestId', requestId),
    results: results.map((result) => resultValue(result, includeMeta)),
    ...text('authzCallId', authzCallId),
  };
}

const EFFECTS = { 1: 'EFFECT_ALLOW', 2: 'EFFECT_DENY' } as const;

function resultValue({ resource, decision }: ResultEntry, includeMeta: boolean): Record<string, unknown> {
  const { outputs, validationErrors, effectiveDerivedRoles } = decision;
  const actions = byAction(decision.actions);
  const byName = (value: (action: (typeof actions)[number]) => unknown): Record<string, unknown> => {
    const map: Record<string, unknown> = {};
    for (const action of actions) setOwn(map, action.action, value(action));
    return map;
  };
  const meta = {
    actions: byName(({ matchedPolicy, matchedScope }) => ({ matchedPolicy, ...text('matchedScope', matchedScope) })),
    ...(effectiveDerivedRoles.length > 0 && { effectiveDerivedRoles }),
  };
  return {
    resource: {
      id: resource.id,
      kind: resource.kind,
      ...text('policyVersion', resource.policyVersion),
      ...text('scope', resource.scope),
    },
    actions: byName(({ effect }) => EFFECTS[effect]),
    ...(validationErrors.length > 0 && { validationErrors: validationErrors.map((error) => ({ ...error })) }),
    ...(includeMeta && { meta }),
    ...(outputs.length > 0 && { outputs: outputs.map(outputValue) }),
  };
}

function outputValue(output: OutputEntry): Record<string, unknown> {
  return 'error' in output
    ? { src: output.src, action: output.action, error: output.error }
    : { src: output.src, val: output.val, action: output.action };
}

function text(name: string, value: string): Record<string, string> {
  return value === '' ? {} : { [name]: value };
}
