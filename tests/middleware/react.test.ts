import React, { type ReactElement, type ReactNode } from 'react';
import Server from 'react-dom/server';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import type { PrincipalOf } from '../../packages/client/index.js';
import { policies } from '../../generated/index.js';
import { reactAuthz } from '../../packages/middleware/react.js';
import { hasBrowser, openBrowser } from '../support/browser/browser.js';
import { compileTexts, loaded, ROOT } from '../support/compiled.js';
import type { Policies } from './contract.js';

const { createElement } = React;
const test = suite('hooks for React');

const { AuthzProvider, useAccess, useAccesses } = reactAuthz(createEngine<Policies>(policies));
const user: PrincipalOf<Policies> = { id: 'bob', roles: ['user'] };
const attr = { owner: 'bob', visibility: 'private', friends: [], status: 'OPEN' } as const;

test('about a resource, an action is allowed or denied', () => {
  const Album = ({ owner }: { readonly owner: string }) => {
    const resource = { kind: 'album', id: '1', attr: { ...attr, owner } } as const;
    return useAccess('edit', resource);
  };
  assert.is(rendered(user, createElement(Album, { owner: 'bob' })), 'allowed');
  assert.is(rendered(user, createElement(Album, { owner: 'anna' })), 'denied');
});

test('about resources that are partially known, the plan answers', () => {
  const actions = ['view', 'edit', 'delete'] as const;
  const Albums = ({ known }: { readonly known: Partial<typeof attr> | { readonly status: 'LOCKED' } }) =>
    text(useAccesses(actions, { kind: 'album', attr: known }));
  const accesses = (principal: PrincipalOf<Policies>, known: Partial<typeof attr> | { readonly status: 'LOCKED' }) =>
    rendered(principal, createElement(Albums, { known }));
  assert.is(accesses(user, {}), 'view: conditional, edit: conditional, delete: conditional');
  assert.is(accesses(user, attr), 'view: allowed, edit: allowed, delete: allowed');
  assert.is(accesses(user, { owner: 'bob' }), 'view: allowed, edit: conditional, delete: conditional');
  assert.is(accesses(user, { status: 'LOCKED' }), 'view: conditional, edit: denied, delete: denied');
  const curator: PrincipalOf<Policies> = { id: 'carol', roles: ['curator'] };
  assert.is(accesses(curator, {}), 'view: allowed, edit: conditional, delete: conditional');
});

test('where rules have no filter, nothing that they may allow is denied', async () => {
  const rules = [
    ['sorted', 'R.attr.tags.sort()[0] == "a"', 'ALLOW'],
    ['never', 'false', 'ALLOW'],
    ['always', 'true', 'ALLOW'],
    ['refused', 'true', 'ALLOW'],
    ['refused', 'R.attr.tags.sort()[0] == "a"', 'DENY'],
  ].map(([action, expr, effect]) => ({
    actions: [action],
    effect: `EFFECT_${effect}`,
    roles: ['user'],
    condition: { match: { expr } },
  }));
  const policy = { apiVersion: 'api.authz.dev/v1', resourcePolicy: { resource: 'doc', version: 'default', rules } };
  const whole = (await loaded(compileTexts({ 'doc.yaml': JSON.stringify(policy) }))).policies;
  const { filters: _, ...checksOnly } = whole;
  for (const bundle of [whole, checksOnly]) {
    const engine = createEngine(bundle);
    const { AuthzProvider: Provider, useAccess: useAnyAccess } = reactAuthz(engine);
    for (const action of ['sorted', 'never', 'always', 'refused']) {
      const Docs = () => useAnyAccess(action, { kind: 'doc' });
      const access = textOf(createElement(Provider, { principal: user }, createElement(Docs)));
      const allowed = [['a'], ['b']].map((tags) =>
        engine.isAllowed({ principal: user, resource: { kind: 'doc', id: '1', attr: { tags } }, action }),
      );
      if (allowed.includes(true)) assert.is.not(access, 'denied', action);
      if (allowed.includes(false)) assert.is.not(access, 'allowed', action);
    }
  }
});

test('without a principal, and without a provider, everything is denied', () => {
  const Album = () => useAccess('view', { kind: 'album', id: '1', attr: { ...attr, visibility: 'public' } });
  assert.is(rendered(user, createElement(Album)), 'allowed');
  for (const principal of [undefined, null]) assert.is(rendered(principal, createElement(Album)), 'denied');
  assert.is(textOf(createElement(Album)), 'denied');
});

test('the innermost provider counts', () => {
  const Album = () => useAccess('edit', { kind: 'album', id: '1', attr });
  const inner = createElement(AuthzProvider, { principal: { id: 'anna', roles: ['user'] } }, createElement(Album));
  assert.is(rendered(user, inner), 'denied');
});

test('actions and attributes are typed by the policies', () => {
  const Misspelt = () =>
    // @ts-expect-error: no such action
    useAccess('veiw', { kind: 'album', id: '1', attr });
  assert.is(rendered(user, createElement(Misspelt as () => ReactNode)), 'denied');
});

/** Changes the principal in a page, whose state then is another answer. */
const PAGE = `
import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createEngine } from 'authz/runtime';
import { policies } from './generated/index.js';
import { reactAuthz } from './packages/middleware/react.js';
const { AuthzProvider, useAccess } = reactAuthz(createEngine(policies));
const Album = () => h('output', null, useAccess('edit', { kind: 'album', attr: ${JSON.stringify(attr)} }));
const App = () => {
  const [id, setId] = useState('anna');
  return h(AuthzProvider, { principal: { id, roles: ['user'] } },
    h('button', { onClick: () => setId('bob') }, 'sign in'), h(Album));
};
createRoot(document.body.appendChild(document.createElement('main'))).render(h(App));
`;

if (hasBrowser())
  test('in a browser, components follow the principal', async () => {
    const { outputFiles } = await build({
      stdin: { contents: PAGE, resolveDir: ROOT },
      bundle: true,
      write: false,
      format: 'iife',
      platform: 'browser',
      define: { 'process.env.NODE_ENV': '"production"' },
    });
    const { context, close } = await openBrowser();
    try {
      const page = await context.newPage();
      await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
      await page.getByText('denied').waitFor();
      await page.getByRole('button').click();
      await page.getByText('allowed').waitFor();
      assert.is(await page.locator('output').textContent(), 'allowed');
    } finally {
      await close();
    }
  });

test.run();

function rendered(principal: PrincipalOf<Policies> | null | undefined, element: ReactElement): string {
  return textOf(createElement(AuthzProvider, { principal }, element));
}

/** What an element renders to, without the comments by which React 18 separates texts. */
function textOf(element: ReactElement): string {
  return Server.renderToString(element).replaceAll('<!-- -->', '');
}

function text(accesses: { readonly [action: string]: string }): string {
  return Object.entries(accesses)
    .map(([action, access]) => `${action}: ${access}`)
    .join(', ');
}
