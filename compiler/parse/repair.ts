import type { Place, Span } from '../diagnostics/span.js';
import type { Field, MessageType } from './schema/field.js';
import type { FieldValue, MapValue, ObjectValue, Value } from './schema/value.js';
import type { YamlNode, YamlText } from './yaml/node.js';

type Extent = Pick<Span, 'start' | 'end'>;

/** Where a document has mistakes that were reported. */
export class Damage {
  private readonly offsets: number[] = [];
  private isSorted = true;
  private readonly ends: number[] = [];

  add({ anchor }: Pick<Place, 'anchor'>): void {
    this.offsets.push(anchor);
    this.isSorted = false;
  }

  get isEmpty(): boolean {
    return this.offsets.length === 0;
  }

  /** Adds the end of a text after which something is missing, which may belong to all that ends there. */
  addEnd(anchor: number): void {
    this.add({ anchor });
    this.ends.push(anchor);
  }

  /** Whether something may be missing at the end of a part of the document. */
  mayLack({ start, end }: Extent): boolean {
    return this.ends.some((offset) => start <= offset && offset <= end);
  }

  /** The number of mistakes in a part of the document. */
  countIn({ start, end }: Extent): number {
    if (!this.isSorted) this.offsets.sort((a, b) => a - b);
    this.isSorted = true;
    return this.firstFrom(end + 1) - this.firstFrom(start);
  }

  /** The index of the first that is not before an offset. */
  private firstFrom(offset: number): number {
    let low = 0;
    let high = this.offsets.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.offsets[middle] as number) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  isIn(span: Extent): boolean {
    return this.countIn(span) > 0;
  }
}

/**
 * A document without its mistakes, so that later stages can report their own: what is damaged is left out, and what is
 * required gets a value that nothing complains about.
 *
 * @param fillsAll whether what an author forgot gets a value, too; otherwise only what a mistake may have hidden.
 */
export function repair(document: ObjectValue, damage: Damage, fillsAll: boolean): ObjectValue {
  return new Repair(damage, fillsAll).object(document);
}

class Repair {
  private filled = 0;

  constructor(
    private readonly damage: Damage,
    private readonly fillsAll: boolean,
  ) {}

  /** @param isInItem whether the object is a rule, a definition or a part of one. */
  object(object: ObjectValue, isInItem = false): ObjectValue {
    if (!this.fillsAll && !this.damage.isIn(object.node.place.span)) return object;
    const fields = new Map<string, FieldValue>();
    let found = 0;
    let isIncomplete = this.fillsAll;
    for (const [name, field] of object.fields) {
      const extent = findExtent(field.place);
      const count = this.damage.countIn(extent);
      found += count;
      const value = count === 0 && !this.fillsAll ? field.value : this.value(field, extent, isInItem);
      if (value === undefined) isIncomplete = true;
      else fields.set(name, { ...field, value });
      if (count > 0 && !isPresent(fields.get(name))) isIncomplete = true;
    }
    isIncomplete ||= this.damage.mayLack(object.node.place.span);
    // Damage outside of the fields is a key that does not exist, or is there twice.
    isIncomplete ||= this.damage.countIn(object.node.place.span) > found;
    if (isIncomplete) this.fill(object.type, object.node, fields);
    return { ...object, fields };
  }

  private value({ value, field: { kind } }: FieldValue, extent: Extent, isInItem: boolean): Value | undefined {
    if (kind.kind === 'object' && value.kind === 'object') {
      const isOutput = isInItem && !needsFields(kind.type());
      return isOutput && this.damage.isIn(extent) ? undefined : this.object(value, isInItem);
    }
    if (kind.kind === 'list' && value.kind === 'list') {
      const items = value.items.flatMap((item) => {
        if (item.value.kind === 'object') return { ...item, value: this.object(item.value, true) };
        return this.damage.isIn(item.place.span) ? [] : item;
      });
      return { kind: 'list', items };
    }
    if (kind.kind === 'map' && value.kind === 'map') return this.map(value);
    return this.damage.isIn(extent) ? undefined : value;
  }

  private map({ entries }: MapValue): MapValue {
    const isWhole = ({ name, place }: MapValue['entries'][number]): boolean =>
      !this.damage.isIn({ start: name.place.span.start, end: place.span.end });
    return { kind: 'map', entries: entries.filter(isWhole) };
  }

  private fill(type: MessageType, node: YamlNode, fields: Map<string, FieldValue>): void {
    const required = type.fields.filter(isRequired);
    const chosen = type.alternatives.flatMap(({ of }) => {
      if (of.some((name) => fields.has(name))) return [];
      const known = type.fields.filter(({ name }) => of.includes(name));
      // Matches may be nested without end.
      return known.find(({ name }) => name === 'expr') ?? known[0] ?? [];
    });
    for (const field of [...required, ...chosen])
      if (!isPresent(fields.get(field.name)))
        fields.set(field.name, { field, value: this.repairValue(field, node), place: node.place });
  }

  private repairValue({ name, kind, rules }: Field, node: YamlNode): Value {
    switch (kind.kind) {
      case 'text':
        return this.text(name, rules, node);
      case 'bool':
        return { kind: 'bool', value: false };
      case 'uint64':
      case 'enum': {
        const choices = rules.flatMap((rule) => (rule.rule === 'among' ? [...rule.choices.keys()] : []));
        return { kind: 'number', number: choices.find((choice) => choice > 0) ?? 1 };
      }
      case 'json':
        return { kind: 'json', value: null };
      case 'map':
        return { kind: 'map', entries: [] };
      case 'list': {
        const item = this.repairValue({ name, description: '', kind: kind.item, rules: kind.itemRules }, node);
        return { kind: 'list', items: [{ value: item, place: node.place }] };
      }
      case 'object': {
        const fields = new Map<string, FieldValue>();
        this.fill(kind.type(), node, fields);
        return { kind: 'object', type: kind.type(), node, fields };
      }
    }
  }

  private text(name: string, rules: Field['rules'], node: YamlNode): Value {
    this.filled += 1;
    const exact = rules.flatMap((rule) => (rule.rule === 'equals' ? rule.text : []));
    const text = exact[0] ?? (name === 'expr' ? 'true' : `unknown${this.filled}`);
    return { kind: 'text', text, node: textNode(text, node) };
  }
}

/** Outputs need none, but say something only with one. */
function needsFields({ fields, alternatives }: MessageType): boolean {
  return alternatives.length > 0 || fields.some(isRequired);
}

function isRequired({ rules }: Field): boolean {
  return rules.some(({ rule }) => rule === 'required');
}

function isPresent(field: FieldValue | undefined): boolean {
  if (field === undefined) return false;
  const { value } = field;
  if (value.kind === 'text') return value.text !== '';
  if (value.kind === 'number') return value.number !== 0;
  if (value.kind === 'list') return value.items.length > 0;
  return value.kind !== 'map' || value.entries.length > 0;
}

function textNode(text: string, { place }: YamlNode): YamlText {
  return {
    type: 'String',
    text,
    style: 'quoted',
    written: { notation: 'double', span: place.span },
    place,
    size: 1,
    depth: 0,
  };
}

/** The span from the key to the end of the value. */
function findExtent({ anchor, span }: Place): Extent {
  return { start: Math.min(anchor, span.start), end: span.end };
}
