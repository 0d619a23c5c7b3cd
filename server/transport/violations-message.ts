import { WireWriter } from '../../proto/wire/writer.js';
import { FIELD_TYPES, type FieldElement, type Violation } from '../../proto/wire/violation.js';

/** buf.validate.Violations in its protobuf encoding, for gRPC trailers and Connect details. */
export function encodeViolations(violations: readonly Violation[]): Buffer {
  const writer = new WireWriter();
  for (const violation of [...violations].reverse()) {
    const mark = writer.mark();
    writePath(writer, 6, violation.rule.path);
    writePath(writer, 5, violation.field);
    if (violation.forKey) writer.varintField(4, 1);
    writer.stringField(3, violation.rule.message);
    writer.stringField(2, violation.rule.id);
    writer.messageField(1, mark);
  }
  return writer.finish();
}

function writePath(writer: WireWriter, field: number, path: readonly FieldElement[]): void {
  if (path.length === 0) return;
  const mark = writer.mark();
  for (const element of [...path].reverse()) {
    const item = writer.mark();
    writeElement(writer, element);
    writer.messageField(1, item);
  }
  writer.messageField(field, mark);
}

function writeElement(writer: WireWriter, element: FieldElement): void {
  if (element.key !== undefined) {
    writer.stringField(10, element.key);
    writer.varintField(5, FIELD_TYPES.TYPE_MESSAGE);
    writer.varintField(4, FIELD_TYPES.TYPE_STRING);
  }
  if (element.index !== undefined) writer.varintField(6, element.index);
  writer.varintField(3, FIELD_TYPES[element.type]);
  writer.stringField(2, element.name);
  writer.varintField(1, element.number);
}
