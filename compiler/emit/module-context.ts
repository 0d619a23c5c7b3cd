import type { JsonValue } from '../ast/policy.js';
import { invariant } from '../diagnostics/invariant.js';
import type { Printed } from '../ir/emitted-file.js';
import type { Variable } from '../ir/program.js';
import type { Value } from '../ir/value.js';
import { readsVariables } from '../ir/visit.js';
import { comment } from './comment.js';
import { asPrinted, commented, type Doc, flatText, hardLine, join, printed, unplaced } from './doc.js';
import { jsonDoc } from './literals.js';
import { ALGEBRA, cel } from './mentions.js';
import { camelCase, Names } from './names.js';

/** How expressions are emitted. */
export interface Style {
  /**
   * Failures carry the text of the expression that failed: for outputs, strict evaluation and explaining. Otherwise
   * they are silent and free.
   */
  readonly traced: boolean;
  /**
   * A variable that failed reads as null, which is so while derived roles are listed
   * (docs/spec/policy-language.md#evaluating-variables).
   */
  readonly failedIsNull: boolean;
  /** Whether values are residuals for a plan (docs/spec/plans.md#known-and-unknown). */
  readonly residual: boolean;
  /**
   * Failures are reported, with the author's text, to the collector that the request names
   * (docs/spec/conditions.md#evaluation-errors).
   */
  readonly tells: boolean;
  /** Distinguishes the functions of variables if a module has them in two styles. */
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

/** A variable's function: its name, and what it is called with. */
interface VariableFunction {
  readonly name: string;
  readonly reads: 'nothing' | 'row' | 'request';
}

/** Prints the declaration of a variable's function; implemented by `functions.ts`. */
type PrintVariable = (
  variable: Variable,
  name: string,
  style: Style,
  context: ModuleContext,
) => Omit<VariableFunction, 'name'> & { readonly doc: Doc };

/**
 * The state of a module that is being printed: its identifiers, and the declarations that its rules need. Constants and
 * variables are declared on first use, before the code that uses them.
 */
export class ModuleContext {
  readonly names: Names;
  /** Whether a value is known before the resource, for the values that were looked up (where.ts). */
  readonly settled = new Map<Value, boolean>();
  private declarations: Doc[] = [];
  private readonly hoisted = new Map<string, string>();
  private readonly variableFunctions = new Map<string, VariableFunction>();
  private readonly constantNames = new Map<string, string>();
  private readonly variables: ReadonlyMap<string, Variable>;
  private readonly remarks = new Set<string>();

  constructor(
    /** Names that the module imports or exports; no declaration may reuse them. */
    reserved: readonly string[],
    variables: readonly Variable[],
    /** The used constants of the policy, by name. */
    readonly constants: ReadonlyMap<string, JsonValue>,
    /** The style that needs no mention in a name. */
    private readonly usual: Style,
    private readonly printVariable: PrintVariable,
    /** Whether to omit everything that only plans need. */
    readonly checksOnly = false,
  ) {
    this.names = new Names(reserved, MODULE_WORDS);
    this.variables = new Map(variables.map((variable) => [variable.name, variable]));
  }

  /**
   * The variables of `V` as a whole, in the order of their evaluation; in the definition of a variable, those before
   * it.
   */
  variablesBefore(name?: string): readonly string[] {
    const names = [...this.variables.keys()];
    return name === undefined ? names : names.slice(0, names.indexOf(name));
  }

  /** The value of a variable. */
  variableValue(name: string): Variable['value'] {
    return (this.variables.get(name) ?? invariant(`variable ${name} was not lowered`)).value;
  }

  /** A comment with the author's text and a new line; empty if the module already contains it. */
  remark(text: string): Doc {
    if (this.remarks.has(text)) return '';
    this.remarks.add(text);
    return [commented(comment(text)), hardLine];
  }

  /** A declaration, preceded by those that it needs, each followed by a blank line. */
  withDeclarations(declare: () => Doc): Printed {
    const doc = declare();
    const paragraphs = [...this.declarations, doc];
    this.declarations = [];
    return printed(join(paragraphs, [hardLine, hardLine]));
  }

  /**
   * The name of a module constant that holds a value; equal values share one.
   * @param options the type, if TypeScript would infer another one; a comment above the constant, with its new line;
   *   whether it is code of the policy, to whose places a debugger leads.
   */
  hoist(
    wish: string,
    doc: Doc,
    {
      type,
      remark,
      isCode = false,
    }: { readonly type?: Doc; readonly remark?: (name: string) => Doc; readonly isCode?: boolean } = {},
  ): string {
    const text = `${flatText(type ?? '')} ${flatText(doc)}`;
    const known = this.hoisted.get(text);
    if (known !== undefined) return known;
    const name = this.names.fresh(wish);
    this.hoisted.set(text, name);
    const declared = [`const ${name}`, type === undefined ? '' : [': ', type], ' = ', doc, ';'];
    this.declarations.push([remark?.(name) ?? '', isCode ? declared : asPrinted(unplaced(declared))]);
    return name;
  }

  /** The name of the module constant that holds a list or map of the policy's `constants`. */
  constant(name: string): string {
    const known = this.constantNames.get(name);
    if (known !== undefined) return known;
    const given = this.names.fresh(camelCase(name, 'constant'));
    this.constantNames.set(name, given);
    const doc = jsonDoc(this.constants.get(name) ?? null);
    this.declarations.push([this.remark(`C.${name}`), `const ${given}: `, cel('Json = '), doc, ';']);
    return given;
  }

  /** The function that computes a variable; it is declared on first use, after the variables that it reads. */
  variable(name: string, asked: Style): VariableFunction {
    const variable = this.variables.get(name) ?? invariant(`variable ${name} was not lowered`);
    // How a failed variable is read only matters to expressions that read variables.
    const style = asked.failedIsNull && !readsVariables(variable.value) ? (asked.residual ? RESIDUAL : PLAIN) : asked;
    const key = `${style.suffix} ${name}`;
    const known = this.variableFunctions.get(key);
    if (known !== undefined) return known;
    const given = this.names.fresh(`${camelCase(name, 'variable')}${style === this.usual ? '' : style.suffix}`);
    const { doc, reads } = this.printVariable(variable, given, style, this);
    this.declarations.push(doc);
    const declared = { name: given, reads };
    this.variableFunctions.set(key, declared);
    return declared;
  }
}

/** The words of generated code itself: no policy's name may be one of them. */
export const MODULE_WORDS: ReadonlySet<string> = new Set([
  'P',
  'R',
  'G',
  'request',
  'action',
  'roles',
  'principal',
  'resource',
  'auxData',
  'globals',
  'effectiveDerivedRoles',
  'row',
  ALGEBRA,
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
]);
