import type { Answer } from './ask.js';
import { element } from '../dom.js';
import { at, type Json, textOf } from '../json.js';
import { curlCommand, type SentRequest, typescriptModule } from './snippets.js';

/** The area that shows responses. */
export interface AnswerView {
  readonly node: HTMLElement;
  readonly waiting: () => void;
  /** Shows a response, if it is successful by `showBody`, and how to send the same request. */
  readonly show: (answer: Answer, sent: SentRequest, showBody: (body: Json) => HTMLElement) => void;
  readonly unreachable: (reason: string) => void;
}

/** A view whose changes are announced to screen readers. */
export function answerView(): AnswerView {
  const status = element('p', { class: 'status', role: 'status' });
  const content = element(
    'div',
    { class: 'content' },
    element('p', { class: 'empty' }, 'Send the request to see the response.'),
  );
  const node = element(
    'section',
    { class: 'answer card', 'aria-label': 'Answer' },
    element('div', { class: 'bar' }, element('h2', {}, 'Answer'), status),
    content,
  );
  const say = (text: string, kind: 'good' | 'bad' | 'busy'): void => {
    status.textContent = text;
    status.className = `status ${kind}`;
  };
  return {
    node,
    waiting: () => say('Waiting…', 'busy'),
    show: (answer, sent, showBody) => {
      const isGood = answer.status >= 200 && answer.status < 300 && answer.body !== undefined;
      say(
        `${answer.status} ${answer.statusText} · ${answer.time.toFixed(1)} ms · ${sizeText(answer.size)}`,
        isGood ? 'good' : 'bad',
      );
      content.replaceChildren(
        isGood ? showBody(answer.body as Json) : errorAnswer(answer),
        ...bodyNodes(answer),
        ...snippetNodes(sent),
      );
    },
    unreachable: (reason) => {
      say('The server is not reachable', 'bad');
      content.replaceChildren(element('p', { class: 'message' }, reason));
    },
  };
}

function bodyNodes({ body }: Answer): readonly HTMLElement[] {
  if (body === undefined) return [];
  const text = jsonText(body);
  return [element('div', { class: 'bar' }, element('h3', {}, 'Response'), copyButton(text)), text];
}

function snippetNodes(sent: SentRequest): readonly HTMLElement[] {
  return [
    ['From a shell', 'Command line', curlCommand(sent)],
    ['In TypeScript', 'TypeScript', typescriptModule(sent)],
  ].flatMap(([title = '', label, text]) => {
    const code = element('pre', { class: 'code wrap', tabindex: 0, 'aria-label': label }, text);
    return [element('div', { class: 'bar' }, element('h3', {}, title), copyButton(code)), code];
  });
}

function sizeText(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`;
}

/** The response of a server that did not decide. */
function errorAnswer({ body, text }: Answer): HTMLElement {
  const code = at(body, ['code']);
  const message = body === undefined ? text : textOf(at(body, ['message']));
  return element(
    'section',
    { class: 'result failed' },
    element('h3', {}, code === undefined ? 'No response to this request' : `Error, code ${JSON.stringify(code)}`),
    element('p', { class: 'message' }, message),
    ...(code === UNIMPLEMENTED && /^Admin service|^explaining/.test(message)
      ? [element('p', { class: 'hint' }, ADVICE)]
      : []),
  );
}

/** The code of what a server does not offer. */
const UNIMPLEMENTED = 12;

const ADVICE =
  'On your machine, `authzc dev` explains without credentials. Other servers explain to the admin: set `server.explain.enabled`, and add the keys that `authzc admin hash` prints.';

/** A value as indented text with highlighted tokens. */
export function jsonText(value: Json): HTMLElement {
  const pre = element('pre', { class: 'code', tabindex: 0, 'aria-label': 'JSON' });
  const text = JSON.stringify(value, undefined, 2);
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    pre.append(text.slice(end, match.index), element('span', { class: selectClass(match) }, match[0]));
    end = match.index + match[0].length;
  }
  pre.append(text.slice(end));
  return pre;
}

/** Strings, with the colon that distinguishes a name from a value, and all other tokens. */
const TOKEN = /("(?:[^"\\]|\\.)*")(?=(:)?)|-?\d[\d.eE+-]*|true|false|null/g;

function selectClass([, text, colon]: RegExpExecArray): string {
  if (text === undefined) return 'json-word';
  return colon === undefined ? 'json-text' : 'json-name';
}

/**
 * A button that copies a string; where the browser does not allow it (no secure context), it selects the node that
 * shows it.
 */
function copyButton(shown: HTMLElement): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'quiet' }, 'Copy');
  button.addEventListener('click', () => {
    const say = (text: string): void => {
      button.textContent = text;
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 1500);
    };
    const select = (): void => {
      getSelection()?.selectAllChildren(shown);
      say('Selected');
    };
    if (navigator.clipboard === undefined) select();
    else navigator.clipboard.writeText(shown.textContent ?? '').then(() => say('Copied'), select);
  });
  return button;
}
