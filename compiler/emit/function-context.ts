import { type Doc, group, hardLine, indent, line, softLine, whenBroken } from './doc.js';
import type { ModuleContext, Style } from './module-context.js';
import { camelCase } from './names.js';

/** The parts of a request that a function may take apart, and the name each has in its body. */
const PARTS = {
  P: 'principal: P',
  R: 'resource: R',
  auxData: 'auxData',
  G: 'globals: G',
  effectiveDerivedRoles: 'effectiveDerivedRoles',
} as const;
export type Part = keyof typeof PARTS;

/** A comprehension variable in scope: its JavaScript name, and whether it is plain JSON. */
export interface Local {
  readonly name: string;
  readonly json: boolean;
}

/** A function being printed: what it has asked for so far decides its parameters. */
export interface FunctionContext {
  readonly module: ModuleContext;
  readonly style: Style;
  readonly locals: ReadonlyMap<string, Local>;
  readonly used: Set<Part | 'request'>;
}

export function functionContext(module: ModuleContext, style: Style): FunctionContext {
  return { module, style, locals: new Map(), used: new Set() };
}

/** Marks a part as used and gives its name. */
export function use(context: FunctionContext, part: Part | 'request'): string {
  context.used.add(part);
  return part;
}

/** The context inside a macro that binds names; inner names shadow outer ones. */
export function withLocals(
  context: FunctionContext,
  variables: readonly string[],
  json: boolean,
): { readonly inner: FunctionContext; readonly parameters: string } {
  const locals = new Map(context.locals);
  const taken = new Set([...locals.values()].map(({ name }) => name));
  const names = variables.map((variable) => {
    let name = camelCase(variable, 'item');
    while (taken.has(name) || context.module.names.has(name)) name += '_';
    taken.add(name);
    locals.set(variable, { name, json });
    return name;
  });
  const parameters = names.map((name) => (json ? `${name}: cel.Json` : name)).join(', ');
  return { inner: { ...context, locals }, parameters: `(${parameters})` };
}

/**
 * An arrow function of one request: its parts are taken apart in the parameter where they are all it needs, and in a
 * statement where it needs the request as well.
 *
 * @param annotate whether the parameter's type is to be written, where nothing implies it.
 */
export function requestFunction(context: FunctionContext, body: Doc, annotate: 'with types' | 'types implied'): Doc {
  const parts = (Object.keys(PARTS) as Part[]).filter((part) => context.used.has(part)).map((part) => PARTS[part]);
  const type = annotate === 'with types' ? ': Request' : '';
  const result = annotate === 'with types' ? ': cel.Result' : '';
  const needsRequest = context.used.has('request');
  if (needsRequest && parts.length > 0) {
    const statements = [`const { ${parts.join(', ')} } = request;`, hardLine, returned(body)];
    return [`(request${type})${result} => {`, indent([hardLine, statements]), hardLine, '}'];
  }
  const parameter = needsRequest ? `request${type}` : parts.length > 0 ? `{ ${parts.join(', ')} }${type}` : '';
  const bare = needsRequest && type === '' ? '(request)' : `(${parameter})`;
  return group([`${bare}${result} =>`, indent([line, body])]);
}

/** Parentheses only where the value breaks: `return` followed by a new line would return nothing. */
function returned(body: Doc): Doc {
  return group(['return ', whenBroken('('), indent([softLine, body]), softLine, whenBroken(')'), ';']);
}
