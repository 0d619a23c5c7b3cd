import type { DescMessage, FileRegistry } from '@bufbuild/protobuf';
import { messageOf, type Module } from './code.js';
import { fileOf, fileText } from './file-text.js';
import { messageCode } from './message-code.js';
import { messageNamed, REQUESTS } from './messages.js';
import { type Annotations, annotationsOf } from './rules.js';

/**
 * The annotations of the .proto files as TypeScript: for each message `isValid...`, which allocates nothing, and `report...`, which says
 * what is wrong; for each request the two together. One file for each .proto file, by name. Throws for an annotation that there is no code
 * for, wherever in the module it stands.
 */
export function validators(
  registry: FileRegistry,
  requests: readonly string[] = REQUESTS.map(({ message }) => message),
): ReadonlyMap<string, string> {
  const annotations = annotationsOf(registry);
  const all = [...registry].filter((desc) => desc.kind === 'message');
  const module: Module = {
    annotations,
    known: new Set(all.filter((message) => reaches(message, (one) => hasRules(one, annotations)))),
    timed: new Set(
      all.filter((message) =>
        reaches(message, (one) => one.fields.some((field) => annotations.ofField(field).timestamp?.ltNow === true)),
      ),
    ),
  };
  const codes = new Map(all.map((message) => [message, messageCode(message, module)]));
  const found = new Set<DescMessage>();
  for (const name of requests) collect(messageNamed(name, registry), module, found);
  const files = new Map<string, string>();
  for (const file of new Set([...found].map(fileOf))) {
    const messages = [...found].filter((message) => fileOf(message) === file);
    files.set(file, fileText({ file, messages, codes, found, module, requests }));
  }
  return files;
}

/** Whether something holds for a message, or for one in it. */
function reaches(
  message: DescMessage,
  holds: (message: DescMessage) => boolean,
  seen = new Set<DescMessage>(),
): boolean {
  if (seen.has(message)) return false;
  seen.add(message);
  return (
    holds(message) || message.fields.some((field) => field.message !== undefined && reaches(field.message, holds, seen))
  );
}

function hasRules(message: DescMessage, { ofField, ofMessage, isRequiredOneof }: Annotations): boolean {
  return (
    ofMessage(message).length > 0 ||
    message.oneofs.some(isRequiredOneof) ||
    message.fields.some((field) => Object.keys(ofField(field)).length > 0)
  );
}

/** Messages before those that have them. */
function collect(
  message: DescMessage,
  { known }: Pick<Module, 'known'>,
  found: Set<DescMessage>,
  open = new Set<DescMessage>(),
): void {
  if (!known.has(message) || open.has(message)) return;
  open.add(message);
  for (const field of message.fields) {
    const inner = messageOf(field);
    if (inner !== undefined) collect(inner, { known }, found, open);
  }
  found.add(message);
}
