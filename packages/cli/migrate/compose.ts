import { isMap, isScalar, type Pair, type Scalar, stringify } from '../../yaml-input/index.js';
import type { Finding } from './steps.js';
import { lineAt, nodeAt, parseYaml, textAt } from './yaml-edits.js';

/** The image that serves a mounted folder: the stage `folder` of the Dockerfile. */
export const FOLDER_IMAGE = 'authz-folder';

const REFERENCE_IMAGE = /(?:^|\/)cerbos\/cerbos(?:[:@].*)?$/;

/** A service of a compose file that ran the reference PDP. */
export interface ComposeService {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  readonly image: string;
  /** The service with our image, as YAML. */
  readonly text: string;
  readonly findings: readonly Finding[];
}

/** Whether a file has the name of a compose file. */
export function isComposeFile(path: string): boolean {
  return /(?:^|\/)(?:docker-)?compose(?:[.-][\w.-]+)?\.ya?ml$/i.test(path);
}

/** The services of a compose file that run the reference PDP. */
export function composeServices(path: string, text: string): readonly ComposeService[] {
  const yaml = parseYaml(text);
  return (yaml?.documents ?? []).flatMap((document) => {
    const services = nodeAt(document.contents, ['services']);
    if (!isMap(services)) return [];
    return (services.items as Pair<Scalar, unknown>[]).flatMap(({ key, value }): readonly ComposeService[] => {
      const image = isMap(value) ? textAt(value, ['image']) : undefined;
      if (!isScalar(key) || image === undefined || !REFERENCE_IMAGE.test(image)) return [];
      const name = String(key.value);
      const service = (document.toJS() as { readonly services: { readonly [name: string]: object } }).services[name];
      const node = nodeAt(services, [name, 'image']);
      const line = lineAt(text, node?.range?.[0] ?? 0);
      return [
        {
          path,
          line,
          name,
          image,
          text: stringify(
            { services: { [name]: { ...service, image: FOLDER_IMAGE } } },
            { lineWidth: 0, version: '1.1' },
          ),
          findings: unknownFlags(service ?? {}).map((flag) => ({
            kind: 'finding',
            topic: 'containers',
            path,
            line,
            what: flag,
            advice: 'remove this flag: the image does not have it',
          })),
        },
      ];
    });
  });
}

/** A service for a folder, where there was none. */
export function newService(folder: string): string {
  return stringify(
    {
      services: {
        authz: {
          image: FOLDER_IMAGE,
          ports: ['3592:3592', '3593:3593'],
          volumes: [`${folder === '.' ? '.' : `./${folder}`}:/policies:ro`],
        },
      },
    },
    { lineWidth: 0, version: '1.1' },
  );
}

/** The flags of `server` in the reference that `authzc server` has, too. */
const FLAGS = new Set([
  '--config',
  '--set',
  '--log-level',
  '--host-port',
  '--kind',
  '--no-tls',
  '--insecure',
  '--timeout',
  '--ca-cert',
]);

function unknownFlags(service: object): readonly string[] {
  const { command, entrypoint } = service as { readonly command?: unknown; readonly entrypoint?: unknown };
  const words = [entrypoint, command].flatMap((part) =>
    Array.isArray(part) ? part.map(String) : String(part ?? '').split(/\s+/),
  );
  return words.filter((word) => word.startsWith('--') && !FLAGS.has(word.replace(/=.*$/s, '')));
}
