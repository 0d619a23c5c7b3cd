/** A request as bytes (latin1) that tries to be decided as one request and served as another. */
export interface HostileRequest {
  readonly name: string;
  readonly bytes: string;
}

/** Paths that may be read as `/contacts/export`, `/admin` or a path without a route, but look like an allowed one. */
const PATHS = [
  ...['//contacts/1', '/contacts//1', '/contacts//export', '//admin', '///admin', '/contacts/1//', '/contacts/', '/'],
  ...['/contacts/./export', '/contacts/../admin', '/contacts/1/../export', '/contacts/1/../../admin', '/./contacts/1'],
  ...[
    '/../contacts/1',
    '/contacts/..',
    '/contacts/.',
    '/contacts/1/.',
    '/contacts/1/..',
    '/contacts/...',
    '/contacts/....//admin',
  ],
  ...[
    '/contacts/%2e%2e',
    '/contacts/%2e%2e/admin',
    '/contacts/%2E%2E%2Fadmin',
    '/contacts/.%2e/admin',
    '/contacts/%2e./admin',
  ],
  ...['/contacts/%2e', '/contacts/%252e%252e', '/contacts/%252e%252e%252fadmin', '/contacts/%25%32%65'],
  ...['/contacts/1%2f..%2f..%2fadmin', '/contacts/%2f', '/contacts/1%2Fnotes', '/contacts/..%2fadmin', '/contacts%2f1'],
  ...['/contacts/%2fadmin', '/contacts/%252f', '/contacts/..%252fadmin', '/%2fadmin', '/%2e%2e/admin'],
  ...[
    '/contacts/1\\..\\..\\admin',
    '/contacts\\1',
    '/contacts/..\\admin',
    '/contacts/%5c..%5cadmin',
    '/contacts/..%5cadmin',
  ],
  ...['/contacts/%255c', '/contacts/..%c0%af..%c0%afadmin', '/contacts/%c0%ae%c0%ae', '/contacts/%c1%9c'],
  ...[
    '/contacts/1;x',
    '/contacts;x/1',
    '/contacts/..;/admin',
    '/contacts/;/../admin',
    '/contacts/export;x',
    '/contacts/1%3bx',
  ],
  ...['/contacts/..%3b/admin', '/contacts/.;/export', '/contacts/;export', '/contacts/export%3b', '/;/contacts/1'],
  ...[
    '/contacts/EXPORT',
    '/contacts/Export',
    '/contacts/expor%74',
    '/contacts/%65xport',
    '/contacts/%45XPORT',
    '/CONTACTS/1',
  ],
  ...['/contacts/export/', '/contacts/export%20', '/contacts/export%00', '/contacts/export%0a', '/contacts/export%09'],
  ...['/contacts/export#', '/contacts/export?', '/contacts/export%3f', '/contacts/export%23', '/contacts/1#/../export'],
  ...['/contacts/1%00', '/contacts/1%00/../export', '/contacts/%0d%0aX-Authz-Principal:%20admin', '/contacts/%7f'],
  ...['/contacts/%', '/contacts/%1', '/contacts/%zz', '/contacts/%u0065xport', '/contacts/%ff', '/contacts/%ed%a0%80'],
  ...['/contacts/%ef%bc%8f..%ef%bc%8fadmin', '/contacts/%ef%bc%8e%ef%bc%8e', '/contacts/%e2%80%a4%e2%80%a4'],
  ...[
    '/contacts/%e2%81%84',
    '/contacts/%e2%88%95admin',
    '/contacts/%ef%bc%9b',
    '/contacts/%ef%bc%85',
    '/contacts/%c2%85',
  ],
  ...[
    '/contacts/\xff',
    '/contacts/\xc0\xaf',
    '/contacts/\x80',
    '/contacts/ex\x00port',
    '/contacts/export\x0b',
    '/contacts/\x7f',
  ],
  ...[
    '/contacts/export HTTP/1.1',
    '/contacts/ export',
    '/contacts/export\t',
    '/contacts\t/1',
    'contacts/1',
    'contacts/export',
  ],
  ...[
    'http://service/contacts/export',
    'http://service//contacts/export',
    'http://evil/contacts/1',
    'https://service/contacts/../admin',
  ],
  ...[
    'http://service',
    'http:///contacts/1',
    '*',
    '?',
    '#',
    '/contacts/1?/../../admin',
    '/contacts?/export',
    '/contacts/1?%0d%0aX: y',
  ],
  ...['/_authz_check', '/_authz/forward-auth', '/contacts/../_authz_check', '/_authz/ext-authz/contacts/1'],
  ...[
    `/contacts/${'../'.repeat(50)}admin`,
    `/contacts/${'a'.repeat(9000)}`,
    '/a'.repeat(100),
    `/contacts/${'%61'.repeat(1000)}`,
  ],
];

