import type { Program, Schema } from '../../../compiler/ir/program.js';
import { sanitize } from '../../../runtime/policy/index.js';
import type { ClientView } from './view.js';

/** The keyword of a property of a JSON schema whose attribute a browser may know. */
const MARK = 'x-authz-client';

/**
 * A view with the attributes that JSON schemas of the policies mark with `x-authz-client: true`, beside those that it
 * lists.
 * @param schemas the texts of the schemas, by file.
 */
export function withMarkedAttributes(
  view: ClientView,
  { modules }: Pick<Program, 'modules'>,
  schemas: ReadonlyMap<string, string>,
): ClientView {
  const ofPrincipals = new Set(view.principal.attributes);
  const kinds = Object.entries(view.kinds).map(([kind, own]) => {
    const attributes = new Set(own.attributes);
    for (const module of modules) {
      if (module.kind !== 'resource' || module.kindName !== sanitize(kind)) continue;
      for (const name of markedIn(module.schemas.resource, schemas)) attributes.add(name);
      for (const name of markedIn(module.schemas.principal, schemas)) ofPrincipals.add(name);
    }
    return [kind, { ...own, attributes: [...attributes] }] as const;
  });
  return { ...view, kinds: Object.fromEntries(kinds), principal: { attributes: [...ofPrincipals] } };
}

function markedIn(schema: Schema | undefined, schemas: ReadonlyMap<string, string>): readonly string[] {
  if (schema === undefined || !('file' in schema.validator)) return [];
  const { file, pointer } = schema.validator;
  const text = schemas.get(file);
  if (text === undefined) return [];
  const document: unknown = JSON.parse(text);
  const found: string[] = [];
  const seen = new Set<unknown>();
  const visit = (part: unknown): void => {
    if (!isRecord(part) || seen.has(part)) return;
    seen.add(part);
    const { properties, allOf, $ref: target } = part;
    if (isRecord(properties))
      for (const [name, property] of Object.entries(properties))
        if (isRecord(property) && property[MARK] === true) found.push(name);
    if (Array.isArray(allOf)) allOf.forEach(visit);
    if (typeof target === 'string' && target.startsWith('#'))
      visit(below(document, decodeURIComponent(target.slice(1))));
  };
  visit(below(document, pointer));
  return found;
}

/** The value at a JSON pointer. */
function below(document: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (value, step) =>
        typeof value === 'object' && value !== null
          ? (value as { readonly [name: string]: unknown })[step.replaceAll('~1', '/').replaceAll('~0', '~')]
          : undefined,
      document,
    );
}

function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
