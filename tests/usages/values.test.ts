import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { applicationOf, policyOf } from './support.js';

const test = suite('what an application asks');

const COMMON = `import { createEngine, type Engine } from 'authz/runtime';
declare const bundle: Parameters<typeof createEngine>[0];
declare const anything: string;
const engine: Engine = createEngine(bundle);
const principal = { id: 'ann', roles: ['user'] };
`;
const WRAPPER = `const ask = (kind: string, action: string) => engine.isAllowed({ principal, resource: { kind, id: '1' }, action });`;

/** By name: code, and the kinds and actions that it asks. */
const FORMS: { readonly [name: string]: readonly [code: string, ...asks: string[]] } = {
  literals: [`engine.isAllowed({ principal, resource: { kind: 'a', id: '1' }, action: 'x' });`, 'a:x'],
  constants: [`const KIND = 'a'; const ACTION = 'x' as const; ask(KIND, ACTION);`, 'a:x'],
  'members of enums': [`enum Action { X = 'x', Y = 'y' } ask('a', Action.X); ask('a', Action.Y);`, 'a:x', 'a:y'],
  'constant objects': [`const ACTIONS = { one: 'x', two: 'y' } as const; ask('a', ACTIONS.two);`, 'a:y'],
  'constant objects by key': [`const ACTIONS = { one: 'x', two: 'y' } as const; ask('a', ACTIONS['one']);`, 'a:x'],
  'constant objects by any key': [
    `const ACTIONS = { one: 'x', two: 'y' } as const; declare const key: keyof typeof ACTIONS; ask('a', ACTIONS[key]);`,
    'a:x',
    'a:y',
  ],
  'template literal types': [
    "type Verb = 'add' | 'edit'; declare const action: `comment:${Verb}`; ask('a', action);",
    'a:comment:add',
    'a:comment:edit',
  ],
  templates: ["declare const verb: 'add' | 'edit'; ask('a', `comment:${verb}`);", 'a:comment:add', 'a:comment:edit'],
  'joined strings': [`const PREFIX = 'comment:'; ask('a', PREFIX + 'add');`, 'a:comment:add'],
  'either of two': [`ask('a', anything === '' ? 'x' : 'y');`, 'a:x', 'a:y'],
  'a default': [`declare const wished: 'x' | undefined; ask('a', wished ?? 'y');`, 'a:x', 'a:y'],
  'a union of literals': [`declare const wished: 'x' | 'y'; ask('a', wished);`, 'a:x', 'a:y'],
  'a generic function': [`function may<A extends 'x' | 'y'>(action: A) { return ask('a', action); } may('x');`, 'a:x'],
  'satisfies and as': [`ask(('a' satisfies string)!, 'x' as string);`, 'a:x'],
  'wrappers of wrappers': [
    `function may(action: string) { return may2('a', action); }
     function may2(kind: string, action: string) { return ask(kind, action); }
     may('x'); may2('b', 'y');`,
    'a:x',
    'b:y',
  ],
  'parameters that are taken apart': [
    `function may({ kind, what: action = 'y' }: { kind: string; what?: string }) { return ask(kind, action); }
     may({ kind: 'a', what: 'x' }); may({ kind: 'b' });`,
    'a:x',
    'b:y',
  ],
  'defaults of parameters': [`function may(action = 'x') { return ask('a', action); } may(); may('y');`, 'a:x', 'a:y'],
  'methods of classes': [
    `class Access { constructor(private readonly kind: string) {} may(action: string) { return ask(this.kind, action); } }
     new Access('a').may('x');`,
    'a:x',
  ],
  'fields of classes': [
    `class Albums { readonly kind = 'a'; private static readonly EDIT = 'x'; may() { return ask(this.kind, Albums.EDIT); } }
     new Albums().may();`,
    'a:x',
  ],
  'objects that are made by functions': [
    `function toResource(kind: string) { return { kind, id: '1', attr: {} }; }
     engine.isAllowed({ principal, resource: toResource('a'), action: 'x' });
     engine.isAllowed({ principal, resource: toResource('b'), action: 'y' });`,
    'a:x',
    'b:y',
  ],
  'a request in a variable': [
    `const base = { principal, resource: { kind: 'a', id: '1' } }; const request = { ...base, action: 'x' }; engine.isAllowed(request);`,
    'a:x',
  ],
  'loops over lists': [`const ACTIONS = ['x', 'y']; for (const action of ACTIONS) ask('a', action);`, 'a:x', 'a:y'],
  'callbacks over lists': [`['x', 'y'].map((action) => ask('a', action));`, 'a:x', 'a:y'],
  'several resources': [
    `engine.check({ principal, resources: [
       { resource: { kind: 'a', id: '1' }, actions: ['x'] }, { resource: { kind: 'b', id: '1' }, actions: ['y', 'z'] } ] });`,
    'a:x',
    'b:y',
    'b:z',
  ],
  'resources of a list': [
    `declare const ids: string[];
     engine.check({ principal, resources: ids.map((id) => ({ resource: { kind: 'a', id }, actions: ['x', ...['y']] })) });`,
    'a:x',
    'a:y',
  ],
  plans: [`engine.plan({ principal, resource: { kind: 'a' }, actions: ['x'] });`, 'a:x'],
  'prepared principals': [`const ann = engine.for(principal); ann.can('x', { kind: 'a', id: '1' });`, 'a:x'],
  'methods that are taken out': [
    `const { isAllowed: may } = engine; may({ principal, resource: { kind: 'a', id: '1' }, action: 'x' });`,
    'a:x',
  ],
  clients: [
    `import { restClient } from 'authz/client';
     const client = restClient({ url: '' });
     export const done = [
       client.check({ principal, resource: { kind: 'a', id: '1' }, actions: ['x'] }),
       client.checkAll({ principal, resources: [{ resource: { kind: 'b', id: '1' }, actions: ['y'] }] }),
       client.plan({ principal, resource: { kind: 'c' }, actions: ['z'] }),
       client.for(principal).can('w', { kind: 'd', id: '1' }),
     ];`,
    'a:x',
    'b:y',
    'c:z',
    'd:w',
  ],
  guards: [
    `import { expressGuard } from 'authz/middleware/express';
     declare const client: Parameters<typeof expressGuard>[0]['client'];
     const guard = expressGuard({ client, principal: () => principal });
     export const one = guard({ action: 'x', also: ['y'], hiddenWithout: 'z', resource: { kind: 'a', id: '1' } });
     export const two = guard({ action: 'x', resource: async (request) => ({ kind: 'b', id: String(request.params['id']) }) });`,
    'a:x',
    'a:y',
    'a:z',
    'b:x',
  ],
  hooks: [
    `import { reactAuthz } from 'authz/react';
     const { useAccess, useAccesses } = reactAuthz(engine);
     export const Button = ({ action, kind }: { action: string; kind: string }) => <b>{useAccess(action, { kind })}</b>;
     export const Page = () => <div><Button action="x" kind="a" /><Button kind={'b'} action={'y'} />{useAccesses(['z'], { kind: 'c' }).z}</div>;`,
    'a:x',
    'b:y',
    'c:z',
  ],
  'computed actions': [`ask('a', anything);`, 'a:?'],
  'computed kinds': [`ask(anything.trim(), 'x');`, '?:x'],
  'wrappers that are passed on': [`[anything].forEach(may); function may(action: string) { ask('a', action); }`, 'a:?'],
  'wrappers without a caller': [
    `export const may = (action: 'x' | 'y') => engine.isAllowed({ principal, resource: { kind: 'a', id: '1' }, action });`,
    'a:x',
    'a:y',
  ],
};

