import {
  autocompletion,
  type CompletionContext,
  completionKeymap,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { EditorView, hoverTooltip, keymap } from '@codemirror/view';
import { find } from './find.js';
import { markdownNode } from './markdown.js';
import type { Completions, Hovered } from './questions.js';

/** What an editor asks about its text. */
export interface EditorQuestions {
  readonly complete: (offset: number) => Promise<Completions>;
  readonly hover: (offset: number) => Promise<Hovered | undefined>;
}

/** Find, and where the language server knows the text, completion and hovers. Loaded once an editor is shown. */
export function editorHelp(questions: EditorQuestions | undefined): Extension {
  if (questions === undefined) return find();
  return [
    find(),
    autocompletion({ override: [(context) => completed(context, questions)], icons: true, maxRenderedOptions: 50 }),
    keymap.of(completionKeymap),
    hoverTooltip(async (_, offset) => {
      const found = await questions.hover(offset);
      if (found === undefined) return null;
      const { from, to, markdown } = found;
      return { pos: from, end: to, above: true, create: () => ({ dom: markdownNode(markdown) }) };
    }),
    THEME,
  ];
}

/** The characters after which proposals open without being asked for, as they do after letters. */
const TRIGGERS = /[\w.:["'/-]$|[:,[{-] $/;

async function completed(
  { pos, explicit, state }: CompletionContext,
  { complete }: EditorQuestions,
): Promise<CompletionResult | null> {
  const { from: start, text } = state.doc.lineAt(pos);
  if (!explicit && !TRIGGERS.test(text.slice(0, pos - start))) return null;
  const { from, items } = await complete(pos);
  if (items.length === 0) return null;
  return {
    from,
    options: items.map(({ label, type, detail, documentation, text: apply }, index) => ({
      label,
      type,
      apply,
      // In the order of the language server.
      boost: Math.max(-99, 99 - index),
      ...(detail !== undefined && { detail }),
      ...(documentation !== undefined && { info: () => markdownNode(documentation) }),
    })),
    validFor: /^\w*$/,
  };
}

const THEME = EditorView.theme({
  '.cm-tooltip': { maxWidth: 'min(34rem, 90vw)', borderRadius: 'var(--radius)', boxShadow: 'var(--shadow)' },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--code-font)', fontSize: 'var(--code-size)' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '0.15rem 0.5rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-completionDetail': { color: 'inherit', opacity: '0.8' },
  '.cm-completionMatchedText': { fontWeight: '700', textDecoration: 'none' },
  '.cm-help': { padding: '0.1rem 0.7rem', fontSize: 'var(--size-small)', overflowWrap: 'anywhere' },
  '.cm-help p': { margin: '0.4rem 0' },
  '.cm-help pre': {
    margin: '0.4rem 0',
    fontFamily: 'var(--code-font)',
    fontSize: 'var(--code-size)',
    whiteSpace: 'pre-wrap',
  },
  '.cm-help code': { fontFamily: 'var(--code-font)', color: 'var(--name)' },
});
