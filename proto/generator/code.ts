import type { DescField, DescMessage } from '@bufbuild/protobuf';
import type { Annotations } from './rules.js';

/** What the code of one message refers to. */
export interface Module {
  readonly annotations: Annotations;
  /** The messages that have rules, or messages in them that have. */
  readonly known: ReadonlySet<DescMessage>;
  /** Those of them whose rules ask what time it is: their functions are told. */
  readonly timed: ReadonlySet<DescMessage>;
}

/** Code, and the names it needs. */
export interface Code {
  /** Conditions that all hold for a valid message. */
  readonly conditions: readonly string[];
  /** Statements that report what is not so. */
  readonly statements: readonly string[];
  /** Declared at the top of the file, by name. */
  readonly constants: ReadonlyMap<string, string>;
}

/** Several pieces of code as one. Throws when two of them mean different things by one name. */
export function joined(codes: readonly Code[]): Code {
  const constants = new Map<string, string>();
  for (const [name, value] of codes.flatMap((code) => [...code.constants])) {
    if ((constants.get(name) ?? value) !== value) throw new Error(`two rules name a constant ${name}`);
    constants.set(name, value);
  }
  return {
    conditions: codes.flatMap(({ conditions }) => conditions),
    statements: codes.flatMap(({ statements }) => statements),
    constants,
  };
}

/** `authz.request.v1.AuxData.JWT` is `AuxDataJWT`. */
export function nameOf(message: DescMessage): string {
  return message.parent === undefined ? message.name : nameOf(message.parent) + message.name;
}

/** The words of a name of any spelling, as a constant is written. */
export function constantName(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();
}

/** The message that a field, its items or its entries are. */
export function messageOf(field: DescField): DescMessage | undefined {
  return field.message;
}
