import { type AnswerView, answerView } from './answer-view.js';
import { ask } from './ask.js';
import { element } from '../dom.js';
import { FieldError } from './field.js';
import type { FieldGroup } from './form-table.js';
import { at, type Json, membersOf, textOf } from '../json.js';
import { type RequestEditor, requestEditor } from './request-editor.js';

/** An operation that can be tried: the path of its requests, their form, and how its responses are shown. */
export interface OperationRow {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly path: string;
  readonly form: readonly FieldGroup[];
  readonly answer: (body: Json) => HTMLElement;
}

/**
 * The two halves of an operation: a request to write and send, and its response. `document` is the schema of the
 * server, which contains the examples.
 */
export function operationPanel(operation: OperationRow, document: Json): HTMLElement {
  const editor = requestEditor(operation.name, operation.form);
  const view = answerView(operation.answer);
  const examples = membersOf(
    at(document, ['paths', operation.path, 'post', 'requestBody', 'content', 'application/json', 'examples']),
  );
  const select = element(
    'select',
    { id: `${operation.name}-example` },
    ...examples.map(([name, example]) => element('option', { value: name }, textOf(at(example, ['summary'])))),
  );
  const choose = (): void => {
    const example = examples.find(([name]) => name === select.value)?.[1];
    if (example !== undefined) editor.write(at(example, ['value']) ?? {});
  };
  select.addEventListener('change', choose);
  choose();
  const onsubmit = (event: Event): void => {
    event.preventDefault();
    void send(operation, editor, view);
  };
  const form = element(
    'form',
    { class: 'card', 'aria-label': operation.title, onsubmit, onkeydown: submitOnControlEnter },
    element(
      'div',
      { class: 'bar' },
      element('h2', {}, operation.title),
      element('code', { class: 'route' }, `POST ${operation.path}`),
    ),
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
      element('span', { class: 'hint' }, 'or Ctrl + Enter'),
    ),
  );
  return element('div', { class: 'halves' }, form, view.node);
}

async function send({ path }: OperationRow, editor: RequestEditor, view: AnswerView): Promise<void> {
  // A proxy may serve the page below a path.
  const url = new URL(path.slice(1), document.baseURI).href;
  try {
    const request = editor.read();
    view.waiting();
    view.show(await ask(url, request), url, request);
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
