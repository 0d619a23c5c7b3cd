import type { Place } from '../../compiler/diagnostics/span.js';
import { readEntries, readObject, readObjects, readText, readTexts } from '../../compiler/parse/build/fields.js';
import type { ObjectValue, Value } from '../../compiler/parse/schema/value.js';
import type { Complaint } from './invalid-suite.js';
import { parseInstant } from './instant.js';
import { parseFact, suggestFact } from './unknown-facts.js';

/**
 * The constraints of a suite that span several fields, and the format of `now` (docs/spec/server.md#grammar-of-suites).
 */
export function suiteAgreements(suite: ObjectValue): readonly Complaint[] {
  return [
    ...auxDataAgreements(suite),
    ...checkNow(suite),
    ...readObjects(suite, 'tests').flatMap(({ value }, index) => ofTest(value, `tests[${index}]`)),
  ];
}

/** The constraints of token fixtures. */
export function auxDataAgreements(document: ObjectValue): readonly Complaint[] {
  return readEntries(document, 'auxData').flatMap(({ name, value, place }) => {
    if (value.kind !== 'object' || !value.fields.has('jwt') || !value.fields.has('jwts')) return [];
    return [{ place, text: `auxData[${JSON.stringify(name.value)}]: Only one of the jwt or jwts fields must be set` }];
  });
}

/** Fixtures of principals and resources have no such constraints. */
export function noAgreements(): readonly Complaint[] {
  return [];
}

function ofTest(test: ObjectValue, path: string): readonly Complaint[] {
  const input = test.fields.get('input');
  return [
    ...checkNow(test),
    ...checkUnknown(test, path),
    ...(input?.value.kind === 'object' ? ofInput(input.value, input.place, `${path}.input`) : []),
    ...readObjects(test, 'expected').flatMap(({ value, place }, index) =>
      ofExpectation(value, place, `${path}.expected[${index}]`),
    ),
  ];
}

/** Facts have their names, and only a test that does not know some expects `UNKNOWN`, and no outputs. */
function checkUnknown(test: ObjectValue, path: string): readonly Complaint[] {
  const facts = readTexts(test, 'unknown').flatMap(({ value, place }, index): readonly Complaint[] => {
    if (value === '' || parseFact(value) !== undefined) return [];
    const suggested = suggestFact(value);
    const text = `${path}.unknown[${index}]: ${JSON.stringify(value)} is not a fact: expected resource.attr.NAME, principal.attr.NAME or auxData.jwt.NAME`;
    return [{ place, text, notes: suggested === undefined ? [] : [{ message: `write \`${suggested}\`` }] }];
  });
  const isPartial = isGiven(test, 'unknown');
  const expected = readObjects(test, 'expected').flatMap(({ value }, index): readonly Complaint[] => {
    const own = `${path}.expected[${index}]`;
    const [output] = readObjects(value, 'outputs');
    if (isPartial)
      return output === undefined
        ? []
        : [{ place: output.place, text: `${own}.outputs: a test with \`unknown\` facts cannot expect outputs` }];
    return readEntries(value, 'actions').flatMap(({ name, value: effect, place }) =>
      isUnknownEffect(effect)
        ? [
            {
              place,
              text: `${own}.actions[${JSON.stringify(name.value)}]: UNKNOWN can only be expected of a test that lists \`unknown\` facts`,
            },
          ]
        : [],
    );
  });
  return [...facts, ...expected];
}

/** Whether an expected effect is `UNKNOWN`. */
export function isUnknownEffect(value: Value): boolean {
  return value.kind === 'number' && value.number === 4;
}

function checkNow(holder: ObjectValue): readonly Complaint[] {
  const options = readObject(holder, 'options');
  const now = options && readText(options, 'now');
  if (options === undefined || now === undefined || parseInstant(now.value) !== undefined) return [];
  const { span } = now.place;
  return [
    {
      place: { ...now.place, anchor: span.start },
      text: `invalid timestamp value ${JSON.stringify(now.value)}: RFC 3339 is expected, as in "2024-05-01T12:00:00Z"`,
    },
  ];
}

function ofInput(input: ObjectValue, place: Place, path: string): readonly Complaint[] {
  return [PRINCIPAL, RESOURCE]
    .filter(({ many, groups }) => !isGiven(input, many) && !isGiven(input, groups))
    .map(({ many, groups }) => ({ place, text: `${path}: ${many} or ${groups} must be present` }));
}

function ofExpectation(expectation: ObjectValue, place: Place, path: string): readonly Complaint[] {
  return [PRINCIPAL, RESOURCE].flatMap(({ one, many, groups }) => {
    if (isGiven(expectation, one) && isGiven(expectation, many))
      return [{ place, text: `${path}: ${one} and ${many} may not both be present` }];
    if ([one, many, groups].some((name) => isGiven(expectation, name))) return [];
    return [{ place, text: `${path}: ${one}, ${many}, or ${groups} must be present` }];
  });
}

const PRINCIPAL = { one: 'principal', many: 'principals', groups: 'principalGroups' };
const RESOURCE = { one: 'resource', many: 'resources', groups: 'resourceGroups' };

/** An empty string or list counts as absent. */
function isGiven(object: ObjectValue, name: string): boolean {
  const value: Value | undefined = object.fields.get(name)?.value;
  if (value === undefined) return false;
  return value.kind === 'text' ? value.text !== '' : value.kind !== 'list' || value.items.length > 0;
}
