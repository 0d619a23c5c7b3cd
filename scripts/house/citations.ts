/** A section of a page that a file refers to. */
export interface Citation {
  /** Counted from 1. */
  readonly line: number;
  /** As it is written: `docs/spec/conditions.md#timestamps`, or `docs/spec/conditions.md#timestamps`. */
  readonly text: string;
}

/** A page with an anchor: `docs/plans.md#null`. */
const LINKED = /\bdocs\/[\w./-]+\.md#[\w-]+/g;
/** A page with the number of a section: `docs/spec/server.md#start-and-stop`. Nobody can open it. */
const NUMBERED = /\b[\w-]+\.md \d+(?:\.\d+)*/g;

/** Every citation in a text, in the order of its lines. */
export function citationsIn(text: string): readonly Citation[] {
  return text
    .split('\n')
    .flatMap((content, index) =>
      [...content.matchAll(LINKED), ...content.matchAll(NUMBERED)].map(([cited]) => ({ line: index + 1, text: cited })),
    );
}

/**
 * The citations of a text that do not resolve: those with the number of a section, and those whose page or anchor is
 * missing. `readPage` returns the text of a page, or undefined when there is no such page.
 */
export function unresolvedIn(text: string, readPage: (path: string) => string | undefined): readonly Citation[] {
  return citationsIn(text).filter((citation) => {
    const [path = '', anchor] = citation.text.split('#');
    if (anchor === undefined) return true;
    const page = readPage(path);
    return page === undefined || !anchorsIn(page).has(anchor);
  });
}

/** The anchors of a Markdown page: those that its headings get where it is shown, and explicit ones (`<a id="…">`). */
export function anchorsIn(page: string): ReadonlySet<string> {
  const text = withoutCode(page);
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
  const explicit = [...text.matchAll(/<a (?:id|name)="([^"]+)">/g)].map(([, id = '']) => id);
  return new Set([...headings, ...explicit]);
}

/** The anchor of a heading where a forge shows it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s/g, '-');
}

/** A Markdown page without its fenced blocks, whose lines may look like headings and links. */
export function withoutCode(page: string): string {
  return page.replace(/^( *)(`{3,}).*\n(?:.*\n)*?\1\2$/gm, '');
}
