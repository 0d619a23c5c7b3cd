import { visibleJson } from '../../../compiler/diagnostics/visible.js';

/** A comment on GitHub holds 65,536 characters. */
const MOST_CHARACTERS = 60_000;
/** The number of rows of a table. */
const MOST_ROWS = 50;
/** The number of names in a list. */
export const MOST_NAMES = 10;
/** The longest name or object that is shown whole, in characters; requests to replay are always whole. */
const LONGEST = 200;

/** Names in a list, cut if there are many. */
export function listed(items: readonly string[]): string {
  const shown = items.slice(0, MOST_NAMES).join(', ');
  return items.length <= MOST_NAMES ? shown : `${shown}, … and ${items.length - MOST_NAMES} more`;
}

/** A name as code: as it is if it is a plain one, or else as a JSON string. */
export function code(text: string): string {
  return formatCode(/^[\w:.*/#-]+(?: [\w:.*/#()-]+)*$/.test(text) ? text : visibleJson(text));
}

/** JSON as code, cut if it is long. */
export function formatCode(json: string): string {
  const text = inCode(json);
  return `\`${text.length <= LONGEST ? text : `${text.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, '')}…`}\``;
}

/**
 * JSON without characters that could end code or a cell of a table, or mean something where code is not known. They
 * only occur in strings, and a JSON parser reads them as they were.
 */
export function inCode(json: string): string {
  return json.replace(/[`|<>&@]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** How many are not shown. */
function rest({ length }: readonly unknown[], { length: shown }: readonly unknown[]): readonly string[] {
  return length === shown ? [] : ['', `… and ${length - shown} more`];
}

/** The first lines that fit into so many characters. */
function fitting(lines: readonly string[], room: number): readonly string[] {
  let used = 0;
  const end = lines.findIndex((line) => {
    used += line.length + 1;
    return used > room;
  });
  return end < 0 ? lines : lines.slice(0, end);
}

/** What a comment on a pull request shows. */
export interface Comment<Item> {
  readonly title: string;
  /** The first two lines of the table. */
  readonly head: readonly string[];
  readonly items: readonly Item[];
  /** An item as a line of the table. */
  readonly rowOf: (item: Item) => string;
  /** The requests that show an item, as lines of a list. */
  readonly requestsOf: (item: Item) => readonly string[];
  /** What stands below, with the marker by which a bot finds its comment, to replace it. */
  readonly end: string;
}

/** A comment on a pull request: a table, and the requests to replay, as many as fit. */
export function comment<Item>({ title, head, items, rowOf, requestsOf, end }: Comment<Item>): string {
  const room = MOST_CHARACTERS - title.length - end.length - 500;
  const table = fitting(items.slice(0, MOST_ROWS).map(rowOf), room / 2);
  const requests = items.slice(0, table.length).flatMap(requestsOf);
  const shown = fitting(requests, room / 2);
  return [
    title,
    ...(table.length === 0 ? [] : ['', ...head, ...table]),
    ...rest(items, table),
    ...(requests.length === 0 ? [] : ['', '<details><summary>Requests to replay</summary>', '']),
    ...shown,
    ...rest(requests, shown),
    ...(requests.length === 0 ? [] : ['', '</details>']),
    '',
    end,
    '',
  ].join('\n');
}
