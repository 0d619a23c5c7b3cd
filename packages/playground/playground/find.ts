import { type Extension, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, keymap, type Panel, showPanel } from '@codemirror/view';
import { element } from '../dom.js';

/* Find in the text of an editor: Ctrl or Cmd with F opens a panel, Enter goes to the next place, Escape closes it. */

interface Found {
  readonly isOpen: boolean;
  readonly query: string;
  /** Where the query is in the text. */
  readonly starts: readonly number[];
}

const change = StateEffect.define<Partial<Pick<Found, 'isOpen' | 'query'>>>();

const field = StateField.define<Found>({
  create: () => ({ isOpen: false, query: '', starts: [] }),
  update: (found, { effects, docChanged, newDoc }) => {
    const changes = effects.flatMap((effect) => (effect.is(change) ? [effect.value] : []));
    if (changes.length === 0 && !docChanged) return found;
    const next = Object.assign({}, found, ...changes) as Found;
    return { ...next, starts: next.isOpen ? findStarts(newDoc.toString(), next.query) : [] };
  },
  provide: (self) => [
    showPanel.from(self, ({ isOpen }) => (isOpen ? findPanel : null)),
    EditorView.decorations.from(self, marks),
  ],
});

/** The most places that are marked. */
const MOST = 1_000;

function findStarts(text: string, query: string): readonly number[] {
  const [lower, wanted] = [text.toLowerCase(), query.toLowerCase()];
  const starts: number[] = [];
  // A text whose length changes with its case would have other offsets.
  if (wanted === '' || lower.length !== text.length) return starts;
  for (let at = lower.indexOf(wanted); at >= 0 && starts.length < MOST; at = lower.indexOf(wanted, at + wanted.length))
    starts.push(at);
  return starts;
}

function marks({ starts, query }: Found): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const mark = Decoration.mark({ class: 'cm-found' });
  for (const start of starts) builder.add(start, start + query.length, mark);
  return builder.finish();
}

function goOn(view: EditorView, step: 1 | -1): boolean {
  const { starts, query } = view.state.field(field);
  if (starts.length === 0) return true;
  const { from, to } = view.state.selection.main;
  const next =
    step === 1
      ? (starts.find((start) => start >= to && (start > from || to === from)) ?? starts[0])
      : (starts.findLast((start) => start < from) ?? starts.at(-1));
  const anchor = next as number;
  view.dispatch({
    selection: { anchor, head: anchor + query.length },
    effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
  });
  return true;
}

function close(view: EditorView): void {
  view.dispatch({ effects: change.of({ isOpen: false }) });
  view.focus();
}

function findPanel(view: EditorView): Panel {
  const count = element('span', { role: 'status' });
  const show = (): void => {
    const { query, starts } = view.state.field(field);
    count.textContent = query === '' ? '' : starts.length === 1 ? '1 place' : `${starts.length} places`;
  };
  const input = element('input', {
    type: 'text',
    'aria-label': 'Find',
    placeholder: 'Find',
    value: view.state.field(field).query,
    oninput: () => {
      view.dispatch({ effects: change.of({ query: input.value }) });
      if (input.value !== '') goOn(view, 1);
    },
    onkeydown: (event) => {
      const { key, shiftKey } = event as KeyboardEvent;
      if (key !== 'Enter' && key !== 'Escape') return;
      event.preventDefault();
      if (key === 'Escape') close(view);
      else goOn(view, shiftKey ? -1 : 1);
    },
  });
  const button = (label: string, text: string, act: () => unknown): HTMLElement =>
    element('button', { type: 'button', 'aria-label': label, onclick: () => act() }, text);
  const dom = element(
    'div',
    { class: 'cm-find' },
    input,
    button('Previous place', '↑', () => goOn(view, -1)),
    button('Next place', '↓', () => goOn(view, 1)),
    count,
    button('Close', '✕', () => close(view)),
  );
  show();
  return { dom, top: true, update: show, mount: () => input.select() };
}

/** Opens the panel of an editor, with what is selected. */
function openFind(view: EditorView): boolean {
  const { from, to } = view.state.selection.main;
  const selected = view.state.sliceDoc(from, Math.min(to, from + 200));
  const query = selected === '' || selected.includes('\n') ? view.state.field(field).query : selected;
  view.dispatch({ effects: change.of({ isOpen: true, query }) });
  view.dom.querySelector<HTMLInputElement>('.cm-find input')?.select();
  return true;
}

/** Find, for an editor. */
export function find(): Extension {
  return [
    field,
    keymap.of([
      { key: 'Mod-f', run: openFind, preventDefault: true },
      { key: 'F3', run: (view) => goOn(view, 1), shift: (view) => goOn(view, -1), preventDefault: true },
    ]),
    THEME,
  ];
}

const THEME = EditorView.theme({
  '.cm-found': { backgroundColor: 'var(--depends-back)', outline: '1px solid var(--depends)' },
  '.cm-panels': { backgroundColor: 'var(--page)', color: 'var(--text)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-find': {
    display: 'flex',
    gap: '0.4rem',
    alignItems: 'center',
    padding: '0.3rem 0.5rem',
    fontFamily: 'var(--ui-font)',
    fontSize: 'var(--size-small)',
  },
  '.cm-find input, .cm-find button': {
    padding: '0.2rem 0.5rem',
    border: '1px solid var(--field-line)',
    borderRadius: '6px',
    background: 'var(--field)',
    color: 'inherit',
    font: 'inherit',
  },
  '.cm-find input': { flex: '1 1 6rem', minWidth: '0' },
  '.cm-find input:focus-visible, .cm-find button:focus-visible': {
    outline: '2px solid var(--accent)',
    outlineOffset: '1px',
  },
  '.cm-find button': { border: '1px solid transparent', background: 'none', cursor: 'pointer' },
});
