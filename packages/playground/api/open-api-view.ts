import { jsonText } from '../calls/answer-view.js';
import { element } from '../dom.js';
import { at, toItems, type Json, toMembers, textOf } from '../json.js';
import { type Resolve, createResolver, schemaTree } from './schema-tree.js';

/** The OpenAPI document of a server for people: its operations by tag, each with its messages and examples. */
export function openApiView(document: Json): HTMLElement {
  const resolve = createResolver(document);
  const operations = toMembers(at(document, ['paths'])).flatMap(([path, item]) =>
    toMembers(item).map(([verb, operation]) => ({ path, verb, operation })),
  );
  const sections = toItems(at(document, ['tags'])).map((tag) => {
    const name = textOf(at(tag, ['name']));
    const own = operations.filter(({ operation }) => toItems(at(operation, ['tags'])).includes(name));
    return element(
      'section',
      { class: 'card', 'aria-label': name },
      element('h2', {}, name),
      element('p', { class: 'about' }, textOf(at(tag, ['description']))),
      ...own.map((one) => operationNode(one, resolve)),
    );
  });
  return element('div', { class: 'column' }, ...paragraphs(textOf(at(document, ['info', 'description']))), ...sections);
}

interface Operation {
  readonly path: string;
  readonly verb: string;
  readonly operation: Json;
}

function operationNode({ path, verb, operation }: Operation, resolve: Resolve): HTMLElement {
  const summary = [
    element('code', {}, `${verb.toUpperCase()} ${path}`),
    ' ',
    element('span', { class: 'meaning' }, textOf(at(operation, ['summary']))),
  ];
  return lazyDetails(summary, () => [
    ...paragraphs(textOf(at(operation, ['description']))),
    toItems(at(operation, ['security'])).length > 0
      ? element('p', { class: 'about' }, 'Requires the admin credentials (basic authentication).')
      : undefined,
    ...parameterNodes(toItems(at(operation, ['parameters'])).map(resolve), resolve),
    ...contentNodes('Request', at(operation, ['requestBody']), resolve),
    ...toMembers(at(operation, ['responses'])).map(([status, response]) => {
      const resolved = resolve(response);
      const line = [element('code', {}, status), ` ${textOf(at(resolved, ['description']))}`];
      return lazyDetails(line, () => contentNodes('Body', resolved, resolve));
    }),
  ]);
}

function parameterNodes(parameters: readonly Json[], resolve: Resolve): readonly HTMLElement[] {
  if (parameters.length === 0) return [];
  const nodes = parameters.map((parameter) =>
    element(
      'li',
      {},
      schemaTree(
        `${textOf(at(parameter, ['name']))} (${textOf(at(parameter, ['in']))})`,
        at(parameter, ['schema']) ?? {},
        {
          resolve,
          isRequired: at(parameter, ['required']) === true,
          description: textOf(at(parameter, ['description'])),
        },
      ),
    ),
  );
  return [element('h3', {}, 'Parameters'), element('ul', { class: 'tree' }, ...nodes)];
}

function contentNodes(title: string, body: Json | undefined, resolve: Resolve): readonly HTMLElement[] {
  return toMembers(at(body, ['content'])).flatMap(([mediaType, content]) => [
    element('h3', {}, `${title} `, element('span', { class: 'id' }, mediaType)),
    element('div', { class: 'tree' }, schemaTree('', at(content, ['schema']) ?? {}, { resolve, isOpen: true })),
    ...toMembers(at(content, ['examples'])).map(([, example]) =>
      lazyDetails([`Example: ${textOf(at(example, ['summary']))}`], () => [jsonText(at(example, ['value']) ?? null)]),
    ),
  ]);
}

/** Details whose content is made when they are first opened. */
function lazyDetails(
  summary: readonly (HTMLElement | string)[],
  make: () => readonly (HTMLElement | undefined)[],
): HTMLElement {
  const content = element('div', { class: 'content below' });
  const details = element('details', { class: 'operation' }, element('summary', {}, ...summary), content);
  details.addEventListener('toggle', () => {
    if (details.open && content.childElementCount === 0) content.append(...make().filter((node) => node !== undefined));
  });
  return details;
}

function paragraphs(text: string): readonly HTMLElement[] {
  return text
    .split('\n\n')
    .filter((part) => part !== '')
    .map((part) => element('p', {}, part));
}
