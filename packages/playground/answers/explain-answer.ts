import { badge } from './check-answer.js';
import { element, inlineNodes } from '../dom.js';
import { at, toItems, type Json, toMembers, textOf } from '../json.js';

/** Why an action is allowed or denied: what decided, the rules that were asked, and what would flip the decision. */
export function explainAnswer(body: Json): HTMLElement {
  const isAllowed = textOf(at(body, ['effect'])) === 'EFFECT_ALLOW';
  const decision = isAllowed ? badge('Allowed', 'allow') : badge('Denied', 'deny');
  const deciding = toItems(at(body, ['decidedBy'])).map((rule) => [
    `${textOf(at(rule, ['rule']))} at`,
    placeNode(rule),
  ]);
  const reasons = at(body, ['isRejected']) === true ? [['the attributes violate the schema']] : deciding;
  const steps = toItems(at(body, ['steps']));
  return element(
    'section',
    { class: 'result' },
    element(
      'h3',
      {},
      decision,
      reasons.length === 0 ? ' no rule allows' : ' by ',
      ...reasons.flatMap((reason, index) => (index === 0 ? reason : [', ', ...reason])),
    ),
    steps.length === 0
      ? element('p', {}, ...inlineNodes(toSentence(textOf(at(body, ['unreached'])))))
      : element('ul', { class: 'tree', 'aria-label': 'Rules' }, ...steps.map(stepNode)),
    ...nearMissNodes(isAllowed, toItems(at(body, ['nearMisses', 'sets']))),
  );
}

/** A message as a sentence: with a capital letter and an end. */
function toSentence(message: string): string {
  return `${message.slice(0, 1).toUpperCase()}${message.slice(1)}${message.endsWith('?') ? '' : '.'}`;
}

/** Where something is written, on one line. In a tree, it is at the right edge. */
function placeNode(item: Json): HTMLElement {
  return element('span', { class: 'place' }, ` ${renderPlace(item)}`);
}

function renderPlace(item: Json): string {
  const place = at(item, ['place']);
  return `${textOf(at(place, ['file']))}:${JSON.stringify(at(place, ['line']) ?? 0)}`;
}

function stepNode(step: Json): HTMLElement {
  const role = textOf(at(step, ['role']));
  const scope = textOf(at(step, ['scope']));
  const words = [
    role === '' ? 'principal policy' : `as ${role}`,
    scope === '' ? '' : `scope ${scope}`,
    at(step, ['needsConsent']) === true ? 'needs consent' : '',
    at(step, ['isLimit']) === true ? 'role policy: denies actions that it does not list' : '',
  ];
  const rules = toItems(at(step, ['rules']));
  return branch(
    [element('span', {}, textOf(at(step, ['policy']))), quiet(words.filter((word) => word !== '').join(', '))],
    rules.map(ruleNode),
  );
}

const RESULTS: { readonly [result: string]: readonly [mark: string, text: string] } = {
  RULE_RESULT_APPLIES: ['✔', 'applies'],
  RULE_RESULT_DOES_NOT_APPLY: ['✘', 'does not apply'],
  RULE_RESULT_NOT_ACTIVE: ['✘', 'its derived role is not active'],
  RULE_RESULT_FAILS: ['!', 'fails, so the request is denied'],
};

function ruleNode(rule: Json): HTMLElement {
  const [mark, text] = RESULTS[textOf(at(rule, ['result']))] ?? ['?', ''];
  const isAllow = textOf(at(rule, ['effect'])) === 'EFFECT_ALLOW';
  const applies = textOf(at(rule, ['result'])) === 'RULE_RESULT_APPLIES';
  const inverted = at(rule, ['inverted']) === true ? ', where its condition does not hold' : '';
  const derivedRole = at(rule, ['derivedRole']);
  const condition = at(rule, ['condition']);
  return branch(
    [
      `${mark} ${textOf(at(rule, ['name']))} `,
      badge(isAllow ? 'ALLOW' : 'DENY', applies ? (isAllow ? 'allow' : 'deny') : 'idle'),
      quiet(`${text}${inverted}`, placeNode(rule)),
    ],
    [
      ...(derivedRole === undefined ? [] : [derivedRoleNode(derivedRole)]),
      ...(condition === undefined ? [] : [conditionNode(condition)]),
    ],
  );
}

function derivedRoleNode(role: Json): HTMLElement {
  const condition = at(role, ['condition']);
  const mark = at(role, ['isActive']) === true ? '✔' : '✘';
  return branch(
    [`${mark} derived role ${textOf(at(role, ['name']))}`, quiet('', placeNode(role))],
    condition === undefined ? [] : [conditionNode(condition)],
  );
}

const GROUPS: { readonly [kind: string]: string } = { KIND_ALL: 'all of', KIND_ANY: 'any of', KIND_NONE: 'none of' };

function conditionNode(condition: Json): HTMLElement {
  const result = at(condition, ['result']);
  const error = textOf(at(result, ['error']));
  const value = at(result, ['value']);
  const mark = error === '' ? (value === true ? '✔' : '✘') : '!';
  const group = GROUPS[textOf(at(condition, ['kind']))];
  const parts = toItems(at(condition, ['of'])).map(conditionNode);
  if (group !== undefined) return branch([`${mark} `, element('span', { class: 'operator' }, group)], parts);
  const read = toItems(at(condition, ['values'])).map((item) => `${textOf(at(item, ['text']))} is ${outcome(item)}`);
  const details = [
    textOf(at(condition, ['definition'])),
    textOf(at(condition, ['comparison'])),
    ...read,
    error === '' ? '' : `cannot be evaluated: ${error}`,
  ];
  return branch(
    [
      `${mark} `,
      element('span', { class: 'variable' }, textOf(at(condition, ['text']))),
      quiet(details.filter((text) => text !== '').join(' · '), placeNode(condition)),
    ],
    parts,
  );
}

function outcome(item: Json): string {
  const error = textOf(at(item, ['result', 'error']));
  return error === '' ? JSON.stringify(at(item, ['result', 'value']) ?? null) : `(${error})`;
}

/** A line of a tree; with parts below it, one that can be collapsed. */
function branch(line: readonly (HTMLElement | string)[], parts: readonly HTMLElement[]): HTMLElement {
  if (parts.length === 0) return element('li', {}, ...line);
  return element(
    'li',
    {},
    element('details', { open: true }, element('summary', {}, ...line), element('ul', {}, ...parts)),
  );
}

function quiet(text: string, ...after: readonly HTMLElement[]): HTMLElement | string {
  if (text === '' && after.length === 0) return '';
  return element('span', { class: 'meaning' }, text === '' ? '' : ` ${text}`, ...after);
}

function nearMissNodes(isAllowed: boolean, sets: readonly Json[]): readonly HTMLElement[] {
  if (sets.length === 0) return [];
  const items = sets.map((set) =>
    element('li', {}, ...toItems(at(set, ['changes'])).map((change) => element('span', {}, changeText(change)))),
  );
  const title = isAllowed ? 'Would be denied with' : 'Would be allowed with';
  return [element('div', { class: 'lines' }, element('h4', {}, title), element('ul', {}, ...items))];
}

function changeText(change: Json): string {
  const { from, to } = Object.fromEntries(toMembers(change));
  const shown = (value: Json | undefined): string => (value === undefined ? 'nothing' : JSON.stringify(value));
  return `${textOf(at(change, ['path']))}: ${shown(from)} → ${shown(to)}`;
}