/** Headers beside `DELETE /contacts/1`, by which it may pass for a GET. */
const METHOD_HEADERS = [
  ...['X-Forwarded-Method: GET', 'x-forwarded-method: GET', 'X_Forwarded_Method: GET', 'X.Forwarded.Method: GET'],
  ...['X-Original-Method: GET', 'X_Original_Method: GET', 'X-Forwarded_Method: GET', 'X-Forwarded-Method : GET'],
  ...[
    'X-Forwarded-Method: GET\r\nX-Forwarded-Method: GET',
    'X-Forwarded-Method:\tGET',
    'X-Forwarded-Method: DELETE, GET',
  ],
  ...['X-HTTP-Method-Override: GET', 'X-HTTP-Method: GET', 'X-Method-Override: GET', ' X-Forwarded-Method: GET'],
  ...['X-Forwarded-Method: GET\r\n\tX: y', 'Connection: close, X-Forwarded-Method', 'Connection: X-Forwarded-Uri'],
];

/** Headers beside `GET /contacts/export` and `GET /admin`, by which they may pass for `/contacts/1`. */
const PATH_HEADERS = [
  ...[
    'X-Forwarded-Uri: /contacts/1',
    'x-forwarded-uri: /contacts/1',
    'X_Forwarded_Uri: /contacts/1',
    'X.Forwarded.Uri: /contacts/1',
  ],
  ...[
    'X-Original-Uri: /contacts/1',
    'X-Original-URL: /contacts/1',
    'X-Rewrite-URL: /contacts/1',
    'X-Forwarded-Path: /contacts/1',
  ],
  ...[
    'X-Forwarded-Uri: /contacts/1\r\nX-Forwarded-Uri: /contacts/1',
    'X-Forwarded-Prefix: /contacts',
    'X-Accel-Redirect: /contacts/1',
  ],
];

/** Headers beside `GET /contacts/1`, by which it may be served as another request or as another principal's. */
const SERVED_AS = [
  ...[
    'X-HTTP-Method-Override: DELETE',
    'X_HTTP_Method_Override: DELETE',
    'X-HTTP-Method: DELETE',
    'X-Method-Override: DELETE',
  ],
  ...[
    'X.HTTP.Method.Override: DELETE',
    'x-http-method-override: PUT',
    'X-Original-URL: /admin',
    'X-Rewrite-URL: /admin',
  ],
  ...['X_Original_URL: /admin', 'X.Rewrite.URL: /admin', 'X-Authz-Principal: admin', 'x-authz-principal: admin'],
  ...['X_Authz_Principal: admin', 'X.Authz.Principal: admin', 'X-Authz_Principal: admin', 'X-Authz-Roles: admin'],
  ...['X_Authz_Roles: admin', 'X.Authz.Roles: admin', 'x~authz~roles: admin', 'X-Authz-Department: board'],
  ...[
    'X_Authz_Department: board',
    'X.Authz.Department: board',
    'X-Authz-Principal : admin',
    ' X-Authz-Principal: admin',
  ],
  ...[
    'X-Authz-Principal: admin\r\nX-Authz-Principal: root',
    'Connection: close, X-Authz-Principal',
    'Connection: Authorization',
  ],
  ...['Connection: X-Authz-Principal, X-Authz-Roles', 'X-Authz-Roles: admin\r\n admin', "X'Authz'Principal: admin"],
  ...['X!Authz!Principal: admin', 'X*Authz*Roles: admin', 'X+Authz+Roles: admin', 'X|Authz|Principal: admin'],
];

