import { badge } from './check-answer.js';
import { element } from './dom.js';
import { filterTree } from './filter-tree.js';
import { at, type Json, textOf } from './json.js';

/** What a plan leaves to be asked of each resource. */
export function planAnswer(body: Json): HTMLElement {
  const kind = textOf(at(body, ['filter', 'kind']));
  const condition = at(body, ['filter', 'condition']);
  const debug = textOf(at(body, ['meta', 'filterDebug']));
  return element(
    'section',
    { class: 'result' },
    element('h3', {}, `${textOf(at(body, ['resourceKind']))} `, OUTCOMES[kind]?.() ?? kind),
    condition === undefined ? undefined : filterTree(condition),
    debug === '' || condition === undefined ? undefined : element('p', { class: 'code debug' }, debug),
  );
}

const OUTCOMES: { readonly [kind: string]: () => HTMLElement } = {
  KIND_ALWAYS_ALLOWED: () => badge('Always allowed', 'allow'),
  KIND_ALWAYS_DENIED: () => badge('Always denied', 'deny'),
  KIND_CONDITIONAL: () => badge('Allowed where this holds', 'depends'),
};
