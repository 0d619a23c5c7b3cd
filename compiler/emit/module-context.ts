import type { JsonValue } from '../ast/policy.js';
import { invariant } from '../diagnostics/invariant.js';
import type { Variable } from '../ir/program.js';
import type { Value } from '../ir/value.js';
import { readsVariables } from '../ir/visit.js';
import { comment } from './comment.js';
import { type Doc, print } from './doc.js';
import { jsonDoc } from './literals.js';
import { camelCase, Names } from './names.js';

/** In what way expressions are emitted. */
export interface Style {
  /**
   * Failures carry the text of what failed: for outputs, strict evaluation, explaining. Otherwise they are silent and
   * free.
   */
  readonly traced: boolean;
  /**
   * A variable that failed reads as null, as while derived roles are listed
   * (docs/spec/policy-language.md#evaluating-variables).
   */
  readonly failedIsNull: boolean;
  /** As what is left of it for a plan, not as a value (docs/spec/plans.md#known-and-unknown). */
  readonly residual: boolean;
  /**
   * Failures are told, with the author's text, to whom the request names (docs/spec/conditions.md#evaluation-errors).
   */
  readonly tells: boolean;
  /** Tells the functions of variables apart where a module has them in two styles. */
  readonly suffix: string;
}

export const PLAIN: Style = { traced: false, failedIsNull: false, residual: false, tells: false, suffix: '' };
export const LISTED: Style = { traced: false, failedIsNull: true, residual: false, tells: false, suffix: 'Listed' };
export const TRACED: Style = { traced: true, failedIsNull: false, residual: false, tells: false, suffix: 'Traced' };
export const TELLING: Style = { ...TRACED, tells: true, suffix: 'Telling' };
export const RESIDUAL: Style = { traced: false, failedIsNull: false, residual: true, tells: false, suffix: 'Where' };
export const LISTED_RESIDUAL: Style = {
  traced: false,
  failedIsNull: true,
  residual: true,
  tells: false,
  suffix: 'ListedWhere',
};

/** A variable's function: its name, and whether it looks at the request. */
interface VariableFunction {
  readonly name: string;
  readonly isConstant: boolean;
}

/** Prints the declaration of a variable's function; given by `functions.ts`, which knows how. */
type PrintVariable = (
  variable: Variable,
  name: string,
  style: Style,
  context: ModuleContext,
) => { readonly text: string; readonly isConstant: boolean };

/**
 * What a module being printed has said so far: its identifiers, and the declarations that its rules turned out to need.
 * Constants and variables are declared when first used, in front of what uses them.
 */
export class ModuleContext {
  readonly names: Names;
  /** Of the values that were asked about, whether they are known before there is a resource (where.ts). */
  readonly settled = new Map<Value, boolean>();
  private declarations: string[] = [];
  private readonly hoisted = new Map<string, string>();
  private readonly variableFunctions = new Map<string, VariableFunction>();
  private readonly constantNames = new Map<string, string>();
  private readonly variables: ReadonlyMap<string, Variable>;
  private readonly remarks = new Set<string>();

  constructor(
    /** Names the module imports or exports, which nothing else may take. */
    reserved: readonly string[],
    variables: readonly Variable[],
    /** The used constants of the policy, by name. */
    readonly constants: ReadonlyMap<string, JsonValue>,
    /** The style that needs no mention in a name. */
    private readonly usual: Style,
    private readonly printVariable: PrintVariable,
    /** Whether nothing is emitted that only plans need. */
    readonly checksOnly = false,
  ) {
    this.names = new Names(reserved, MODULE_WORDS);
    this.variables = new Map(variables.map((variable) => [variable.name, variable]));
  }

  /**
   * The variables that `V` as a whole has, in the order of their evaluation; in the definition of a variable, those
   * before it.
   */
  variablesBefore(name?: string): readonly string[] {
    const names = [...this.variables.keys()];
    return name === undefined ? names : names.slice(0, names.indexOf(name));
  }

