import { element } from '../dom.js';
import { type Field, FieldError, createField } from './field.js';
import type { FieldGroup } from './form-table.js';
import { type KindNames, namesFor } from './policy-names.js';
import { at, equal, type Json, withAt } from '../json.js';

/** The editor of a request: a form, or JSON for requests that the form cannot represent. */
export interface RequestEditor {
  readonly node: HTMLElement;
  /** The request. Throws a FieldError for invalid JSON. */
  readonly read: () => Json;
  /** Shows a request, in the form if it has a field for each part of it. */
  readonly write: (request: Json) => void;
}

/** An editor with the fields of a form, which offer the names of policies; `name` is unique in the page. */
export function requestEditor(name: string, groups: readonly FieldGroup[], names: readonly KindNames[]): RequestEditor {
  const fields: Field[] = [];
  const add = (row: FieldGroup['fields'][number]): HTMLElement => {
    const field = createField(row, [name, ...row.path].join('-'));
    fields.push(field);
    return field.node;
  };
  const form = element('div', { class: 'form' }, ...groups.map((group) => groupNode(group, add)));
  const kindField = fields.find(({ row }) => row.suggests === 'kind');
  for (const { row, suggest } of fields) {
    const { suggests } = row;
    if (suggests !== undefined) suggest(() => namesFor(names, suggests, kindField?.text() ?? ''));
  }
  const text = createField({ label: 'Request', path: [], kind: 'json', hint: 'as it is sent' }, `${name}-json`);
  text.node.hidden = true;
  const [asForm, asJson] = [modeButton('Form', true), modeButton('JSON', false)];
  const show = (mode: 'form' | 'json'): void => {
    form.hidden = mode === 'json';
    text.node.hidden = mode === 'form';
    asForm.setAttribute('aria-pressed', String(mode === 'form'));
    asJson.setAttribute('aria-pressed', String(mode === 'json'));
  };
  const readForm = (): Json => fields.reduce<Json>((request, field) => putField(request, field), {});
  const write = (request: Json): void => {
    for (const field of fields) field.write(at(request, field.row.path));
    text.write(request);
    show(fits(request, readForm) ? 'form' : 'json');
  };
  asJson.addEventListener('click', () => {
    if (form.hidden) return;
    ignoringFieldErrors(() => {
      text.write(readForm());
      show('json');
    });
  });
  asForm.addEventListener('click', () => {
    if (!form.hidden) return;
    ignoringFieldErrors(() => {
      write(text.read() ?? {});
      note.textContent = form.hidden ? 'The form cannot show all parts of this request.' : '';
    });
  });
  const note = element('p', { class: 'note', role: 'status' });
  const modes = element(
    'div',
    { class: 'modes', role: 'group', 'aria-label': 'How the request is written' },
    asForm,
    asJson,
  );
  return {
    node: element('div', { class: 'editor' }, modes, note, form, text.node),
    read: () => {
      note.textContent = '';
      return (form.hidden ? text.read() : readForm()) ?? {};
    },
    write: (request) => {
      note.textContent = '';
      write(request);
    },
  };
}

function groupNode(
  { legend, fields, more = [] }: FieldGroup,
  add: (row: FieldGroup['fields'][number]) => HTMLElement,
): HTMLElement {
  const folded =
    more.length === 0
      ? undefined
      : element('details', {}, element('summary', {}, 'More'), element('div', { class: 'fields' }, ...more.map(add)));
  return element(
    'fieldset',
    {},
    element('legend', {}, legend),
    element('div', { class: 'fields' }, ...fields.map(add)),
    folded,
  );
}

function modeButton(label: string, isPressed: boolean): HTMLButtonElement {
  return element('button', { type: 'button', 'aria-pressed': String(isPressed) }, label);
}

function putField(request: Json, { row, read }: Field): Json {
  const value = read();
  return value === undefined ? request : withAt(request, row.path, value);
}

function fits(request: Json, readForm: () => Json): boolean {
  try {
    return equal(readForm(), request);
  } catch {
    return false;
  }
}

/** An invalid field shows the error itself. */
function ignoringFieldErrors(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
  }
}
