import { element } from '../dom.js';
import type { FieldRow } from './form-table.js';
import { toItems, type Json, textOf } from '../json.js';

/** A field of a form. */
export interface Field {
  readonly row: FieldRow;
  readonly node: HTMLElement;
  /**
   * The value; undefined if it is empty. Throws a FieldError for an invalid one, and shows the error beside the field.
   */
  readonly read: () => Json | undefined;
  readonly write: (value: Json | undefined) => void;
  /** What is typed now. */
  readonly text: () => string;
  /** Offers names while it is edited: for a list, after what is there. */
  readonly suggest: (names: () => readonly string[]) => void;
}

/** A field with an invalid value. */
export class FieldError extends Error {}

/** A field with its label, hint and place for an error; `id` is unique in the page. */
export function createField(row: FieldRow, id: string): Field {
  const control = createControl(row, id);
  const error = element('p', { class: 'error', id: `${id}-error` });
  const hint = row.hint === undefined ? undefined : element('span', { class: 'hint', id: `${id}-hint` }, row.hint);
  const label = element('label', { for: id }, row.label);
  const complain = (text: string): void => {
    error.textContent = text;
    control.setAttribute('aria-invalid', String(text !== ''));
  };
  control.addEventListener('input', () => complain(''));
  const classes = `field ${row.kind}${row.isWide === true ? ' wide' : ''}`;
  return {
    row,
    node:
      row.kind === 'flag'
        ? element('div', { class: classes }, control, label)
        : element('div', { class: classes }, element('div', { class: 'label' }, label, hint), control, error),
    read: () => {
      try {
        complain('');
        return READERS[row.kind](control);
      } catch {
        complain('Expected a JSON object.');
        control.focus();
        throw new FieldError(row.label);
      }
    },
    write: (value) => {
      complain('');
      WRITERS[row.kind](control, value);
    },
    text: () => control.value.trim(),
    suggest: (names) => {
      const list = element('datalist', { id: `${id}-names` });
      const refresh = (): void => {
        const begun = row.kind === 'list' ? control.value.slice(0, control.value.lastIndexOf(',') + 1) : '';
        const before = begun === '' ? '' : `${begun} `;
        list.replaceChildren(...names().map((name) => element('option', { value: before + name })));
      };
      control.setAttribute('list', list.id);
      control.after(list);
      control.addEventListener('focus', refresh);
      control.addEventListener('input', refresh);
    },
  };
}

type Control = HTMLInputElement | HTMLTextAreaElement;

function createControl({ kind, hint, required }: FieldRow, id: string): Control {
  const describedBy = `${hint === undefined ? '' : `${id}-hint `}${id}-error`;
  const common = {
    id,
    'aria-describedby': describedBy,
    'aria-required': required === true ? 'true' : undefined,
    autocomplete: 'off',
    spellcheck: 'false',
  };
  switch (kind) {
    case 'text':
    case 'list':
      return element('input', { ...common, type: 'text' });
    case 'number':
      return element('input', { ...common, type: 'number', min: 0 });
    case 'json':
      return element('textarea', { ...common, rows: 3, class: 'code' });
    case 'flag':
      return element('input', { id, type: 'checkbox' });
  }
}

const READERS: { readonly [kind in FieldRow['kind']]: (control: Control) => Json | undefined } = {
  text: ({ value }) => (value.trim() === '' ? undefined : value.trim()),
  list: ({ value }) => {
    const words = value
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '');
    return words.length === 0 ? undefined : words;
  },
  number: ({ value }) => (value === '' ? undefined : Number(value)),
  json: ({ value }) => (value.trim() === '' ? undefined : parseObject(value)),
  flag: (control) => ((control as HTMLInputElement).checked ? true : undefined),
};

const WRITERS: { readonly [kind in FieldRow['kind']]: (control: Control, value: Json | undefined) => void } = {
  text: (control, value) => {
    control.value = textOf(value);
  },
  list: (control, value) => {
    control.value = toItems(value).join(', ');
  },
  number: (control, value) => {
    control.value = typeof value === 'number' ? String(value) : '';
  },
  json: (control, value) => {
    control.value = value === undefined ? '' : JSON.stringify(value, undefined, 2);
    (control as HTMLTextAreaElement).rows = Math.min(Math.max(control.value.split('\n').length, 2), 12);
  },
  flag: (control, value) => {
    (control as HTMLInputElement).checked = value === true;
  },
};

function parseObject(text: string): Json {
  const value = JSON.parse(text) as Json;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('not an object');
  return value;
}
