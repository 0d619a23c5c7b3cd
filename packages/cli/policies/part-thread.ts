import { parentPort, workerData } from 'node:worker_threads';
import { Source } from '../../../compiler/diagnostics/source.js';
import { packed } from '../../../compiler/recompile/packed-part.js';
import { compilePart } from '../../../compiler/recompile/parts.js';
import type { PartTexts, SourceText, ThreadData } from './compile-in-parts.js';

/** A thread that compiles the parts it is sent, one after the other. It answers undefined for a part with errors. */
const data = workerData as ThreadData;
const toSource = ([path, text]: SourceText): Source => new Source(path, text);
const shared = data.shared.map(toSource);

parentPort?.on('message', (texts: PartTexts) => {
  const part = { policies: texts.policies.map(toSource), above: texts.above.map(toSource) };
  const compiled = compilePart(shared, part, data.options);
  const result = compiled && packed(compiled, [...shared, ...part.above, ...part.policies]);
  const buffers = result === undefined ? [] : [result.texts, result.numbers, result.heads];
  parentPort?.postMessage(
    result,
    buffers.map(({ buffer }) => buffer as ArrayBuffer),
  );
});
