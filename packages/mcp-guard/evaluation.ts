import type { Json, JsonObject } from '../cel/runtime/index.js';

/** A request for a decision, as AuthZEN 1.0 has it (docs/spec/server.md#authzen). */
export interface Evaluation {
  readonly subject: Entity;
  readonly action: { readonly name: string; readonly properties?: JsonObject };
  readonly resource: Entity;
  readonly context?: JsonObject;
}

/** A subject or a resource. */
export interface Entity {
  readonly type: string;
  readonly id: string;
  readonly properties?: JsonObject;
}

/** The parts of an evaluation and their fields: each text is required, properties are not. */
export const PARTS: { readonly [part: string]: { readonly texts: readonly string[] } } = {
  subject: { texts: ['type', 'id'] },
  action: { texts: ['name'] },
  resource: { texts: ['type', 'id'] },
};

/** Reads what a mapping has resulted in. A text says what is wrong with it. */
export function readEvaluation(json: Json | undefined): Evaluation | string {
  if (!isObject(json)) return 'the evaluation is not an object';
  for (const [part, { texts }] of Object.entries(PARTS)) {
    const value = own(json, part);
    if (!isObject(value)) return `${part} is missing or not an object`;
    for (const text of texts) {
      const found = own(value, text);
      if (typeof found !== 'string' || found === '') return `${part}.${text} is missing, empty or no text`;
    }
    const properties = own(value, 'properties');
    if (properties !== undefined && !isObject(properties)) return `${part}.properties is not an object`;
  }
  const context = own(json, 'context');
  if (context !== undefined && !isObject(context)) return 'context is not an object';
  return json as unknown as Evaluation;
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own property: nothing is read from prototypes. */
export function own(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
