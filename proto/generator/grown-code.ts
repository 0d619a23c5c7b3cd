import type { DescField } from '@bufbuild/protobuf';
import { FieldDescriptorProto_Type as FieldType } from '@bufbuild/protobuf/wkt';
import { type Code, constantName, nameOf } from './code.js';

/** The code of one field while it grows, rule by rule. */
export class GrownCode implements Code {
  readonly conditions: string[] = [];
  readonly statements: string[] = [];
  readonly constants = new Map<string, string>();
  /** How the value of the field is written. */
  readonly value: string;
  /** The constant that is its step of a path; those of its rules begin like it. */
  readonly element: string;
  /** One of a oneof is there or is not, and is never empty: whether it is the one. */
  readonly #isTheOne: string | undefined;
  #isPresent: string | undefined;

  constructor(readonly field: DescField) {
    const { oneof, parent, name, localName } = field;
    const union = oneof && `message.${oneof.localName}`;
    this.#isTheOne = union && `${union}?.by === '${localName}'`;
    this.value = union === undefined ? `message.${localName}` : `${union}.value`;
    this.element = `${constantName(nameOf(parent))}_${constantName(name)}`;
  }

  get isInOneof(): boolean {
    return this.#isTheOne !== undefined;
  }

  /** What must hold, and the rule that is broken otherwise. */
  rule(holds: string, broken: string, rule: string): void {
    this.condition(holds);
    this.statement(broken, `report(found, ${rule}, path, ${this.element});`);
  }

  /** That the value is there. Rules about a value that is not are not asked. */
  required(isPresent: string, isMissing: string): void {
    this.rule(isPresent, isMissing, 'REQUIRED');
    this.#isPresent = isPresent;
  }

  condition(holds: string): void {
    this.conditions.push(
      this.#isTheOne === undefined ? holds : `(${this.#isTheOne.replace('===', '!==')} || ${holds})`,
    );
  }

  /** What is done when something is so. */
  statement(when: string | undefined, then: string): void {
    const all = [this.#isTheOne, this.#isPresent, when].filter((one) => one !== undefined);
    this.statements.push(all.length === 0 ? then : `if (${all.join(' && ')}) ${then}`);
  }

  /** The field as a step of a path, once it has code that names it. */
  finished(): Code {
    if (this.statements.length > 0)
      this.constants.set(
        this.element,
        `: FieldElement = { number: ${this.field.number}, name: '${this.field.name}', type: 'TYPE_${FieldType[this.field.proto.type]}' }`,
      );
    return this;
  }
}
