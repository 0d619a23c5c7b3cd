import { getCheckingSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CelFunction } from '../../packages/cel/library/function.js';
import * as types from '../../packages/cel/library/types.js';
import { parseCel } from '../../packages/cel/parse/index.js';
import { checkExpression } from '../../packages/cel/check/check-expression.js';
import { type Environment, type Name, policyEnvironment } from '../../packages/cel/check/environment.js';

// The type-checking suite of cel-spec: types and errors recorded from CEL's Go checker. Tests that need declarations
// our environment does not have are left out by name.

const suite = getCheckingSuite();

/** Names that the suite's default environment has without declaring them. */
const defaults: Readonly<Record<string, types.CelType>> = {
  is: types.string,
  ii: types.int,
  iu: types.uint,
  iz: types.bool,
  id: types.double,
  ix: types.nullType,
  ib: types.bytes,
};

const primitives = [types.dyn, types.bool, types.int, types.uint, types.double, types.string, types.bytes];

let run = 0;
const left: string[] = [];

for (const { original, type, error } of suite.tests) {
  const reason = reasonToLeaveOut(original, error);
  if (reason !== undefined) {
    left.push(`${original.expr}: ${reason}`);
    continue;
  }
  run += 1;
  test(`type check: ${original.expr}`, () => {
    const { ast, errors } = parseCel(original.expr);
    if (ast === undefined) throw new Error(errors.map(({ message }) => message).join(', '));
    const checked = checkExpression(ast, environmentOf(original.typeEnv));
    assert.equal(
      checked.problems.map(({ message }) => message),
      error === undefined ? [] : messagesOf(error),
    );
    if (type !== undefined) assert.is(types.printType(checked.type), type);
  });
}

test('the suite is not empty', () => {
  assert.ok(run >= 70, `${run} run, left out:\n${left.join('\n')}`);
});

test.run();

function reasonToLeaveOut(
  original: (typeof suite.tests)[number]['original'],
  error: string | undefined,
): string | undefined {
  if (original.container !== '') return 'a container';
  if (/TestAllTypes|Proto2Message|NotAMessage|pb2|pb3|testAllTypes/.test(original.expr)) return 'test messages';
  if (error?.includes('unsupported syntax')) return 'recorded without optional syntax';
  if (/^1 (<|>|<=|>=) 1\.0 &&/.test(original.expr)) return 'recorded without comparison across types';
  const declared = JSON.stringify(original.typeEnv, (_, value: unknown) =>
    typeof value === 'bigint' ? Number(value) : value,
  );
  if (/"messageType"|"wrapper"/.test(declared)) return 'declares test messages or wrappers';
  if (/"case":"abstractType"/.test(declared) && !declared.includes('optional_type')) return 'declares an abstract type';
  if (/base64|encode/.test(original.expr)) return 'another function of that name';
  return undefined;
}

function messagesOf(error: string): readonly string[] {
  return [...error.matchAll(/^ERROR: <input>:\d+:\d+: (.*)$/gm)].map((match) => match[1] ?? '');
}

type Declaration = (typeof suite.tests)[number]['original']['typeEnv'][number];

function environmentOf(declarations: readonly Declaration[]): Environment {
  const names = new Map<string, Name>(policyEnvironment.names);
  for (const [name, type] of Object.entries(defaults)) names.set(name, { type, reference: undefined });
  const functions = new Map<string, readonly CelFunction[]>(policyEnvironment.functions);
  functions.set('fg_s', [
    { name: 'fg_s', runtime: '', pure: true, overloads: [{ form: 'global', parameters: [], result: types.string }] },
  ]);
  functions.set('fi_s_s', [
    {
      name: 'fi_s_s',
      runtime: '',
      pure: true,
      overloads: [{ form: 'member', parameters: [types.string], result: types.string }],
    },
  ]);
  for (const { name, declKind } of declarations) {
    if (declKind.case === 'ident') names.set(name, { type: typeOf(declKind.value.type), reference: undefined });
    if (declKind.case === 'function') {
      const overloads = declKind.value.overloads.map((overload) => ({
        form: overload.isInstanceFunction ? ('member' as const) : ('global' as const),
        parameters: overload.params.map(typeOf),
        result: typeOf(overload.resultType),
      }));
      functions.set(name, [{ name, runtime: '', pure: true, overloads }]);
    }
  }
  return { ...policyEnvironment, names, functions };
}

type ProtoType = Extract<Declaration['declKind'], { case: 'ident' }>['value']['type'];

function typeOf(type: ProtoType): types.CelType {
  const kind = type?.typeKind;
  switch (kind?.case) {
    case 'primitive':
      return primitives[kind.value] ?? types.dyn;
    case 'null':
      return types.nullType;
    case 'wellKnown':
      return [types.dyn, types.dyn, types.timestamp, types.duration][kind.value] ?? types.dyn;
    case 'listType':
      return types.listType(typeOf(kind.value.elemType));
    case 'mapType':
      return types.mapType(typeOf(kind.value.keyType), typeOf(kind.value.valueType));
    case 'typeParam':
      return types.parameter(kind.value);
    case 'abstractType':
      return types.optionalType(typeOf(kind.value.parameterTypes[0]));
    case 'type':
      return types.typeType(typeOf(kind.value));
    default:
      return types.dyn;
  }
}
