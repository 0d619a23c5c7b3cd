import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { EditorQuestions } from './editor-help.js';
import type { TextChange } from './questions.js';

/** A text that is edited, and the marks in it. */
export interface Editor {
  readonly node: HTMLElement;
  /** Shows another text; its undo history is its own as long as `key` has been seen. */
  readonly open: (key: string, text: string, label: string) => void;
  readonly text: () => string;
  readonly mark: (diagnostics: readonly Diagnostic[]) => void;
  /** Moves the cursor to an offset. */
  readonly goTo: (offset: number) => void;
  /** Scrolls to the cursor while somebody writes, once the page is laid out again. */
  readonly reveal: () => void;
  /** Changes a part of the text, as one step of the history. */
  readonly change: (change: TextChange) => void;
  /** Forgets the history of texts whose key is not in the list. */
  readonly keep: (keys: readonly string[]) => void;
}

/** What an editor tells and asks. */
export interface EditorOptions {
  readonly onChange: (text: string) => void;
  /** Answers about the text; without it, there is no completion. */
  readonly questions?: EditorQuestions;
  /** Formats the text, by the key that editors have for it. */
  readonly format?: () => void;
}

/** An editor of YAML and JSON; Tab leaves it, as everywhere in a page. */
export function editor({ onChange, questions, format }: EditorOptions): Editor {
  const host = document.createElement('div');
  host.className = 'editor-host';
  // In a shadow root, styles are constructed and not written into a <style>, which the page's policy forbids.
  const root = host.attachShadow({ mode: 'open' });
  const view = new EditorView({ root, parent: root });
  const states = new Map<string, EditorState>();
  let opened: string | undefined;
  const help = new Compartment();
  let helped: Extension = [];
  void import('./editor-help.js').then(({ editorHelp }) => {
    helped = editorHelp(questions);
    if (opened !== undefined) view.dispatch({ effects: help.reconfigure(helped) });
  });
  const runFormat = (): boolean => {
    format?.();
    return true;
  };
  const formatKey =
    format === undefined ? [] : keymap.of([{ key: 'Shift-Alt-f', run: runFormat, preventDefault: true }]);
  const changes = EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged) onChange(state.doc.toString());
  });
  return {
    node: host,
    open: (key, text, label) => {
      if (opened !== undefined) states.set(opened, view.state);
      const known = states.get(key);
      const state =
        known?.doc.toString() === text
          ? known
          : EditorState.create({
              doc: text,
              extensions: [changes, help.of([]), formatKey, ...createExtensions(key, label)],
            });
      opened = key;
      view.setState(state);
      // A state that was kept may be older than the help.
      view.dispatch({ effects: help.reconfigure(helped) });
    },
    text: () => view.state.doc.toString(),
    mark: (diagnostics) => {
      const { length } = view.state.doc;
      const within = diagnostics.map((one) => ({
        ...one,
        from: Math.min(one.from, length),
        to: Math.min(one.to, length),
      }));
      view.dispatch(setDiagnostics(view.state, within));
    },
    goTo: (offset) => {
      const anchor = Math.min(offset, view.state.doc.length);
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
      view.focus();
    },
    reveal: () => {
      if (view.hasFocus)
        requestAnimationFrame(() =>
          view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head, { yMargin: 24 }) }),
        );
    },
    change: ({ from, to, text }) => {
      view.dispatch({ changes: { from, to, insert: text }, userEvent: 'input.format' });
      view.focus();
    },
    keep: (keys) => {
      for (const key of states.keys()) if (!keys.includes(key)) states.delete(key);
      if (opened !== undefined && !keys.includes(opened)) opened = undefined;
    },
  };
}

function createExtensions(path: string, label: string): readonly Extension[] {
  return [
    lineNumbers(),
    lintGutter(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    highlightActiveLine(),
    syntaxHighlighting(HIGHLIGHTS),
    keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
    path.endsWith('.json') ? json() : yaml(),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
    THEME,
  ];
}

/* The colours are those of the page, light and dark. */

const HIGHLIGHTS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--name)' },
  { tag: [tags.string, tags.content], color: 'var(--string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--word)' },
  { tag: tags.comment, color: 'var(--quiet)' },
]);

const THEME = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--code-back)', fontSize: 'var(--code-size)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': {
    fontFamily: 'var(--code-font)',
    lineHeight: '1.55',
  },
  '.cm-content': { caretColor: 'var(--text)', overflowWrap: 'anywhere' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--code-back)', color: 'var(--quiet)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 8%, transparent)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 25%, transparent)',
  },
  // In place of images in the style sheet, which the page's policy forbids.
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--deny)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--depends)' },
  '.cm-lint-marker': { width: '0.6rem', height: '0.6rem', margin: '0.28rem 0.1rem', borderRadius: '50%' },
  '.cm-lint-marker-error': { content: 'none', backgroundColor: 'var(--deny)' },
  '.cm-lint-marker-warning': { content: 'none', backgroundColor: 'var(--depends)' },
  '.cm-tooltip': { backgroundColor: 'var(--card)', color: 'var(--text)', border: '1px solid var(--line)' },
});
