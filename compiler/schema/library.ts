import { nearestName } from '../../packages/cel/nearest-name.js';
import { pointerToken, type Position, readDocument, type Resource, type SchemaDocument, survey } from './document.js';
import { inaccessible, invalid, type SchemaProblem } from './problem.js';
import { resolveUri, splitUri, unescaped, type UriParts, uriText } from './uri.js';

/** The schema files of a policy folder, each read on first use. */
export class Library {
  private readonly documents = new Map<string, SchemaDocument | SchemaProblem>();

  /** @param texts the files by path, relative to `_schemas`. */
  constructor(private readonly texts: ReadonlyMap<string, string>) {}

  /**
   * The schema that a policy's `ref` references (docs/spec/policy-language.md#schema-references).
   *
   * @param ref a URL.
   */
  entry(ref: string): Position | SchemaProblem {
    const uri = splitUri(ref);
    return this.documentFound(uri, '', uri.fragment ?? '');
  }

  /**
   * The schema that a `$ref` references: in its own document by `$id`, or in another file.
   *
   * @param entry the policy's reference that led here, for the message of a problem.
   */
  reference(ref: string, { resource, document }: Position, entry: string): Position | SchemaProblem {
    const uri = resolveUri(resource.uri, splitUri(ref));
    const known = document.resources.get(uriText(uri));
    const fragment = uri.fragment ?? '';
    return known === undefined
      ? this.documentFound(uri, ` referenced by ${entry}`, fragment)
      : schemaAt(document, known, fragment);
  }

  private documentFound(uri: UriParts, referencedBy: string, fragment: string): Position | SchemaProblem {
    switch (uri.scheme) {
      case 'authz':
        break;
      case undefined:
        return inaccessible(
          `schema ${uri.path}${referencedBy} doesn't exist`,
          'a schema is referred to by a URL with scheme `authz`: `authz:///file.json` is the file `_schemas/file.json`',
        );
      case 'file':
        return inaccessible(
          `schema ${uri.path}${referencedBy} doesn't exist`,
          'files outside the policy folder are not read: move the schema into `_schemas` and refer to it as `authz:///file.json`',
        );
      case 'http':
      case 'https':
        return inaccessible(
          `${uriText(uri)}${referencedBy} is not fetched`,
          'nothing is read over the network: put the schema into `_schemas` and refer to it as `authz:///file.json`',
        );
      default:
        return inaccessible(
          `no Loader found for ${uriText(uri)}${referencedBy}`,
          uri.scheme === 'cerbos'
            ? 'write `authz:///file.json`; `authzc migrate` rewrites the references of a repository'
            : 'a schema is referred to by a URL with scheme `authz`: `authz:///file.json` is the file `_schemas/file.json`',
        );
    }
    const file = unescaped(uri.path.replace(/^\//, '')) ?? uri.path.replace(/^\//, '');
    if (file.split('/').some((part) => part === '' || part === '.' || part === '..'))
      return inaccessible(`open ${file}: invalid argument`);
    const text = this.texts.get(file);
    if (text === undefined) {
      const near = nearestName(file, this.texts.keys());
      return inaccessible(
        `schema _schemas/${file}${referencedBy} doesn't exist`,
        near === undefined
          ? `put the schema into \`_schemas/${file}\` of the policy folder, or correct the reference`
          : `did you mean \`authz:///${near}\`?`,
      );
    }
    const document = this.documents.get(file) ?? readDocument(file, text);
    this.documents.set(file, document);
    if ('kind' in document) return document;
    return schemaAt(document, document.positions.get(document.root)?.resource as Resource, fragment);
  }
}

/** Resolves a fragment in a resource: a JSON pointer, or the name of an anchor. */
function schemaAt(document: SchemaDocument, resource: Resource, fragment: string): Position | SchemaProblem {
  const missing = invalid(`${uriText(resource.uri)}#${fragment} not found`);
  const root = document.positions.get(resource.node);
  const text = unescaped(fragment);
  if (root === undefined || text === undefined) return missing;
  if (text === '') return root;
  if (text.startsWith('/')) return followed(root, text) ?? missing;
  const anchored = resource.anchors.get(text);
  return (anchored && document.positions.get(anchored)) ?? missing;
}

function followed(root: Position, pointer: string): Position | SchemaProblem | undefined {
  let position = root;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    const { node } = position;
    const next =
      node.kind === 'object'
        ? node.members.get(name)
        : node.kind === 'array' && /^(?:0|[1-9][0-9]*)$/.test(name)
          ? node.items[Number(name)]
          : undefined;
    if (next === undefined) return undefined;
    position = root.document.positions.get(next) ?? {
      ...position,
      node: next,
      pointer: `${position.pointer}/${pointerToken(name)}`,
    };
  }
  // A value that no keyword marks as a schema becomes one when it is referenced.
  if (!root.document.positions.has(position.node))
    return survey(position) ?? root.document.positions.get(position.node);
  return position;
}
