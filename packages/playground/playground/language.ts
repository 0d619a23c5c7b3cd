import type { CompletionItem, CompletionItemKind, MarkupContent, Range } from 'vscode-languageserver';
import { Source } from '../../../compiler/diagnostics/source.js';
import { isSuiteFile, SCHEMAS_DIRECTORY } from '../../../compiler/load/names.js';
import type { TextFile } from '../../../compiler/policy-texts.js';
import { complete as completeIn } from '../../editor/completion.js';
import { chooseKind } from '../../editor/file-kind.js';
import { format as formatSource } from '../../editor/formatting.js';
import { hover as hoverIn } from '../../editor/hover.js';
import { type EditedPolicies, PolicyIndex } from '../../editor/policy-index.js';
import { offsetAt, toRange } from '../../editor/positions.js';
import type { CompletionOption, Completions, Hovered, TextChange, TextPlace } from './questions.js';

/* What the language server knows, for the editors of the page. */

/** The files of the playground; a text that does not change is parsed once. */
class EditedFiles implements EditedPolicies {
  private sources: ReadonlyMap<string, Source> = new Map();
  private readonly index = new PolicyIndex((path) => this.sources.get(path));

  update(files: readonly TextFile[]): void {
    const before = this.sources;
    this.sources = new Map(
      files.map(({ path, text }) => {
        const known = before.get(path);
        return [path, known?.text === text ? known : new Source(path, text)];
      }),
    );
    this.index.outdate([...before.keys(), ...this.sources.keys()]);
  }

  readonly get = (path: string) => this.index.files.get(path);
  readonly findSource = (path: string) => this.sources.get(path);
  readonly withKey = (key: string) => this.index.withKey(key);

  get files() {
    return this.index.files;
  }

  get schemaTexts(): ReadonlyMap<string, string> {
    const below = `${SCHEMAS_DIRECTORY}/`;
    return new Map(
      [...this.sources].flatMap(([path, { text }]) =>
        path.startsWith(below) ? [[path.slice(below.length), text] as const] : [],
      ),
    );
  }
}

const edited = new EditedFiles();

/** The proposals of the language server at a place. */
export function complete({ files, path, offset }: TextPlace): Completions {
  edited.update(files);
  const source = edited.findSource(path);
  if (source === undefined) return { from: offset, items: [] };
  const { items } = completeIn(edited, path, toRange({ source, start: offset, end: offset }).start);
  const [first] = items;
  const start = first === undefined ? undefined : (first.textEdit as { readonly range: Range }).range.start;
  return { from: start === undefined ? offset : offsetAt(source, start), items: items.map(toOption) };
}

function toOption({ label, kind, detail, documentation, textEdit }: CompletionItem): CompletionOption {
  return {
    label,
    type: TYPES.get(kind) ?? 'text',
    ...(detail !== undefined && { detail }),
    ...(documentation !== undefined && { documentation: (documentation as MarkupContent).value }),
    text: textEdit?.newText ?? label,
  };
}

/** The icons of proposals, by the numbers of the protocol. */
const TYPES: ReadonlyMap<CompletionItemKind | undefined, string> = new Map([
  [3, 'function'],
  [5, 'property'],
  [6, 'variable'],
  [10, 'property'],
  [12, 'text'],
  [14, 'keyword'],
  [20, 'enum'],
  [21, 'constant'],
]);

/** What the language server tells about a place. */
export function hover({ files, path, offset }: TextPlace): Hovered | undefined {
  edited.update(files);
  const source = edited.findSource(path);
  if (source === undefined) return undefined;
  const found = hoverIn(edited, path, toRange({ source, start: offset, end: offset }).start);
  if (found === undefined) return undefined;
  const { range, contents } = found;
  return {
    markdown: (contents as MarkupContent).value,
    from: range === undefined ? offset : offsetAt(source, range.start),
    to: range === undefined ? offset : offsetAt(source, range.end),
  };
}

/** The change that `authzc fmt` makes; undefined if there is none, or the file is neither a policy nor a suite. */
export function format({ path, text }: TextFile): TextChange | undefined {
  if (chooseKind(path) !== 'policy' && !isSuiteFile(path)) return undefined;
  const source = new Source(path, text);
  const [edit] = formatSource(source);
  return (
    edit && {
      from: offsetAt(source, edit.range.start),
      to: offsetAt(source, edit.range.end),
      text: edit.newText,
    }
  );
}
