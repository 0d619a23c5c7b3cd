import { fetchNames } from '../calls/policy-names.js';
import { element } from '../dom.js';
import { tabs } from '../tabs.js';
import { askedView } from './asked-view.js';
import { decisionView } from './decision-view.js';
import { diffNodes } from './diff-view.js';
import { editor } from './editor.js';
import type { PlaygroundInput, PlaygroundResult, Problem } from './result.js';
import { Evaluator } from './evaluator.js';
import { filesBar } from './files-bar.js';
import { exampleIn, FRAGMENT, writeFragment, packed, stateIn, unpacked } from './fragment.js';
import type { Example } from './gallery/example.js';
import { galleryBar } from './gallery-bar.js';
import { generatedView } from './generated-view.js';
import { linkButton } from './link-button.js';
import { matrixNodes } from './matrix-view.js';
import { pane } from './pane.js';
import { planView } from './plan-view.js';
import { problemsView } from './problems-view.js';
import { beginning, firstPolicy } from './server-policies.js';
import type { TextPlace } from './questions.js';
import { splitter } from './splitter.js';
import { testsView } from './tests-view.js';
import { WorkerClient } from './worker-client.js';

/** The delay of an evaluation after the last key, in milliseconds. */
const PAUSE = 250;

/** Where the panes are one below the other: the request is folded, so that the decision is seen. */
const PHONE = '(max-width: 43.99rem)';

/**
 * Policies, schemas, tests and a request to edit, and what the compiler and the engine in this page say of them.
 *
 * @param isServed whether a server shows the page: its admin can load its policies.
 * @param isLocal whether that server shows its policies to anybody: the page begins with them.
 */
