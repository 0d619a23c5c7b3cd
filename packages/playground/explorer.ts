import { CHECK_FORM, EXPLAIN_FORM, PLAN_FORM } from './calls/form-table.js';
import { exampleActions, exampleOne, examplePrincipal, exampleResource, fetchNames } from './calls/policy-names.js';
import { type OperationRow, operationPanel } from './calls/operation-panel.js';
import { CHECK_PROTOCOLS, EXPLAIN_PROTOCOLS, PLAN_PROTOCOLS } from './calls/protocols.js';
import { element } from './dom.js';
import { at, type Json, textOf } from './json.js';
import { type Tab, tabs } from './tabs.js';

/* The page: the playground, and on a server also its operations. A server marks the page as its own. */

const OPERATIONS: readonly OperationRow[] = [
  {
    name: 'check',
    title: 'Check',
    about: 'May this principal perform these actions on a resource?',
    path: '/api/check/resources',
    form: CHECK_FORM,
    example: (names) => ({
      principal: examplePrincipal(names),
      resources: [{ resource: exampleOne(names), actions: exampleActions(names) }],
      includeMeta: true,
    }),
    protocols: CHECK_PROTOCOLS,
  },
  {
    name: 'plan',
    title: 'Plan',
    about: 'On which resources of a kind may this principal perform an action? The result is a filter for a query.',
    path: '/api/plan/resources',
    form: PLAN_FORM,
    example: (names) => ({
      principal: examplePrincipal(names),
      resource: exampleResource(names),
      actions: exampleActions(names).slice(0, 1),
      includeMeta: true,
    }),
    protocols: PLAN_PROTOCOLS,
  },
  {
    name: 'explain',
    title: 'Explain',
    about: 'Why is this allowed or denied? Explanations show policies, so most servers require the admin credentials.',
    path: '/admin/explain/decision',
    form: EXPLAIN_FORM,
    example: (names) => ({
      principal: examplePrincipal(names),
      resource: exampleOne(names),
      action: exampleActions(names)[0],
      near: 3,
    }),
    protocols: EXPLAIN_PROTOCOLS,
  },
];

const main = document.querySelector('main') as HTMLElement;
const isServed = 'server' in document.documentElement.dataset;
/** Whether the server shows its policies to this page without credentials. */
const isLocal = 'local' in document.documentElement.dataset;

/** The page of the documentation about the playground, where that is beside the page. */
const { docs } = document.documentElement.dataset;
if (docs !== undefined) {
  const nav = document.querySelector('#docs') as HTMLElement;
  nav.append(element('a', { href: docs }, 'Documentation'));
  nav.hidden = false;
}

if (isServed) void showServer().catch(failed(main, 'The schema of the server'));
else show(main, 'The playground', loadPlayground);

async function showServer(): Promise<void> {
  document.title = 'authz explorer';
  (document.querySelector('#part') as HTMLElement).textContent = 'explorer';
  (document.querySelector('#documents') as HTMLElement).hidden = false;
  const [response, names] = await Promise.all([fetch('schema/swagger.json'), fetchNames()]);
  const openApi = (await response.json()) as Json;
  (document.querySelector('#release') as HTMLElement).textContent =
    `release ${textOf(at(openApi, ['info', 'version']))}`;
  const operations = OPERATIONS.map((operation) => ({
    name: operation.name,
    title: operation.title,
    content: operationPanel(operation, { document: openApi, names }),
  }));
  const loadApi = async (): Promise<HTMLElement> => {
    const { openApiView } = await import('./api/open-api-view.js');
    return openApiView(openApi);
  };
  const others = [
    { name: 'api', title: 'API', ...loadedWhenShown('The description of the API', loadApi) },
    { name: 'playground', title: 'Playground', ...loadedWhenShown('The playground', loadPlayground) },
  ];
  // Whoever opens a server on this machine wants to see the policies in its folder.
  const all = isLocal ? [...others.slice(1), ...operations, ...others.slice(0, 1)] : [...operations, ...others];
  main.replaceChildren(tabs('Operations', all, { inAddress: true }));
}

async function loadPlayground(): Promise<HTMLElement> {
  const { playground } = await import('./playground/playground.js');
  return playground({ isServed, isLocal });
}

/** The content of a tab whose scripts are loaded when it is first shown. */
function loadedWhenShown(what: string, load: () => Promise<HTMLElement>): Pick<Tab, 'content' | 'onShow'> {
  const content = element('div');
  const onShow = (): void => {
    if (content.childElementCount === 0) show(content, what, load);
  };
  return { content, onShow };
}

function show(parent: HTMLElement, what: string, load: () => Promise<HTMLElement>): void {
  parent.replaceChildren(element('p', { class: 'empty' }, 'Loading…'));
  load().then((content) => parent.replaceChildren(content), failed(parent, what));
}

function failed(parent: HTMLElement, what: string): (error: unknown) => void {
  return (error) => {
    const reason = `${what} cannot be read: ${String(error)}`;
    parent.replaceChildren(element('p', { class: 'card message', role: 'alert' }, reason));
  };
}
