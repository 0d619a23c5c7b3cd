import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { generatedFiles } from './generated-files.js';

const added = suite('a field that is added to a message');
const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'authz-field-'));
const REQUEST = 'authz/request/v1/request.proto';
const RESPONSE = 'authz/response/v1/response.proto';

added.before(() => {
  cpSync(join(root, 'proto'), join(folder, 'proto'), { recursive: true });
  for (const used of ['node_modules', 'packages', 'runtime']) symlinkSync(join(root, used), join(folder, used));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  addFields(
    REQUEST,
    '  optional RequestContext request_context = 6;\n',
    '  // Whose data it is.\n  string tenant_id = 7 [(buf.validate.field).string.pattern = "^[a-z]*$"];\n  repeated AuxData others = 8;\n',
  );
  addFields(
    RESPONSE,
    '    repeated authz.engine.v1.OutputEntry outputs = 5;\n',
    '    repeated Resource parents = 6;\n',
  );
  addFields(
    RESPONSE,
    '  // A ULID that names this call in logs and in the audit log.\n  string authz_call_id = 3;\n',
    '  string served_by = 20;\n  map<string, string> labels = 21;\n',
  );
  for (const [name, generated] of generatedFiles(join(folder, 'proto'))) {
    const file = join(folder, 'proto/gen', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, generated);
  }
});

function addFields(file: string, after: string, fields: string): void {
  const path = join(folder, 'proto', file);
  const text = readFileSync(path, 'utf8');
  assert.is(text.split(after).length, 2, 'the field that the new ones follow');
  writeFileSync(path, text.replace(after, after + fields));
}

added.after(() => rmSync(folder, { recursive: true, force: true }));

/** The generated functions of the copy. */
interface Functions {
  readonly decodeCheckResourcesRequest: (bytes: Buffer) => Request;
  readonly encodeCheckResourcesRequest: (request: Request, writer: unknown) => Buffer;
  readonly checkResourcesRequestSize: (request: Request) => number;
  readonly readCheckResourcesRequest: (value: unknown, shape: unknown) => Request;
  readonly checkResourcesRequestViolations: (request: Request) => {
    readonly first: readonly { readonly field?: { readonly elements: readonly { readonly fieldName: string }[] } }[];
  };
  readonly printCheckResourcesResponse: (response: Response) => string;
  readonly encodeCheckResourcesResponse: (response: Response, writer: unknown) => Buffer;
  readonly decodeCheckResourcesResponse: (bytes: Buffer) => Response;
  readonly readCheckResourcesResponse: (value: unknown, name: string) => Response;
  readonly WireWriter: new () => unknown;
  readonly Shape: new () => unknown;
}

interface Request {
  readonly tenantId: string;
  readonly others: readonly { readonly jwts: ReadonlyMap<string, { readonly token: string }> }[];
}

interface Response {
  readonly requestId: string;
  readonly results: readonly {
    readonly resource: Parent;
    readonly actions: readonly { readonly action: string; readonly effect: 1 | 2 }[];
    readonly validationErrors: readonly [];
    readonly meta: undefined;
    readonly outputs: readonly [];
    readonly parents: readonly Parent[];
  }[];
  readonly authzCallId: string;
  readonly servedBy: string;
  readonly labels: ReadonlyMap<string, string>;
}

type Parent = { readonly [name in 'id' | 'kind' | 'policyVersion' | 'scope']: string };

async function functions(): Promise<Functions> {
  const contents = [
    'gen/wire/request',
    'gen/json/request',
    'gen/wire/response',
    'gen/json/response',
    'gen/validate/request',
    'wire/writer',
    'wire/json-shape',
  ]
    .map((path) => `export * from './proto/${path}.js';`)
    .join('\n');
  const { outputFiles } = buildSync({
    stdin: { contents, resolveDir: folder, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')}`);
}

added('is read from JSON by both spellings, written, measured, decoded and validated', async () => {
  const { Shape, WireWriter, ...generated } = await functions();
  for (const name of ['tenantId', 'tenant_id']) {
    const request = generated.readCheckResourcesRequest(
      { [name]: 'acme', others: [{ jwts: { a: { token: 't' } } }] },
      new Shape(),
    );
    assert.is(request.tenantId, 'acme');
    const bytes = generated.encodeCheckResourcesRequest(request, new WireWriter());
    assert.is(generated.checkResourcesRequestSize(request), bytes.length);
    const decoded = generated.decodeCheckResourcesRequest(bytes);
    assert.is(decoded.tenantId, 'acme');
    assert.is(decoded.others[0]?.jwts.get('a')?.token, 't');
  }
  const violations = generated.checkResourcesRequestViolations(
    generated.readCheckResourcesRequest({ tenantId: 'A1' }, new Shape()),
  );
  assert.ok(violations.first.some(({ field }) => field?.elements[0]?.fieldName === 'tenant_id'));
  assert.throws(
    () => generated.readCheckResourcesRequest({ tenantId: 1 }, new Shape()),
    /field `tenantId` must be a string/,
  );
});

added('of a response is printed, written, decoded and read', async () => {
  const { WireWriter, ...generated } = await functions();
  const resource = { id: '1', kind: 'album', policyVersion: '', scope: '' };
  const response: Response = {
    requestId: '',
    results: [
      {
        resource,
        actions: [{ action: 'view', effect: 1 }],
        validationErrors: [],
        meta: undefined,
        outputs: [],
        parents: [{ ...resource, id: '2' }],
      },
    ],
    authzCallId: 'ID',
    servedBy: 'a"',
    labels: new Map([['zone', '']]),
  };
  const json = generated.printCheckResourcesResponse(response);
  assert.is(
    json,
    '{"results":[{"resource":{"id":"1","kind":"album"},"actions":{"view":"EFFECT_ALLOW"},"parents":[{"id":"2","kind":"album"}]}],"authzCallId":"ID","servedBy":"a\\"","labels":{"zone":""}}',
  );
  assert.equal(generated.readCheckResourcesResponse(JSON.parse(json), 'response'), response);
  const bytes = generated.encodeCheckResourcesResponse(response, new WireWriter());
  assert.equal(generated.decodeCheckResourcesResponse(bytes), response);
});

added('has its type and its comment', () => {
  assert.match(
    readFileSync(join(folder, 'proto/gen/messages.ts'), 'utf8'),
    '  /** Whose data it is. */\n  readonly tenantId: string;\n  readonly others: readonly AuxData[];\n',
  );
  assert.match(readFileSync(join(folder, 'proto/gen/openapi.json'), 'utf8'), '"tenantId"');
});

added('leaves types that hold', () => {
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { noEmit: true, typeRoots: [join(root, 'node_modules/@types')] },
      include: ['proto/gen/wire', 'proto/gen/json', 'proto/gen/validate'],
    }),
  );
  execFileSync(process.execPath, [join(root, 'node_modules/typescript-7/bin/tsc'), '-p', folder], { encoding: 'utf8' });
});

added.run();
