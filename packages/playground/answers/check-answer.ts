import { breakable, element } from '../dom.js';
import { at, toItems, type Json, toMembers, textOf } from '../json.js';

/** The decisions of a check, resource by resource. */
export function checkAnswer(body: Json): HTMLElement {
  return element('div', {}, ...toItems(at(body, ['results'])).map(resultNode));
}

/** A decision as a word in its colour; `idle` for the effect of a rule that does not apply. */
export function badge(text: string, kind: 'allow' | 'deny' | 'depends' | 'idle'): HTMLElement {
  return element('span', { class: `badge ${kind}` }, text);
}

function resultNode(result: Json): HTMLElement {
  const { kind, id } = { kind: textOf(at(result, ['resource', 'kind'])), id: textOf(at(result, ['resource', 'id'])) };
  const hasMeta = at(result, ['meta']) !== undefined;
  const rows = toMembers(at(result, ['actions'])).map(([action, effect]) =>
    actionRow(action, textOf(effect), at(result, ['meta', 'actions', action]), hasMeta),
  );
  const head = ['Action', 'Decision', ...(hasMeta ? ['Policy', 'Scope'] : [])].map((title) =>
    element('th', { scope: 'col' }, title),
  );
  return element(
    'section',
    { class: 'result' },
    element('h3', {}, `${kind} `, element('span', { class: 'id' }, id)),
    table(head, rows),
    lines(
      'Derived roles',
      toItems(at(result, ['meta', 'effectiveDerivedRoles'])).map((role) => [textOf(role)]),
    ),
    lines('Outputs', toItems(at(result, ['outputs'])).map(outputLine)),
    lines(
      'Attributes that violate the schema',
      toItems(at(result, ['validationErrors'])).map((error) => [
        `${textOf(at(error, ['source']))} ${textOf(at(error, ['path']))}: ${textOf(at(error, ['message']))}`,
      ]),
    ),
  );
}

/** A table; where it is wider than the window, it scrolls alone. */
export function table(head: readonly HTMLElement[], rows: readonly HTMLElement[]): HTMLElement {
  const content = element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows));
  return element('div', { class: 'scrollable', tabindex: 0 }, content);
}

function actionRow(action: string, effect: string, meta: Json | undefined, hasMeta: boolean): HTMLElement {
  const decision = effect === 'EFFECT_ALLOW' ? badge('Allowed', 'allow') : badge('Denied', 'deny');
  const cells = hasMeta ? [textOf(at(meta, ['matchedPolicy'])), textOf(at(meta, ['matchedScope'])) || '–'] : [];
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, ...breakable(action)),
    element('td', {}, decision),
    ...cells.map((cell) => element('td', { class: 'code' }, ...breakable(cell))),
  );
}

function outputLine(output: Json): readonly string[] {
  const error = textOf(at(output, ['error']));
  return [
    `${textOf(at(output, ['action']))} · ${textOf(at(output, ['src']))}`,
    error === '' ? JSON.stringify(at(output, ['val']) ?? null) : `failed: ${error}`,
  ];
}

function lines(title: string, items: readonly (readonly string[])[]): HTMLElement | undefined {
  if (items.length === 0) return undefined;
  const nodes = items.map((words) => element('li', {}, ...words.map((word) => element('span', {}, word))));
  return element('div', { class: 'lines' }, element('h4', {}, title), element('ul', {}, ...nodes));
}
