import type { Json, JsonObject } from '../cel/runtime/index.js';
import type { CallSchema } from './call-schema.js';
import { type Evaluation, isObject, own, PARTS, readEvaluation } from './evaluation.js';
import { compileMappingExpression, type Variables } from './expression.js';

/**
 * A compiled mapping: what a request of the protocol asks of a decision point. A text says why a request cannot be
 * mapped; all evaluations must be allowed.
 */
export type Mapping = (variables: Variables, subject: Subject) => readonly Evaluation[] | string;

/** Who asks: `id` is verified, and what a mapping says instead must equal it. */
export interface Subject {
  readonly id: string;
}

/** What is wrong with a mapping, and where: `evaluation.resource.id`. */
export interface MappingProblem {
  readonly path: string;
  readonly message: string;
}

/** The deepest nesting of a mapping, and the most evaluations of one. */
const DEEPEST = 20;
const MOST_EVALUATIONS = 50;

/** The type of a subject whose mapping does not say it. */
const SUBJECT_TYPE = 'identity';

/**
 * Compiles a COAZ mapping (docs/mcp-guard.md): an object with `evaluation` or `evaluations`, whose texts that begin with
 * `$` are CEL expressions.
 *
 * @param schema of the calls of the tool; the expressions are checked against it.
 */
export function compileMapping(mapping: unknown, schema?: CallSchema): Mapping | readonly MappingProblem[] {
  const [form, ...others] = isObject(mapping) ? Object.keys(mapping) : [];
  if (!isObject(mapping) || others.length > 0 || (form !== 'evaluation' && form !== 'evaluations'))
    return [{ path: '', message: 'a mapping is an object with one key, `evaluation` or `evaluations`' }];
  const compiler = new MappingCompiler(schema);
  const body = mapping[form] as Json;
  const parts = compiler.evaluations(body, form);
  return compiler.problems.length > 0 ? compiler.problems : makeMapping(parts);
}

/** Makes a value from the variables of a request. */
type Template = (variables: Variables) => Made;

/** A member of an object. */
type Member = readonly [name: string, template: Template];

/** Undefined if it is absent. */
type Made = { readonly value: Json | undefined } | { readonly error: string };

function makeMapping(parts: readonly Template[]): Mapping {
  return (variables, subject) => {
    const evaluations: Evaluation[] = [];
    for (const template of parts) {
      const made = template(variables);
      if ('error' in made) return made.error;
      const evaluation = readEvaluation(withSubject(made.value, subject));
      if (typeof evaluation === 'string') return evaluation;
      if (evaluation.subject.id !== subject.id) return 'subject.id is not the verified subject';
      evaluations.push(withAgent(evaluation, variables));
    }
    return evaluations;
  };
}

/** What a mapping leaves out of the subject is supplied. */
function withSubject(json: Json | undefined, { id }: Subject): Json | undefined {
  if (!isObject(json)) return json;
  const subject = own(json, 'subject') ?? {};
  return isObject(subject) ? { ...json, subject: { type: SUBJECT_TYPE, id, ...subject } } : json;
}

/** The client that a token was issued to is the agent, unless the mapping says another one. */
function withAgent(evaluation: Evaluation, { token }: Variables): Evaluation {
  const { context = {} } = evaluation;
  const agent = Object.hasOwn(token, 'client_id') ? (token['client_id'] as unknown) : undefined;
  if (Object.hasOwn(context, 'agent') || typeof agent !== 'string') return evaluation;
  return { ...evaluation, context: { ...context, agent } };
}

/** Compiles the texts of a mapping and collects what is wrong with them. */
class MappingCompiler {
  readonly problems: MappingProblem[] = [];

  constructor(private readonly schema: CallSchema | undefined) {}

  /** The evaluations of a mapping; those of a list use the parts that stand beside the list where they have none. */
  evaluations(body: Json, form: string): readonly Template[] {
    if (!isObject(body)) return this.wrong(form, 'it is an object');
    const { evaluations: list, options, ...parts } = body;
    const shared = this.parts(form === 'evaluation' ? body : parts, form, ALL_PARTS);
    if (form === 'evaluation') return [(variables) => makeObject(shared, variables)];
    if (options !== undefined && !isAllOf(options))
      this.wrong(`${form}.options`, 'every evaluation must be allowed: leave `evaluations_semantic` out');
    if (!Array.isArray(list) || list.length === 0 || list.length > MOST_EVALUATIONS)
      return this.wrong(`${form}.evaluations`, `it is a list of 1 to ${MOST_EVALUATIONS} evaluations`);
    return list.map((item: Json, index) => {
      const path = `${form}.evaluations[${index}]`;
      const own = isObject(item) ? this.parts(item, path, ENTRY_PARTS) : this.wrong(path, 'it is an object');
      const members = [...new Map([...shared, ...own])];
      return (variables) => makeObject(members, variables);
    });
  }

