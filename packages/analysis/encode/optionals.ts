import type { Script } from './script.js';
import { type Term, unknown } from './values.js';

/*
 * Optionals whose content is known as a term: what they are selected from is JSON, so that everything about them is
 * exact. Their images are uninterpreted functions of their content.
 */

/**
 * An optional with a content that fails if there is none.
 * @param failing fails where there is no optional at all.
 */
export function optional(content: Term, failing: Term, script: Script): Term {
  const image = script.uninterpreted('optional', 'O', 'V', content.text);
  return {
    text: script.define('V', `(ite (isErr ${failing.text}) Err (Oth ${image}))`),
    isJson: false,
    content: { ...content, text: script.define('V', `(ite (isErr ${failing.text}) Err ${content.text})`) },
  };
}

/**
 * What an operation makes of the content of an optional: an optional; none stays none.
 *
 * @param result what the operation gives; it fails where there is none.
 * @param failing fails where the operation does.
 */
export function ofContent(
  of: Term & { readonly content: Term },
  result: (content: Term) => Term,
  failing: (content: Term) => string,
  script: Script,
): Term {
  const { content } = of;
  const made = result(content);
  const inner = script.define('V', `(ite (isErr ${content.text}) Err ${made.text})`);
  const fails = `(ite (isErr ${of.text}) Err (ite (isErr ${content.text}) Null ${failing(content)}))`;
  return optional({ ...made, text: inner }, unknown(script.define('V', fails)), script);
}

/** Whether a term is an optional whose content is known. */
export function hasContent(term: Term | undefined): term is Term & { readonly content: Term } {
  return term?.content !== undefined;
}

/** `a.or(b)`: b matters only where a is none. */
export function orOther([a, b]: readonly Term[], script: Script): Term | undefined {
  if (!hasContent(a) || !hasContent(b)) return undefined;
  const isNone = `(isErr ${a.content.text})`;
  const content = unknown(
    script.define('V', `(ite ${isNone} ${b.content.text} ${a.content.text})`),
    a.content.isJson && b.content.isJson,
  );
  const failing = `(ite (isErr ${a.text}) Err (ite ${isNone} ${b.text} Null))`;
  return optional(content, unknown(script.define('V', failing)), script);
}
