import React, { type ReactElement, type ReactNode } from 'react';
import Server from 'react-dom/server';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import type { PrincipalOf } from '../../packages/client/index.js';
import { policies } from '../../generated/index.js';
import {
  type ClientProjection,
  type ProjectedRow,
  reactAuthz,
  reactProjection,
} from '../../packages/middleware/react.js';
import { hasBrowser, openBrowser } from '../support/browser/browser.js';
import { compileRules, loaded, ROOT } from '../support/compiled.js';
import type { Policies } from './contract.js';

const { createElement } = React;
const test = suite('hooks for React');

const { AuthzProvider, useAccess, useAccesses, useCapabilities } = reactAuthz(createEngine<Policies>(policies));
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

test('about the rows of a table, each action has an answer for each row', () => {
  const rows = [
    { kind: 'album', id: '1', attr },
    { kind: 'album', id: '2', attr: { ...attr, owner: 'anna' } },
    { kind: 'album', attr: { status: 'LOCKED' } },
  ] as const;
  const Table = () => useCapabilities(rows, ['view', 'edit']).map(text).join('; ');
  assert.is(
    rendered(user, createElement(Table)),
    'view: allowed, edit: allowed; view: denied, edit: denied; view: conditional, edit: denied',
  );
  const nobody = Array.from(rows, () => 'view: denied, edit: denied').join('; ');
  assert.is(rendered(undefined, createElement(Table)), nobody);
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
  const whole = (await loaded(compileRules('doc', rules))).policies;
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

test('a projection answers until the server has another bundle, and then asks for the server', () => {
  const projection: ClientProjection = {
    bundleHash: 'h1',
    capabilities: ({ principal, rows, actions, complete }) =>
      rows.map((row) =>
        Object.fromEntries(
          actions.map((action) => {
            const isOwn = row.attr?.['owner'] === principal.id;
            return [action, isOwn ? 'allowed' : complete === true ? 'denied' : 'conditional'];
          }),
        ),
      ),
  };
  const { ProjectionProvider, useCapabilities: useProjected } = reactProjection(projection);
  const rows: readonly ProjectedRow[] = [{ kind: 'album', attr: { owner: 'bob' } }, { kind: 'album' }];
  const Table = ({ complete }: { readonly complete: boolean }) =>
    useProjected(rows, ['edit'], { complete }).map(text).join('; ');
  const shown = (principal: typeof user | null, bundleHash?: string, complete = false): string =>
    textOf(createElement(ProjectionProvider, { principal, bundleHash }, createElement(Table, { complete })));
  assert.is(shown(user), 'edit: allowed; edit: conditional');
  assert.is(shown(user, 'h1', true), 'edit: allowed; edit: denied');
  assert.is(shown(user, 'h2'), 'edit: conditional; edit: conditional');
  assert.is(shown(null), 'edit: denied; edit: denied');
  assert.is(shown(null, 'h2'), 'edit: conditional; edit: conditional');
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

/** Receives the hash of another bundle, and then that of its own again. */
const STALE_PAGE = `
import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { reactProjection } from './packages/middleware/react.js';
const { ProjectionProvider, useCapabilities } = reactProjection({
  bundleHash: 'h1',
  capabilities: ({ rows }) => rows.map(() => ({ edit: 'allowed' })),
});
const Album = () => h('output', null, useCapabilities([{ kind: 'album' }], ['edit'])[0].edit);
const App = () => {
  const [hash, setHash] = useState('h1');
  return h(ProjectionProvider, { principal: { id: 'bob', roles: ['user'] }, bundleHash: hash },
    h('button', { onClick: () => setHash(hash === 'h1' ? 'h2' : 'h1') }, hash), h(Album));
};
createRoot(document.body.appendChild(document.createElement('main'))).render(h(App));
`;

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
  test('in a browser, components follow the principal, and a stale projection stays silent', async () => {
    const bundled = async (contents: string): Promise<string> => {
      const { outputFiles } = await build({
        stdin: { contents, resolveDir: ROOT },
        bundle: true,
        write: false,
        format: 'iife',
        platform: 'browser',
        define: { 'process.env.NODE_ENV': '"production"' },
      });
      return outputFiles[0]?.text ?? '';
    };
    const { context, close } = await openBrowser();
    try {
      const page = await context.newPage();
      await page.addScriptTag({ content: await bundled(PAGE) });
      await page.getByText('denied').waitFor();
      await page.getByRole('button').click();
      await page.getByText('allowed').waitFor();
      assert.is(await page.locator('output').textContent(), 'allowed');
      const stale = await context.newPage();
      await stale.addScriptTag({ content: await bundled(STALE_PAGE) });
      await stale.getByText('allowed').waitFor();
      await stale.getByRole('button').click();
      await stale.getByText('conditional').waitFor();
      await stale.getByRole('button').click();
      await stale.getByRole('button', { name: 'h1' }).waitFor();
      assert.is(await stale.locator('output').textContent(), 'conditional');
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
