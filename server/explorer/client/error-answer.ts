import type { Answer } from './ask.js';
import { element } from './dom.js';
import { at, textOf } from './json.js';

/** What a server says that did not decide. */
export function errorAnswer({ body, text }: Answer): HTMLElement {
  const code = at(body, ['code']);
  const message = body === undefined ? text : textOf(at(body, ['message']));
  return element(
    'section',
    { class: 'result failed' },
    element('h3', {}, code === undefined ? 'No answer to this request' : `Error, code ${JSON.stringify(code)}`),
    element('p', { class: 'message' }, message),
  );
}
