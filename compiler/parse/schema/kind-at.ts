import type { Kind, MessageType } from './field.js';

/**
 * Returns the kind of the value at a path below an object of a type: keys in any accepted spelling, indexes of lists.
 * Undefined if the type has no such place. Below free-form values every place is free-form.
 */
export function kindAt(type: MessageType, path: readonly (string | number)[]): Kind | undefined {
  let kind: Kind | undefined = { kind: 'object', type: () => type };
  for (const step of path) kind = kind && below(kind, step);
  return kind;
}

function below(kind: Kind, step: string | number): Kind | undefined {
  switch (kind.kind) {
    case 'object':
      return kind.type().bySpelling.get(String(step))?.kind;
    case 'map':
      return kind.value;
    case 'list':
      return typeof step === 'number' ? kind.item : undefined;
    case 'json':
      return kind;
    case 'text':
    case 'bool':
    case 'uint64':
    case 'enum':
      return undefined;
  }
}