  private parts(body: JsonObject, path: string, known: readonly string[]): readonly Member[] {
    this.shape(body, path, known);
    return Object.entries(body).map(([name, value]) => [name, this.template(value, `${path}.${name}`)]);
  }

  /** Reports what an evaluation cannot have, and texts that can never be texts. */
  private shape(body: JsonObject, path: string, known: readonly string[]): void {
    for (const [name, value] of Object.entries(body)) {
      const at = `${path}.${name}`;
      if (name === 'subject' && !known.includes(name))
        this.wrong(at, 'the subject is that of all evaluations: move it beside `evaluations`');
      else if (!known.includes(name)) this.wrong(at, `an evaluation has ${known.join(', ')}`);
      const part = PARTS[name];
      if (part === undefined || !isObject(value)) continue;
      const fields = [...part.texts, 'properties'];
      for (const field of Object.keys(value))
        if (!fields.includes(field)) this.wrong(`${at}.${field}`, `${name} has ${fields.join(', ')}`);
      for (const text of part.texts) this.text(own(value, text), `${at}.${text}`);
    }
  }

  /** A field that is a text. */
  private text(value: Json | undefined, path: string): void {
    if (value === undefined) return;
    if (typeof value !== 'string') {
      this.wrong(path, 'it is a text');
      return;
    }
    const source = expressionIn(value);
    if (source === undefined || this.schema === undefined) return;
    const compiled = compileMappingExpression(source);
    // What is wrong with the expression itself is reported where it is compiled.
    if (typeof compiled === 'string') return;
    const text = compiled.type.kind === 'optional' ? `(${source}\n).value()` : `(${source}\n)`;
    if (this.schema.problemsOf(`${text} < ""`).length > this.schema.problemsOf(source).length)
      this.wrong(path, 'it is a text, and this expression never is one: convert it with `string(...)`');
  }

  private template(value: Json, path: string, depth = DEEPEST): Template {
    if (depth === 0) return this.nothing(path, `it is nested more than ${DEEPEST} levels deep`);
    if (typeof value === 'string') return this.leaf(value, path);
    if (Array.isArray(value)) {
      const items = value.map((item: Json, index) => this.template(item, `${path}[${index}]`, depth - 1));
      return (variables) => makeList(items, variables, path);
    }
    if (!isObject(value)) return () => ({ value });
    const members = Object.entries(value).map(
      ([name, member]): Member => [name, this.template(member, `${path}.${name}`, depth - 1)],
    );
    return (variables) => makeObject(members, variables);
  }

  private leaf(value: string, path: string): Template {
    const source = expressionIn(value);
    if (source === undefined) {
      const text = value.startsWith('$$') ? value.slice(1) : value;
      return () => ({ value: text });
    }
    const compiled = compileMappingExpression(source);
    if (typeof compiled === 'string') return this.nothing(path, compiled);
    for (const message of this.schema?.problemsOf(source) ?? []) this.wrong(path, message);
    return (variables) => {
      const result = compiled.evaluate(variables);
      return 'error' in result ? { error: `${path}: ${result.error}` } : result;
    };
  }

  private wrong(path: string, message: string): readonly [] {
    this.problems.push({ path, message });
    return [];
  }

  /** Stands for a part that has a problem: such a mapping is refused before anything is mapped. */
  private nothing(path: string, message: string): Template {
    this.wrong(path, message);
    return () => ({ error: message });
  }
}

const ALL_PARTS = ['subject', 'action', 'resource', 'context'];
const ENTRY_PARTS = ['action', 'resource', 'context'];

/** The expression of a text: what follows `$`; `$$` stands for a dollar sign. */
function expressionIn(text: string): string | undefined {
  return text.startsWith('$') && !text.startsWith('$$') ? text.slice(1) : undefined;
}

function isAllOf(options: Json): boolean {
  const semantic = isObject(options) ? own(options, 'evaluations_semantic') : undefined;
  return semantic === undefined || semantic === 'execute_all' || semantic === 'deny_on_first_deny';
}

function makeList(items: readonly Template[], variables: Variables, path: string): Made {
  const list: Json[] = [];
  for (const [index, item] of items.entries()) {
    const made = item(variables);
    if ('error' in made) return made;
    if (made.value === undefined) return { error: `${path}[${index}]: an item of a list cannot be absent` };
    list.push(made.value);
  }
  return { value: list };
}

function makeObject(members: readonly Member[], variables: Variables): Made {
  const entries: [name: string, value: Json][] = [];
  for (const [name, template] of members) {
    const made = template(variables);
    if ('error' in made) return made;
    if (made.value !== undefined) entries.push([name, made.value]);
  }
  return { value: Object.fromEntries(entries) };
}
