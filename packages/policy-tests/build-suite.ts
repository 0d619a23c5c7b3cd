import type { JsonValue } from '../../compiler/ast/policy.js';
import { invariant } from '../../compiler/diagnostics/invariant.js';
import {
  boolOf,
  entriesOf,
  nonEmptyText,
  objectOf,
  objectsOf,
  requiredText,
  textOf,
  textsOf,
} from '../../compiler/parse/build/fields.js';
import type { ObjectValue, Value } from '../../compiler/parse/schema/value.js';
import { attributesOf, buildFixtures } from './build-fixtures.js';
import { instantOf } from './agreements.js';
import type { Choice, EffectName, Expectation, ExpectedOutput, Suite, Test, TestInput, TestOptions } from './suite.js';

/** A suite from its validated document. */
export function buildSuite(document: ObjectValue): Suite {
  return {
    ...buildFixtures(document),
    ...headOf(document),
    description: textOf(document, 'description')?.value ?? '',
    tests: objectsOf(document, 'tests').map(({ value }) => testOf(value)),
  };
}

function headOf(holder: ObjectValue): Pick<Test, 'name' | 'skip' | 'skipReason' | 'options'> {
  const options = objectOf(holder, 'options');
  return {
    name: requiredText(holder, 'name').value,
    skip: boolOf(holder, 'skip'),
    skipReason: textOf(holder, 'skipReason')?.value ?? '',
    options: options && optionsOf(options),
  };
}

function optionsOf(options: ObjectValue): TestOptions {
  const now = textOf(options, 'now')?.value;
  return {
    now: now === undefined ? undefined : instantOf(now),
    defaultPolicyVersion: textOf(options, 'defaultPolicyVersion')?.value,
    defaultScope: textOf(options, 'defaultScope')?.value,
    lenientScopeSearch: boolOf(options, 'lenientScopeSearch'),
    strictEvaluation: boolOf(options, 'strictEvaluation'),
    globals: attributesOf(options, 'globals') ?? {},
  };
}

function testOf(test: ObjectValue): Test {
  const input = objectOf(test, 'input') ?? invariant('a test without input after validation');
  return {
    ...headOf(test),
    place: requiredText(test, 'name').place,
    input: inputOf(input),
    expected: objectsOf(test, 'expected').map(({ value }) => expectationOf(value)),
  };
}

function inputOf(input: ObjectValue): TestInput {
  return {
    principals: choiceOf(input, PRINCIPAL_FIELDS),
    resources: choiceOf(input, RESOURCE_FIELDS),
    actions: textsOf(input, 'actions').map(({ value }) => value),
    auxData: nonEmptyText(input, 'auxData'),
  };
}

function expectationOf(expectation: ObjectValue): Expectation {
  return {
    principals: choiceOf(expectation, PRINCIPAL_FIELDS),
    resources: choiceOf(expectation, RESOURCE_FIELDS),
    actions: new Map(
      entriesOf(expectation, 'actions').map(({ name, value }) => [
        name.value,
        { value: effectOf(value), place: name.place },
      ]),
    ),
    outputs: objectsOf(expectation, 'outputs').flatMap(({ value }) => outputsOf(value)),
  };
}

const PRINCIPAL_FIELDS = { one: 'principal', many: 'principals', groups: 'principalGroups' } as const;
const RESOURCE_FIELDS = { one: 'resource', many: 'resources', groups: 'resourceGroups' } as const;

function choiceOf(
  object: ObjectValue,
  { one, many, groups }: { readonly one: string; readonly many: string; readonly groups: string },
): Choice {
  const single = nonEmptyText(object, one);
  return {
    keys: [...(single === undefined ? [] : [single]), ...textsOf(object, many)],
    groups: textsOf(object, groups),
  };
}

function effectOf(value: Value): EffectName {
  return value.kind === 'number' && value.number === 1 ? 'EFFECT_ALLOW' : 'EFFECT_DENY';
}

/** If a source is listed twice in one list, its last entry counts. */
function outputsOf(outputs: ObjectValue): readonly ExpectedOutput[] {
  const { value: action, place } = requiredText(outputs, 'action');
  const bySource = new Map(
    objectsOf(outputs, 'expected').map(({ value }) => [textOf(value, 'src')?.value ?? '', jsonOf(value, 'val')]),
  );
  return [...bySource].map(([src, val]) => ({ action, place, src, val }));
}

function jsonOf(object: ObjectValue, name: string): JsonValue | undefined {
  const value = object.fields.get(name)?.value;
  return value?.kind === 'json' ? value.value : undefined;
}