/** Methods for `/contacts/1` that are not `GET`, and for `/contacts` those that have no route. */
const METHODS = [
  'HEAD',
  'OPTIONS',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'TRACE',
  'get',
  'GeT',
  'PROPFIND',
  'FOO',
  'GET\x00',
];

/** Requests within requests, for proxy and service to disagree on where one ends. */
function smuggled(authorization: string): readonly HostileRequest[] {
  const inner = `DELETE /contacts/1 HTTP/1.1\r\nHost: service\r\n${authorization}\r\n`;
  const outer = (headers: string, body: string): string =>
    `GET /contacts/1 HTTP/1.1\r\nHost: service\r\n${authorization}${headers}\r\n${body}`;
  const length = inner.length;
  return [
    ['pipelined', outer('', inner)],
    ['two lengths', outer(`Content-Length: 0\r\nContent-Length: ${length}\r\n`, inner)],
    ['length and chunks', outer(`Content-Length: ${length}\r\nTransfer-Encoding: chunked\r\n`, `0\r\n\r\n${inner}`)],
    ['chunks and length', outer('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', `0\r\n\r\n${inner}`)],
    ['odd chunks', outer('Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${inner}`)],
    ['chunks with a space', outer('Transfer-Encoding : chunked\r\n', `0\r\n\r\n${inner}`)],
    ['chunks twice', outer('Transfer-Encoding: chunked, identity\r\n', `0\r\n\r\n${inner}`)],
    ['body of a GET', outer(`Content-Length: ${length}\r\n`, inner)],
    [
      'chunked body of a GET',
      outer('Transfer-Encoding: chunked\r\n', `${length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`),
    ],
    ['upgrade', outer('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n', inner)],
    ['websocket', outer('Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n', inner)],
    ['bare line feeds', outer('', inner).replaceAll('\r\n', '\n')],
    ['HTTP/1.0', outer('', '').replace('HTTP/1.1', 'HTTP/1.0')],
    ['HTTP/0.9', 'GET /contacts/1\r\n'],
    ['no host', outer('', '').replace('Host: service\r\n', '')],
    ['two hosts', outer('Host: other\r\n', '')],
    ['two tokens', outer('Authorization: Bearer x.y.z\r\n', '')],
    ['alias of the token', outer('', '').replace('Authorization:', 'X_Authorization:')],
  ].map(([name, bytes]) => ({ name: name as string, bytes: bytes as string }));
}

/** All hostile requests with this token. */
export function hostileRequests(token: string): readonly HostileRequest[] {
  const authorization = `Authorization: Bearer ${token}\r\n`;
  const request = (name: string, line: string, header = ''): HostileRequest => ({
    name,
    bytes: `${line} HTTP/1.1\r\nHost: service\r\n${/^connection:/i.test(header) ? '' : 'Connection: close\r\n'}${authorization}${header === '' ? '' : `${header}\r\n`}\r\n`,
  });
  return [
    ...PATHS.map((path) => request('path', `GET ${path}`)),
    ...METHODS.map((method) => request('method', `${method} /contacts/1`)),
    ...METHODS.map((method) => request('method', `${method} /contacts`)),
    ...METHOD_HEADERS.map((header) => request(header, 'DELETE /contacts/1', header)),
    ...PATH_HEADERS.map((header) => request(header, 'GET /contacts/export', header)),
    ...PATH_HEADERS.map((header) => request(header, 'GET /admin', header)),
    ...SERVED_AS.map((header) => request(header, 'GET /contacts/1', header)),
    ...smuggled(authorization),
  ];
}
