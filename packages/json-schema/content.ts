import { base64Bytes } from '../cel/runtime/base64.js';
import { beside } from './apply.js';
import type { Schema } from './run.js';

/** The content of a string: the supported encoding, the supported media type, and the schema of the JSON in it. */
export interface Content {
  readonly contentEncoding?: 'base64';
  readonly contentMediaType?: 'application/json';
  readonly contentSchema?: Schema;
}

/**
 * `contentEncoding`, `contentMediaType` and `contentSchema`, applied to the decoded string
 * (docs/spec/policy-language.md#json-schema-dialect).
 */
export function content({ contentEncoding, contentMediaType, contentSchema }: Content): Schema {
  return (value, place, run) => {
    if (typeof value !== 'string') return true;
    const text = contentEncoding === undefined ? value : decoded(value);
    if (text === undefined) return run.report(place, 'value is not base64 encoded');
    if (contentMediaType === undefined && contentSchema === undefined) return true;
    const inner = parsed(text);
    const isMedia =
      inner !== undefined ||
      contentMediaType === undefined ||
      run.report(place, "value is not of mediatype 'application/json'");
    if (contentSchema === undefined) return isMedia;
    if (inner === undefined) return run.report(place, 'value is not valid json');
    const { evaluated } = run;
    run.evaluated = undefined;
    const valid = beside(contentSchema, inner.value, place, run);
    run.evaluated = evaluated;
    return valid;
  };
}

/** Decodes base64 with padding; bytes that are not UTF-8 become replacement characters. */
function decoded(value: string): string | undefined {
  const bytes = base64Bytes(value);
  const isPadded = value.replace(/[\r\n]/g, '').length % 4 === 0;
  return typeof bytes === 'number' || !isPadded
    ? undefined
    : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
