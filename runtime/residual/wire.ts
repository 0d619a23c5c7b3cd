import * as cel from '../../packages/cel/runtime/index.js';
import { complement, expression, joined, type JsonValue, type Operand, type Shapes } from './operand.js';
import { ATTRIBUTES, type Field, isKnown, type Node, getResult, type Term, Unknown } from './term.js';

/**
 * A term as adapters read it (docs/spec/plans.md#operands). It can be sent over the wire: `problemOf` returns
 * undefined.
 * @param asked whether only its truth counts, or its value: then it is also false, and fails, if the term does.
 */
export function writeTerm(term: Term, shapes: Shapes, asked: 'truth' | 'value' = 'value'): Operand {
  if (!(term instanceof Unknown)) return writeConstant(term as cel.Value);
  if (term.written !== undefined && shapes === 'flat' && asked === 'truth') return term.written;
  return writeNode(shapes === 'reference' ? (term.reference ?? term.node) : term.node, shapes, asked);
}

function writeNode(node: Node, shapes: Shapes, asked: Asked): Operand {
  switch (node.kind) {
    case 'attributes':
      return { variable: ATTRIBUTES };
    case 'path':
      return node.variable === undefined ? writePath(node, shapes) : { variable: node.variable };
    case 'call':
      return writeCall(node.operator, node.operands, shapes, asked);
    case 'field':
      return expression('get-field', writeTerm(node.operand, shapes), { variable: node.name });
    case 'struct':
      return expression(
        'struct',
        ...node.entries.map(([key, value]) =>
          expression('set-field', writeTerm(key, shapes), writeTerm(value, shapes)),
        ),
      );
    case 'macro':
      return expression(
        node.operator,
        writeRange(node, shapes),
        expression(
          'lambda',
          ...node.bodies.map((body) => writeTerm(body, shapes, QUANTIFIERS.has(node.operator) ? asked : 'value')),
          ...node.variables.map((variable) => ({ variable })),
        ),
      );
    case 'condition':
    case 'roles':
    case 'optional':
    case 'unplannable':
      throw new Error(`${node.kind} cannot be sent over the wire`);
  }
}

type Asked = 'truth' | 'value';

/** Macros that are true if enough of their bodies are. */
const QUANTIFIERS: ReadonlySet<string> = new Set(['exists', 'all']);

/**
 * `a.b` as one variable; brackets as the reference keeps them, otherwise only around names that a variable cannot
 * contain.
 */
function writePath(node: Node & { readonly kind: 'path' }, shapes: Shapes): Operand {
  let operand: Operand = { variable: node.root };
  for (const field of node.fields) operand = writeStep(operand, field, shapes);
  if ('variable' in operand && !node.fields.some(({ bracketed }) => bracketed)) node.variable = operand.variable;
  return operand;
}

function writeStep(operand: Operand, { name, bracketed }: Field, shapes: Shapes): Operand {
  if (bracketed && (shapes === 'reference' || !/^[A-Za-z_]\w*$/.test(name)))
    return expression('index', operand, { value: name });
  return 'variable' in operand
    ? { variable: `${operand.variable}.${name}` }
    : expression('get-field', operand, { variable: name });
}

function writeCall(operator: string, operands: readonly Term[], shapes: Shapes, asked: Asked): Operand {
  const [first, second] = operands as [Term, Term];
  switch (operator) {
    case 'and':
    case 'or':
      return joined(
        operator,
        operands.map((operand) => writeTerm(operand, shapes, asked)),
        shapes,
        asked,
      );
    case 'if':
      return expression(
        'if',
        writeTerm(first, shapes),
        writeTerm(second, shapes, asked),
        writeTerm(operands[2], shapes, asked),
      );
    case 'not':
      return complement(writeTerm(first, shapes), shapes, asked);
    case 'in':
      return writeMembership(first, second, shapes);
    case '-_':
      return shapes === 'reference'
        ? expression('-_', writeTerm(first, shapes))
        : expression('sub', { value: 0 }, writeTerm(first, shapes));
    case 'timeSince':
      return expression('timeSince', writeTerm(first, shapes));
    case 'math.@max':
    case 'math.@min':
      if (operands.length > 2)
        return expression(operator, expression('list', ...operands.map((operand) => writeTerm(operand, shapes))));
      break;
  }
  return { expression: { operator, operands: operands.map((operand) => writeTerm(operand, shapes)) } };
}

/** A list of one is an equality, a map is its keys (docs/spec/plans.md#reference-shapes). */
function writeMembership(element: Term, collection: Term, shapes: Shapes): Operand {
  const values = isKnown(collection) ? listElements(getResult(collection) as cel.Value) : undefined;
  if (values?.length === 1) return expression('eq', writeTerm(element, shapes), writeConstant(values[0] as cel.Value));
  return expression(
    'in',
    writeTerm(element, shapes),
    values === undefined ? writeTerm(collection, shapes) : writeConstant(values),
  );
}

/** The range of a macro with one variable: of a map its keys. */
function writeRange({ range, variables }: Node & { kind: 'macro' }, shapes: Shapes): Operand {
  if (!isKnown(range) || variables.length > 1) return writeTerm(range, shapes);
  return writeConstant(listElements(getResult(range) as cel.Value));
}

function listElements(collection: cel.Value): readonly cel.Value[] {
  if (Array.isArray(collection)) return collection;
  return [...(cel.mapEach(collection, (key) => key) as readonly cel.Value[])].sort((a, b) =>
    String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0,
  );
}

function writeConstant(value: cel.Value): Operand {
  const scalar = writeScalar(value);
  if (scalar !== undefined) return { value: scalar };
  if (value instanceof cel.Timestamp) return expression('timestamp', { value: cel.toText(value) as string });
  if (value instanceof cel.Duration) return expression('duration', { value: cel.exactDurationText(value) });
  if (Array.isArray(value)) {
    const scalars = value.map(writeScalar);
    return scalars.includes(undefined)
      ? expression('list', ...value.map(writeConstant))
      : { value: scalars as readonly JsonValue[] };
  }
  const entries = listElements(value).map((key) =>
    expression('set-field', writeConstant(key), writeConstant(cel.index(value, key) as cel.Value)),
  );
  return expression('struct', ...entries);
}

function writeScalar(value: cel.Value): JsonValue | undefined {
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string')
    return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof cel.Uint) return Number(value.value);
  return value instanceof Uint8Array ? (cel.base64Encode(value) as string) : undefined;
}
