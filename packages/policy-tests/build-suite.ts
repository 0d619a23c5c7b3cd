import type { JsonValue } from '../../compiler/ast/policy.js';
import { invariant } from '../../compiler/diagnostics/invariant.js';
import {
  readBool,
  readEntries,
  nonEmptyText,
  readObject,
  readObjects,
  requiredText,
  readText,
  readTexts,
} from '../../compiler/parse/build/fields.js';
import type { ObjectValue, Value } from '../../compiler/parse/schema/value.js';
import { buildAttributes, buildFixtures } from './build-fixtures.js';
import { isUnknownEffect } from './agreements.js';
import { parseInstant } from './instant.js';
import type { Choice, Expectation, ExpectedOutput, Suite, Test, TestEffect, TestInput, TestOptions } from './suite.js';
import { parseFact } from './unknown-facts.js';

/** A suite from its validated document. */
export function buildSuite(document: ObjectValue): Suite {
  return {
    ...buildFixtures(document),
    ...buildHead(document),
    description: readText(document, 'description')?.value ?? '',
    tests: readObjects(document, 'tests').map(({ value }) => buildTest(value)),
  };
}

function buildHead(holder: ObjectValue): Pick<Test, 'name' | 'skip' | 'skipReason' | 'options'> {
  const options = readObject(holder, 'options');
  return {
    name: requiredText(holder, 'name').value,
    skip: readBool(holder, 'skip'),
    skipReason: readText(holder, 'skipReason')?.value ?? '',
    options: options && buildOptions(options),
  };
}

function buildOptions(options: ObjectValue): TestOptions {
  const now = readText(options, 'now')?.value;
  return {
    now: now === undefined ? undefined : parseInstant(now),
    defaultPolicyVersion: readText(options, 'defaultPolicyVersion')?.value,
    defaultScope: readText(options, 'defaultScope')?.value,
    lenientScopeSearch: readBool(options, 'lenientScopeSearch'),
    strictEvaluation: readBool(options, 'strictEvaluation'),
    globals: buildAttributes(options, 'globals') ?? {},
  };
}

function buildTest(test: ObjectValue): Test {
  const input = readObject(test, 'input') ?? invariant('a test without input after validation');
  return {
    ...buildHead(test),
    place: requiredText(test, 'name').place,
    unknown: buildUnknown(test),
    input: buildInput(input),
    expected: readObjects(test, 'expected').map(({ value }) => buildExpectation(value)),
  };
}

function buildUnknown(test: ObjectValue): Test['unknown'] {
  return new Map(
    readTexts(test, 'unknown').flatMap(({ value, place }) => {
      const fact = parseFact(value);
      return fact === undefined ? [] : [[fact, place] as const];
    }),
  );
}

function buildInput(input: ObjectValue): TestInput {
  return {
    principals: buildChoice(input, PRINCIPAL_FIELDS),
    resources: buildChoice(input, RESOURCE_FIELDS),
    actions: readTexts(input, 'actions').map(({ value }) => value),
    auxData: nonEmptyText(input, 'auxData'),
  };
}

function buildExpectation(expectation: ObjectValue): Expectation {
  return {
    principals: buildChoice(expectation, PRINCIPAL_FIELDS),
    resources: buildChoice(expectation, RESOURCE_FIELDS),
    actions: new Map(
      readEntries(expectation, 'actions').map(({ name, value }) => [
        name.value,
        { value: readEffect(value), place: name.place },
      ]),
    ),
    outputs: readObjects(expectation, 'outputs').flatMap(({ value }) => buildOutputs(value)),
  };
}

const PRINCIPAL_FIELDS = { one: 'principal', many: 'principals', groups: 'principalGroups' } as const;
const RESOURCE_FIELDS = { one: 'resource', many: 'resources', groups: 'resourceGroups' } as const;

function buildChoice(
  object: ObjectValue,
  { one, many, groups }: { readonly one: string; readonly many: string; readonly groups: string },
): Choice {
  const single = nonEmptyText(object, one);
  return {
    keys: [...(single === undefined ? [] : [single]), ...readTexts(object, many)],
    groups: readTexts(object, groups),
  };
}

function readEffect(value: Value): TestEffect {
  if (isUnknownEffect(value)) return 'UNKNOWN';
  return value.kind === 'number' && value.number === 1 ? 'EFFECT_ALLOW' : 'EFFECT_DENY';
}

/** If a source is listed twice in one list, its last entry counts. */
function buildOutputs(outputs: ObjectValue): readonly ExpectedOutput[] {
  const { value: action, place } = requiredText(outputs, 'action');
  const bySource = new Map(
    readObjects(outputs, 'expected').map(({ value }) => [readText(value, 'src')?.value ?? '', readJson(value, 'val')]),
  );
  return [...bySource].map(([src, val]) => ({ action, place, src, val }));
}

function readJson(object: ObjectValue, name: string): JsonValue | undefined {
  const value = object.fields.get(name)?.value;
  return value?.kind === 'json' ? value.value : undefined;
}
