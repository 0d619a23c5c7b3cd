import { type Diagnostic, Diagnostics } from '../diagnostics/diagnostic.js';
import type { Source } from '../diagnostics/source.js';
import type { TestFile } from '../load/index.js';
import { decodeObject } from '../parse/decode.js';
import type { MessageType } from '../parse/schema/field.js';
import type { ObjectValue } from '../parse/schema/value.js';
import { validateStructure } from '../parse/structure.js';
import { readDocument } from '../parse/yaml/read.js';
import { type Complaint, InvalidSuite } from './invalid-suite.js';

/** What a type of file asks of fields together. */
export type Agreements = (document: ObjectValue) => readonly Complaint[];

/**
 * Reads a test file (docs/spec/server.md#parsing-of-test-files): as a policy file is read, one document of the shape of
 * its type. Throws an InvalidSuite with a line `LINE:COL TEXT` for each problem.
 */
export function readTestDocument(file: TestFile, type: MessageType, agreements: Agreements): ObjectValue {
  if ('unreadable' in file) throw new InvalidSuite(file.unreadable);
  const { source } = file;
  const document = mappedDocument(source, type);
  const structure = new Diagnostics();
  validateStructure(document, source, structure);
  const complaints = [...structure.sorted().map(complaintOf), ...agreements(document)];
  if (complaints.length > 0) throw new InvalidSuite(positioned(complaints));
  return document;
}

function mappedDocument(source: Source, type: MessageType): ObjectValue {
  const report = new Diagnostics();
  const read = readDocument(source, report);
  const document = read && decodeObject(read.root, type, read.problems);
  read?.problems.reportTo(report);
  if (document !== undefined && !report.hasErrors) return document;
  const complaints = report.sorted().map(complaintOf);
  throw new InvalidSuite(complaints.length === 0 ? 'there is nothing in the file' : positioned(complaints));
}

function complaintOf({ place, message: text, shown, notes }: Diagnostic): Complaint {
  return { place, text, notes, ...(shown !== undefined && { shown }) };
}

/** Sorted by place, absent fields last; each with its line and column. */
function positioned(complaints: readonly Complaint[]): readonly Complaint[] {
  const last = Number.POSITIVE_INFINITY;
  const sorted = complaints.toSorted((a, b) => {
    const order = (a.place?.anchor ?? last) - (b.place?.anchor ?? last);
    return Number.isNaN(order) ? 0 : order;
  });
  return sorted.map(withPosition);
}

function withPosition(complaint: Complaint): Complaint {
  const { place, text, shown } = complaint;
  if (place === undefined) return complaint;
  const { line, column } = place.span.source.lineAndColumn(place.anchor);
  const position = `${line}:${column}`;
  return { ...complaint, text: `${position} ${text}`, ...(shown !== undefined && { shown: `${position} ${shown}` }) };
}
