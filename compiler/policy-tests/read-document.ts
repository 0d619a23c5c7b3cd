import { Diagnostics } from '../diagnostics/diagnostic.js';
import type { Source } from '../diagnostics/source.js';
import type { Place } from '../diagnostics/span.js';
import type { TestFile } from '../load/index.js';
import { decodeObject } from '../parse/decode.js';
import type { MessageType } from '../parse/schema/field.js';
import type { ObjectValue } from '../parse/schema/value.js';
import { validateStructure } from '../parse/structure.js';
import { readDocument } from '../parse/yaml/read.js';
import { InvalidSuite } from './invalid-suite.js';

/** Something that is wrong at a place, or with a file as a whole. */
export interface Complaint {
  readonly place: Place | undefined;
  readonly text: string;
}

/** What a type of file asks of fields together. */
export type Agreements = (document: ObjectValue) => readonly Complaint[];

/**
 * Reads a test file (server.md 7.2): as a policy file is read, one document of the shape of its type. Throws an InvalidSuite with a line
 * `LINE:COL TEXT` for each problem.
 */
export function readTestDocument(file: TestFile, type: MessageType, agreements: Agreements): ObjectValue {
  if ('unreadable' in file) throw new InvalidSuite(file.unreadable);
  const { source } = file;
  const document = mappedDocument(source, type);
  const structure = new Diagnostics();
  validateStructure(document, source, structure);
  const complaints = [...structure.sorted().map(({ place, message: text }) => ({ place, text })), ...agreements(document)];
  if (complaints.length > 0) throw new InvalidSuite(textOf(complaints));
  return document;
}

function mappedDocument(source: Source, type: MessageType): ObjectValue {
  const report = new Diagnostics();
  const read = readDocument(source, report);
  const document = read && decodeObject(read.root, type, read.problems);
  read?.problems.reportTo(report);
  if (document !== undefined && !report.hasErrors) return document;
  const complaints = report.sorted().map(({ place, message: text }) => ({ place, text }));
  throw new InvalidSuite(complaints.length === 0 ? 'there is nothing in the file' : textOf(complaints));
}

/** By place; what is absent comes last. */
function textOf(complaints: readonly Complaint[]): string {
  const last = Number.POSITIVE_INFINITY;
  const sorted = complaints.toSorted((a, b) => {
    const order = (a.place?.anchor ?? last) - (b.place?.anchor ?? last);
    return Number.isNaN(order) ? 0 : order;
  });
  return sorted.map(lineOf).join('\n');
}

function lineOf({ place, text }: Complaint): string {
  if (place === undefined) return text;
  const { line, column } = place.span.source.lineAndColumn(place.anchor);
  return `${line}:${column} ${text}`;
}
