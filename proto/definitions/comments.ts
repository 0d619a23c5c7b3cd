import type { DescEnum, DescField, DescFile, DescMessage, DescMethod, DescService } from '@bufbuild/protobuf';

/** What a comment can stand above. */
export type Commented = DescMessage | DescField | DescEnum | DescService | DescMethod;

/**
 * The comment above a definition, its lines joined; undefined where there is none. Wants descriptors that were built
 * with their source info.
 */
export function readComment(desc: Commented): string | undefined {
  const place = findPath(desc).join('.');
  const location = findFile(desc).proto.sourceCodeInfo?.location.find(({ path }) => path.join('.') === place);
  const text = location?.leadingComments
    .trim()
    .split(/\s*\n\s*/)
    .join(' ');
  return text === '' ? undefined : text;
}

/** Field numbers of descriptor.proto: in a file, in a message, in a service. */
const FILE = { message: 4, enum: 5, service: 6 } as const;
const MESSAGE = { field: 2, message: 3, enum: 4 } as const;
const SERVICE = { method: 2 } as const;

function findPath(desc: Commented): readonly number[] {
  switch (desc.kind) {
    case 'message':
      if (desc.parent === undefined) return [FILE.message, desc.file.proto.messageType.indexOf(desc.proto)];
      return [...findPath(desc.parent), MESSAGE.message, desc.parent.proto.nestedType.indexOf(desc.proto)];
    case 'enum':
      if (desc.parent === undefined) return [FILE.enum, desc.file.proto.enumType.indexOf(desc.proto)];
      return [...findPath(desc.parent), MESSAGE.enum, desc.parent.proto.enumType.indexOf(desc.proto)];
    case 'field':
      return [...findPath(desc.parent), MESSAGE.field, desc.parent.proto.field.indexOf(desc.proto)];
    case 'service':
      return [FILE.service, desc.file.proto.service.indexOf(desc.proto)];
    case 'rpc':
      return [...findPath(desc.parent), SERVICE.method, desc.parent.proto.method.indexOf(desc.proto)];
  }
}

function findFile(desc: Commented): DescFile {
  return desc.kind === 'field' || desc.kind === 'rpc' ? desc.parent.file : desc.file;
}
