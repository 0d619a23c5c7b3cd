import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A comment, in what both GitHub and GitLab have. */
export interface Comment {
  readonly id: number;
  body: string;
  /** Its author, on GitHub. */
  readonly user: { readonly login: string };
  /** Its author, on GitLab. */
  readonly author: { readonly id: number };
}

/** The API of a code host, as far as comments of one request go. */
export interface CommentServer {
  readonly url: string;
  readonly comments: Comment[];
  /** `POST /repos/a/b/issues/7/comments`, without the queries of lists. */
  readonly calls: string[];
  /** Whether tokens may only read. */
  isReadOnly: boolean;
  readonly close: () => Promise<void>;
}

const BOT = { user: { login: 'github-actions[bot]' }, author: { id: 42 } };

/** A comment of somebody else. */
export function foreignComment(id: number, body: string): Comment {
  return { id, body, user: { login: 'mallory' }, author: { id: 666 } };
}

/** Starts the API on loopback. Requests need the token `secret`. */
export async function commentServer(): Promise<CommentServer> {
  const comments: Comment[] = [];
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const { method = '' } = request;
    calls.push(`${method} ${pathname}`);
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const isKnown = request.headers.authorization === 'Bearer secret' || request.headers['private-token'] === 'secret';
    if (!isKnown) return answer(401, { message: 'Bad credentials' });
    if (pathname === '/user') return answer(200, BOT.author);
    if (method === 'GET') {
      const [size, page] = [Number(searchParams.get('per_page')), Number(searchParams.get('page'))];
      return answer(200, comments.slice((page - 1) * size, page * size));
    }
    if (own.isReadOnly) return answer(403, { message: 'Resource not accessible by integration' });
    const { body } = JSON.parse(await textOf(request)) as { readonly body: string };
    if (method === 'POST') {
      const comment = { id: 1000 + comments.length, body, ...BOT };
      comments.push(comment);
      return answer(201, comment);
    }
    const comment = comments.find(({ id }) => pathname.endsWith(`/${id}`));
    if (comment === undefined) return answer(404, {});
    comment.body = body;
    answer(200, comment);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own: CommentServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    comments,
    calls,
    isReadOnly: false,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return own;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