  /** What a variable stands for. */
  variableValue(name: string): Variable['value'] {
    return (this.variables.get(name) ?? invariant(`variable ${name} was not lowered`)).value;
  }

  /** A comment with the author's text and a new line, where it does not stand in the module yet. */
  remark(text: string): string {
    if (this.remarks.has(text)) return '';
    this.remarks.add(text);
    return `${comment(text)}\n`;
  }

  /** The text with the declarations it turned out to need in front of it, a blank line between each two. */
  withDeclarations(printText: () => string): string {
    const text = printText();
    const paragraphs = [...this.declarations, text];
    this.declarations = [];
    return paragraphs.join('\n\n');
  }

  /**
   * The name of a module constant that holds a value; equal values share one.
   *
   * @param options the type, where TypeScript would infer another; a comment to stand above it, with its new line.
   */
  hoist(
    wish: string,
    doc: Doc,
    { type, remark }: { readonly type?: string; readonly remark?: (name: string) => string } = {},
  ): string {
    const text = `${type} ${print(doc)}`;
    const known = this.hoisted.get(text);
    if (known !== undefined) return known;
    const name = this.names.fresh(wish);
    this.hoisted.set(text, name);
    const declaration = `const ${name}${type === undefined ? '' : `: ${type}`} = `;
    this.declarations.push(`${remark?.(name) ?? ''}${declaration}${print(doc, 0, declaration.length)};`);
    return name;
  }

  /** The name of the module constant that holds a list or map of the policy's `constants`. */
  constant(name: string): string {
    const known = this.constantNames.get(name);
    if (known !== undefined) return known;
    const given = this.names.fresh(camelCase(name, 'constant'));
    this.constantNames.set(name, given);
    const doc = jsonDoc(this.constants.get(name) ?? null);
    const declaration = `const ${given}: cel.Json = `;
    this.declarations.push(`${this.remark(`C.${name}`)}${declaration}${print(doc, 0, declaration.length)};`);
    return given;
  }

  /** The function that computes a variable; it is declared, after those it reads, when first asked for. */
  variable(name: string, asked: Style): VariableFunction {
    const variable = this.variables.get(name) ?? invariant(`variable ${name} was not lowered`);
    // Only through other variables does it matter how a failed one reads.
    const style = asked.failedIsNull && !readsVariables(variable.value) ? (asked.residual ? RESIDUAL : PLAIN) : asked;
    const key = `${style.suffix} ${name}`;
    const known = this.variableFunctions.get(key);
    if (known !== undefined) return known;
    const given = this.names.fresh(`${camelCase(name, 'variable')}${style === this.usual ? '' : style.suffix}`);
    const { text, isConstant } = this.printVariable(variable, given, style, this);
    this.declarations.push(text);
    const declared = { name: given, isConstant };
    this.variableFunctions.set(key, declared);
    return declared;
  }
}

/** The words of generated code itself: no policy's name is given one of them. */
export const MODULE_WORDS: ReadonlySet<string> = new Set([
  'P',
  'R',
  'G',
  'request',
  'principal',
  'resource',
  'auxData',
  'globals',
  'effectiveDerivedRoles',
  'row',
  'derivedRoles',
  'failures',
  'cel',
  'residual',
  'schema',
  'rowsThatSatisfy',
  'unavailable',
  'violationsOf',
  'ALLOW',
  'DENY',
  'ANYONE',
  'anyOf',
  'glob',
  'literalAndGlob',
  'matchesAny',
  'reaches',
  'rowsOf',
  'Filters',
  'PlannedCondition',
  'Rule',
  'RoleRule',
  'resourcePolicy',
  'principalPolicy',
  'rolePolicy',
  'derivedRole',
  'Output',
  'Query',
  'Request',
  'TracedCondition',
  'conditions',
  'AttemptedCondition',
  'attempts',
]);