test('every form of kinds and actions is found, and those that are computed are said to be', async () => {
  const entries = Object.entries(FORMS);
  const files = entries.map(([, [code]], index) => {
    const imports = code.split('\n').filter((line) => line.trim().startsWith('import '));
    const rest = code.split('\n').filter((line) => !line.trim().startsWith('import '));
    return [
      `src/form-${index}.tsx`,
      [...imports, COMMON, /\bask\(/.test(code) ? WRAPPER : '', ...rest, 'export {};'].join('\n'),
    ] as const;
  });
  const application = applicationOf({
    ...Object.fromEntries(files),
    'policies/a.yaml': policyOf('a', ['x']),
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        module: 'NodeNext',
        target: 'ES2022',
        lib: ['ES2023', 'DOM'],
        jsx: 'react-jsx',
        strict: true,
        skipLibCheck: true,
        types: ['node'],
      },
      include: ['src'],
    }),
  });
  try {
    const asked = await asksByFile(application.folder);
    const wrong = entries.flatMap(([name, [, ...expected]], index) => {
      const found = asked(`form-${index}.tsx`);
      return found.join() === expected.join() ? [] : [{ name, found, expected }];
    });
    assert.equal(wrong, []);
  } finally {
    application.remove();
  }
});

test.run();

async function asksByFile(folder: string): Promise<(file: string) => readonly string[]> {
  const { readApplication } = await import('../../packages/usages/application.js');
  const { asksIn } = await import('../../packages/usages/asks.js');
  const { files } = await readApplication(folder);
  return (name) => {
    const file = files.find((one) => one.getBaseName() === name);
    return [
      ...new Set((file === undefined ? [] : asksIn(file)).map(({ kind = '?', action = '?' }) => `${kind}:${action}`)),
    ].sort();
  };
}
