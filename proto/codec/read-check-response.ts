import type { ActionDecision, CheckResourcesResponse, OutputEntry, ResultEntry, ValidationError } from '../messages.js';
import { readJsonValue } from '../wire/value.js';
import { readFields, readValidationError, text, varint } from './read-parts.js';
import { WireError, WireReader } from '../wire/reader.js';

/**
 * CheckResourcesResponse from its protobuf encoding: the caller's half of `encodeCheckResourcesResponse`. Throws a
 * WireError for what is no such message.
 */
export function decodeCheckResourcesResponse(bytes: Buffer, includeMeta: boolean): CheckResourcesResponse {
  const reader = new WireReader(bytes);
  const results: ResultEntry[] = [];
  let requestId = '';
  let authzCallId = '';
  readFields(reader, bytes.length, {
    1: text(() => {
      requestId = reader.string();
    }),
    2: text(() => {
      results.push(readResult(reader));
    }),
    3: text(() => {
      authzCallId = reader.string();
    }),
  });
  return { requestId, results, includeMeta, authzCallId };
}

type Matched = Pick<ActionDecision, 'matchedPolicy' | 'matchedScope'>;

const UNMATCHED: Matched = { matchedPolicy: '', matchedScope: '' };

function readResult(reader: WireReader): ResultEntry {
  const resource = { kind: '', policyVersion: '', id: '', attr: {}, scope: '' };
  const effects = new Map<string, ActionDecision['effect']>();
  const matched = new Map<string, Matched>();
  const outputs: OutputEntry[] = [];
  const validationErrors: ValidationError[] = [];
  const effectiveDerivedRoles: string[] = [];
  readFields(reader, reader.messageEnd(), {
    1: text(() =>
      readFields(reader, reader.messageEnd(), {
        1: text(() => {
          resource.id = reader.string();
        }),
        2: text(() => {
          resource.kind = reader.string();
        }),
        3: text(() => {
          resource.policyVersion = reader.string();
        }),
        4: text(() => {
          resource.scope = reader.string();
        }),
      }),
    ),
    2: text(() => readEffect(reader, effects)),
    3: text(() => {
      validationErrors.push(readValidationError(reader));
    }),
    4: text(() =>
      readFields(reader, reader.messageEnd(), {
        1: text(() => readMatched(reader, matched)),
        2: text(() => {
          effectiveDerivedRoles.push(reader.string());
        }),
      }),
    ),
    5: text(() => {
      outputs.push(readOutput(reader));
    }),
  });
  const actions = [...effects].map(([action, effect]) => ({ action, effect, ...(matched.get(action) ?? UNMATCHED) }));
  return { resource, decision: { actions, effectiveDerivedRoles, outputs, validationErrors } };
}

/** Nothing but the very number allows. */
function readEffect(reader: WireReader, effects: Map<string, ActionDecision['effect']>): void {
  let action = '';
  let effect = 0;
  readFields(reader, reader.messageEnd(), {
    1: text(() => {
      action = reader.string();
    }),
    2: varint(() => {
      effect = reader.uint32();
    }),
  });
  if (effect !== 1 && effect !== 2) throw new WireError('effect that is none');
  // The encoding would have the last one count; a decision that says both is none.
  if (effects.has(action)) throw new WireError('two effects for one action');
  effects.set(action, effect);
}

function readMatched(reader: WireReader, matched: Map<string, Matched>): void {
  let action = '';
  let matchedPolicy = '';
  let matchedScope = '';
  readFields(reader, reader.messageEnd(), {
    1: text(() => {
      action = reader.string();
    }),
    2: text(() =>
      readFields(reader, reader.messageEnd(), {
        1: text(() => {
          matchedPolicy = reader.string();
        }),
        2: text(() => {
          matchedScope = reader.string();
        }),
      }),
    ),
  });
  matched.set(action, { matchedPolicy, matchedScope });
}

function readOutput(reader: WireReader): OutputEntry {
  let src = '';
  let action = '';
  let val: unknown = null;
  let error = '';
  readFields(reader, reader.messageEnd(), {
    1: text(() => {
      src = reader.string();
    }),
    2: text(() => {
      val = readJsonValue(reader);
    }),
    3: text(() => {
      action = reader.string();
    }),
    4: text(() => {
      error = reader.string();
    }),
  });
  return error === '' ? { src, action, val } : { src, action, error };
}