export function playground({
  isServed,
  isLocal,
}: {
  readonly isServed: boolean;
  readonly isLocal: boolean;
}): HTMLElement {
  let files = new Map<string, string>();
  let opened = '';
  let problems: readonly Problem[] = [];
  let timer = 0;
  /** What was loaded last: changes are those since then. */
  let loaded: PlaygroundInput['files'] = [];

  const language = new WorkerClient();
  const place = (offset: number): TextPlace => ({ files: input().files, path: opened, offset });
  const policyEditor = editor({
    onChange: (text) => {
      files.set(opened, text);
      changed();
    },
    questions: {
      complete: (offset) => language.ask('complete', place(offset)),
      hover: (offset) => language.ask('hover', place(offset)),
    },
    format: () => void format(),
  });
  const requestEditor = editor({ onChange: () => changed() });
  const notice = element('p', { class: 'note', role: 'alert' });
  const problemList = problemsView(goTo);
  const stale = element('p', { class: 'stale-note', role: 'status' });
  const views = { decision: decisionView(), plan: planView(), generated: generatedView(), tests: testsView() };
  const review = new WorkerClient();
  const matrix = askedView((asks: PlaygroundInput['files']) => review.ask('matrix', asks), matrixNodes);
  const changes = askedView(
    (asks: PlaygroundInput['files']) => review.ask('diff', { before: loaded, after: asks }),
    (found) => diffNodes(found, showRequest),
  );
  const gallery = galleryBar(loadExample);
  const bar = filesBar({
    open: openFile,
    add: (path) => {
      if (!files.has(path)) files.set(path, '');
      openFile(path);
      changed();
    },
    remove: () => {
      files.delete(opened);
      policyEditor.keep([...files.keys()]);
      openFile(files.keys().next().value ?? emptyFile());
      changed();
    },
  });

  const input = (): PlaygroundInput => ({
    files: [...files].map(([path, text]) => ({ path, text })),
    request: requestEditor.text(),
  });
  const evaluator = new Evaluator(show, (reason) => problemList.fail(`The policies could not be evaluated: ${reason}`));

  function changed(): void {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => {
      evaluator.evaluate(input());
      void remember();
    }, PAUSE);
  }

  async function remember(): Promise<void> {
    const state = await packed(input());
    notice.textContent = state === undefined ? 'These files are too long for a link.' : '';
    history.replaceState(undefined, '', writeFragment(state));
  }

  let hasShown = false;
  /** Shows a result; in place of one that has no answer, the last one remains, with the reason. */
  function show(result: PlaygroundResult): void {
    problems = result.problems;
    problemList.show(problems);
    policyEditor.reveal();
    mark();
    const { answer, generated } = result;
    const reason =
      generated === undefined
        ? 'The policies do not compile. This is the last result.'
        : answer?.kind === 'refused'
          ? `${answer.reason}. This is the last result.`
          : '';
    const keepsLast = hasShown && reason !== '';
    results.classList.toggle('stale', keepsLast);
    stale.textContent = keepsLast ? reason : '';
    if (generated !== undefined) {
      const { files: current } = input();
      matrix.update(current);
      changes.update(current);
    }
    if (generated !== undefined || !hasShown) {
      views.generated.show(generated);
      views.tests.show(result.tests, generated !== undefined);
    }
    if (keepsLast) return;
    hasShown = answer?.kind === 'answered';
    views.decision.show(answer);
    views.plan.show(answer);
  }

  async function format(): Promise<void> {
    const text = policyEditor.text();
    const change = await language.ask('format', { path: opened, text });
    if (change !== undefined && policyEditor.text() === text) policyEditor.change(change);
  }

  function mark(): void {
    policyEditor.mark(
      problems.flatMap(({ path, place, severity, code, text }) =>
        path === opened && place !== undefined
          ? [{ from: place.start, to: Math.max(place.end, place.start), severity, source: code, message: text }]
          : [],
      ),
    );
  }

  function goTo({ path, place }: Problem): void {
    if (path === undefined || !files.has(path)) return;
    openFile(path);
    policyEditor.goTo(place?.start ?? 0);
  }

  function openFile(path: string): void {
    opened = path;
    bar.show(files.keys(), path);
    policyEditor.open(path, files.get(path) ?? '', `Text of ${path}`);
    mark();
  }

  /** Shows other policies and their request; nothing remains of those before. */
  function load(state: PlaygroundInput, toOpen = firstPolicy(state.files)): void {
    window.clearTimeout(timer);
    files = new Map(state.files.map(({ path, text }) => [path, text]));
    loaded = state.files;
    policyEditor.keep([]);
    requestEditor.keep([]);
    problems = [];
    hasShown = false;
    notice.textContent = '';
    openFile(toOpen ?? emptyFile());
    requestEditor.open('request.json', state.request, 'Request');
    evaluator.evaluate(input());
  }

  function showRequest(request: string): void {
    requestEditor.open('request.json', request, 'Request');
    changed();
  }

  function emptyFile(): string {
    files.set('policy.yaml', '');
    return 'policy.yaml';
  }

  function loadExample(example: Example): void {
    load(example);
    history.replaceState(undefined, '', writeFragment(`example:${example.name}`));
  }

  async function loadFromAddress(): Promise<void> {
    const state = stateIn(location.hash);
    const { GALLERY, FIRST } = await gallery.ready;
    const showFirst = (reason: string): void => {
      gallery.show(FIRST.name);
      load(FIRST);
      notice.textContent = reason;
    };
    if (state === undefined) {
      if (!isLocal) return showFirst('');
      return loadFromServer().catch((error: unknown) => {
        showFirst(`The server does not show its policies: ${errorReason(error)}`);
      });
    }
    try {
      const name = exampleIn(state);
      const example = GALLERY.find((one) => one.name === name);
      if (name !== undefined && example === undefined) throw new Error(`there is no example \`${name}\``);
      gallery.show(example?.name);
      load(example ?? (await unpacked(state)));
    } catch (error) {
      showFirst(`The link cannot be read, so this is the example: ${errorReason(error)}`);
    }
  }

  async function loadFromServer(): Promise<void> {
    notice.textContent = '';
    // The browser asks for the credentials of the admin.
    const response = await fetch('explorer/policies.json');
    const answer = (await response.json()) as { readonly files?: PlaygroundInput['files']; readonly message?: string };
    if (answer.files === undefined) throw new Error(answer.message ?? String(response.status));
    // Tests that cannot be run say so in their view.
    const tested = await review.ask('begin', answer.files).catch(() => undefined);
    const { request, path } = beginning(answer.files, await fetchNames(), tested);
    gallery.show(undefined);
    load({ files: answer.files, request }, path);
    history.replaceState(undefined, '', FRAGMENT);
  }

  const fromServer = element(
    'button',
    {
      type: 'button',
      onclick: () => {
        loadFromServer().catch((error: unknown) => {
          notice.textContent = `The server does not show its policies: ${errorReason(error)}`;
        });
      },
    },
    'Load the policies of the server',
  );

  const formatButton = element(
    'button',
    { type: 'button', class: 'quiet', title: 'Shift + Alt + F', onclick: () => void format() },
    'Format',
  );
  const edited = element(
    'div',
    { class: 'edited' },
    pane(
      { id: 'policies', title: 'Policies', controls: [...bar.controls, formatButton] },
      bar.form,
      policyEditor.node,
      problemList.node,
    ),
    splitter({
      label: 'Height of the policies',
      orientation: 'horizontal',
      property: '--policies-height',
      initial: 62,
    }),
    pane({ id: 'request', title: 'Request', isFolded: matchMedia(PHONE).matches }, requestEditor.node),
  );
  const results = element(
    'section',
    { class: 'pane results', 'aria-label': 'Results' },
    tabs('Results', [
      { name: 'decision', title: 'Decision', content: views.decision.node },
      { name: 'filter', title: 'Plan', content: views.plan.node },
      { name: 'generated', title: 'TypeScript', content: views.generated.node, onShow: views.generated.shown },
      { name: 'tests', title: 'Tests', content: views.tests.node },
      { name: 'matrix', title: 'Matrix', content: matrix.node, onShow: matrix.shown },
      { name: 'changes', title: 'Changes', content: changes.node, onShow: changes.shown },
    ]),
    stale,
  );
  void loadFromAddress();
  window.addEventListener('hashchange', () => {
    if (stateIn(location.hash) !== undefined) void loadFromAddress();
  });
  return element(
    'div',
    { class: 'playground' },
    element(
      'div',
      { class: 'toolbar' },
      gallery.node,
      element('div', { class: 'toolbar-end' }, isServed ? fromServer : undefined, linkButton(remember)),
    ),
    notice,
    element(
      'div',
      { class: 'panes' },
      edited,
      splitter({
        label: 'Width of the policies and the request',
        orientation: 'vertical',
        property: '--edited-width',
        initial: 50,
      }),
      results,
    ),
  );
}

function errorReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
