import type { TextFile } from '../../../compiler/policy-texts.js';
import { exampleActions, exampleOne, examplePrincipal, type KindNames } from '../calls/policy-names.js';
import type { TestedRequest } from './questions.js';
import { requestText } from './request-text.js';

/**
 * How the playground begins with the policies of a server: a request, and the policy that it is about.
 *
 * @param tested a request of the tests of the server, which shows more than one that is made up.
 */
export function beginning(
  files: readonly TextFile[],
  [names]: readonly KindNames[],
  tested: TestedRequest | undefined,
): { readonly request: string; readonly path: string | undefined } {
  const known = names ?? { kind: 'resource', actions: [], roles: [], policyVersions: [], scopes: [] };
  const { kind, request } = tested ?? {
    kind: known.kind,
    request: requestText({
      principal: examplePrincipal(known),
      resource: exampleOne(known),
      actions: exampleActions(known),
    }),
  };
  const about = files.find(({ text }) => RESOURCE.exec(text)?.[1] === kind);
  return { request, path: about?.path ?? firstPolicy(files) };
}

const RESOURCE = /^\s+"?resource"?:\s*["']?([^\s"',#]+)/m;

/** The path of the file to open at first: a policy, if there is one. */
export function firstPolicy(files: readonly TextFile[]): string | undefined {
  const isPolicy = ({ path }: TextFile): boolean => /\.(?:ya?ml|json)$/.test(path) && !OTHER.test(path);
  return (files.find((file) => RESOURCE.test(file.text) && isPolicy(file)) ?? files.find(isPolicy) ?? files[0])?.path;
}

/** Schemas, suites and fixtures. */
const OTHER = /^_schemas\/|_test\.[a-z]+$|(?:^|\/)testdata\//;
