import { type AnswerView, answerView } from './answer-view.js';
import { ask } from './ask.js';
import { element } from '../dom.js';
import { FieldError } from './field.js';
import type { FieldGroup } from './form-table.js';
import { at, toItems, type Json, toMembers, textOf } from '../json.js';
import type { KindNames } from './policy-names.js';
import type { Protocol } from './protocols.js';
import type { SentRequest } from './snippets.js';
import { type RequestEditor, requestEditor } from './request-editor.js';

/** An operation that can be tried: the path of its requests in the OpenAPI document, their form, and ways to send them. */
export interface OperationRow {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly path: string;
  readonly form: readonly FieldGroup[];
  /** A request about a kind. */
  readonly example: (names: KindNames) => Json;
  readonly protocols: readonly [Protocol, ...Protocol[]];
}

/** What a panel knows of the server. */
export interface ServerFacts {
  /** Its OpenAPI document, which contains examples. */
  readonly document: Json;
  /** Empty if it does not tell. */
  readonly names: readonly KindNames[];
}

/** The two halves of an operation: a request to write and send, and its response. */
export function operationPanel(operation: OperationRow, facts: ServerFacts): HTMLElement {
  const editor = requestEditor(operation.name, operation.form, facts.names);
  const view = answerView();
  const examples = listExamples(operation, facts);
  const select = element(
    'select',
    { id: `${operation.name}-example` },
    ...examples.map(({ name, summary }) => element('option', { value: name }, summary)),
  );
  const choose = (): void => {
    const example = examples.find(({ name }) => name === select.value);
    if (example !== undefined) editor.write(example.value);
  };
  select.addEventListener('change', choose);
  choose();
  const route = element('code', { class: 'route' });
  const protocolSelect = element(
    'select',
    { id: `${operation.name}-protocol`, onchange: () => showRoute() },
    ...operation.protocols.map(({ name, title }) => element('option', { value: name }, title)),
  );
  const showRoute = (): void => {
    const chosen = operation.protocols.find(({ name }) => name === protocolSelect.value);
    route.textContent = `POST /${chosen?.path ?? ''}`;
  };
  showRoute();
  const onsubmit = (event: Event): void => {
    event.preventDefault();
    const protocol = operation.protocols.find(({ name }) => name === protocolSelect.value);
    if (protocol !== undefined) void send(protocol, editor, view);
  };
  const form = element(
    'form',
    { class: 'card', 'aria-label': operation.title, onsubmit, onkeydown: submitOnControlEnter },
    element('div', { class: 'bar' }, element('h2', {}, operation.title), route),
    element('p', { class: 'about' }, operation.about),
    element(
      'div',
      { class: 'field' },
      element('div', { class: 'label' }, element('label', { for: select.id }, 'Example')),
      select,
    ),
    editor.node,
    element(
      'div',
      { class: 'actions' },
      element('button', { type: 'submit', class: 'primary' }, 'Send'),
      element('label', { for: protocolSelect.id }, 'Protocol'),
      protocolSelect,
      element('span', { class: 'hint' }, 'or Ctrl + Enter'),
    ),
  );
  return element('div', { class: 'halves' }, form, view.node);
}

interface Example {
  readonly name: string;
  readonly summary: string;
  readonly value: Json;
}

/** The examples of the document that are about kinds of this server, then one about each kind. */
function listExamples({ path, example }: OperationRow, { document, names }: ServerFacts): readonly Example[] {
  const written = toMembers(
    at(document, ['paths', path, 'post', 'requestBody', 'content', 'application/json', 'examples']),
  ).map(([name, one]) => ({ name, summary: textOf(at(one, ['summary'])), value: at(one, ['value']) ?? {} }));
  const known = new Set(names.map(({ kind }) => kind));
  return [
    ...written.filter(({ value }) => names.length === 0 || kindsIn(value).every((kind) => known.has(kind))),
    ...names.map((own) => ({ name: `kind ${own.kind}`, summary: `A request about ${own.kind}`, value: example(own) })),
  ];
}

function kindsIn(request: Json): readonly string[] {
  const resources = [
    at(request, ['resource']),
    ...toItems(at(request, ['resources'])).map((entry) => at(entry, ['resource'])),
  ];
  return resources.flatMap((resource) => (resource === undefined ? [] : [textOf(at(resource, ['kind']))]));
}

async function send(protocol: Protocol, editor: RequestEditor, view: AnswerView): Promise<void> {
  const { path, headers, write = (request) => request, answer, client } = protocol;
  try {
    const body = write(editor.read());
    const sent: SentRequest = {
      // A proxy may serve the page below a path.
      url: new URL(path, document.baseURI).href,
      headers: { 'content-type': 'application/json', ...headers },
      body,
      client: client && { ...client, server: new URL('.', document.baseURI).href.replace(/\/$/, '') },
    };
    view.waiting();
    view.show(await ask(sent), sent, (shown) => answer(shown, body));
    const { top } = view.node.getBoundingClientRect();
    if (top < 0 || top > innerHeight / 2) view.node.scrollIntoView();
  } catch (error) {
    if (!(error instanceof FieldError)) view.unreachable(String(error));
  }
}

function submitOnControlEnter(event: Event): void {
  const { key, ctrlKey, metaKey, currentTarget } = event as KeyboardEvent;
  if (key === 'Enter' && (ctrlKey || metaKey)) (currentTarget as HTMLFormElement).requestSubmit();
}
