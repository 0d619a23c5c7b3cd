import type { Json } from '../../wire/json-shape.js';

/** A request, and what a server with the policies of this repository (`policies/`) answers to it. Tests send it. */
export interface Example {
  readonly name: string;
  readonly summary: string;
  /** Absent where there is no body. */
  readonly request?: Json;
  readonly response: Json;
}

/** Stands for the id that a server gives a call. */
export const CALL_ID = '01HZY5Q0J4W8M9T3K6R2B7XCDE';
