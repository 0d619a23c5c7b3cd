import type { Json } from '../playground/json.js';
import type { PlaygroundInput } from '../playground/playground/result.js';
import { writeFragment, packed } from '../playground/playground/fragment.js';
import { requestText } from '../playground/playground/request-text.js';
import { valueOfYaml } from '../yaml-input/index.js';

/* The policies of a guide, as it shows them, in the playground: a link that a reader of the guide can follow. */

/** A file of a guide: its path in a line, then its text in a block of code. */
const FILE = /^`policies\/([^`\n]+)`:\n+```(?:yaml|json)[^\n]*\n([\s\S]*?)^```$/gm;

/** The policies of a page with a request of its first test; undefined if it has no policies with a test. */
export function findPlayground(page: string): PlaygroundInput | undefined {
  const files = new Map<string, string>();
  for (const [, path = '', text = ''] of page.matchAll(FILE)) if (!files.has(path)) files.set(path, text);
  const suite = [...files].find(([path]) => /_test\.yaml$/.test(path))?.[1];
  const request = suite === undefined ? undefined : requestIn(valueOfYaml(suite) as Suite);
  if (request === undefined) return undefined;
  return { files: [...files].map(([path, text]) => ({ path, text })), request: requestText(request) };
}

/** A suite, as the guides write them. */
interface Suite {
  readonly principals: { readonly [name: string]: Json };
  readonly resources: { readonly [name: string]: Json };
  readonly tests: readonly {
    readonly options?: { readonly now?: string };
    readonly input: { readonly actions: readonly string[] };
    readonly expected: readonly Expected[];
  }[];
}

interface Expected {
  readonly principal?: string;
  readonly principals?: readonly string[];
  readonly resource?: string;
  readonly resources?: readonly string[];
  readonly actions: { readonly [action: string]: string };
}

/** The request about the first principal and resource to which a test allows something. */
function requestIn({ principals, resources, tests }: Suite): Json | undefined {
  for (const { options, input, expected } of tests)
    for (const { principal, principals: some, resource, resources: others, actions } of expected) {
      const who = principals[principal ?? some?.[0] ?? ''];
      const what = resources[resource ?? others?.[0] ?? ''];
      if (who === undefined || what === undefined || !Object.values(actions).includes('EFFECT_ALLOW')) continue;
      const now = options?.now === undefined ? {} : { now: options.now };
      return { ...now, principal: who, resource: what, actions: input.actions };
    }
  return undefined;
}

/** A page with a link to its policies in the playground, above its first section; the same page if it has none. */
export async function withPlaygroundLink(page: string, playgroundPath: string): Promise<string> {
  const state = findPlayground(page);
  if (state === undefined) return page;
  const fragment = writeFragment(await packed(state));
  const link = `<a href="${playgroundPath}${fragment}" target="_self">Open these policies in the playground</a>`;
  return page.replace(/^## /m, `${link}\n\n## `);
}

/** A page without that link, which is long, for programs that read the text. */
export function withoutPlaygroundLink(page: string): string {
  return page.replace(/^<a href="[^"]*#playground=[^"]*" target="_self">[^<]*<\/a>\n\n/m, '');
}
