import type { JsonValue } from '../ast/policy.js';
import type { Variable } from '../ir/program.js';
import { comment } from './comment.js';
import { type Doc, print } from './doc.js';
import { jsonDoc } from './literals.js';
import { camelCase, Names } from './names.js';

/** In what way expressions are emitted. */
export interface Style {
  /** Failures carry the text of what failed: for outputs, strict evaluation, explaining (design 7). Otherwise they are silent and free. */
  readonly traced: boolean;
  /** A variable that failed reads as null, as while derived roles are listed (policy-language.md 6.2). */
  readonly failedIsNull: boolean;
}

export const PLAIN: Style = { traced: false, failedIsNull: false };
export const LISTED: Style = { traced: false, failedIsNull: true };
export const TRACED: Style = { traced: true, failedIsNull: false };

/** Prints the body of a variable's function; given by `functions.ts`, which knows how. */
type PrintVariable = (variable: Variable, name: string, style: Style, context: ModuleContext) => string;

/**
 * What a module being printed has said so far: its identifiers, and the declarations that its rules turned out to need.
 * Constants and variables are declared when first used, in front of what uses them.
 */
export class ModuleContext {
  readonly names: Names;
  private declarations: string[] = [];
  private readonly hoisted = new Map<string, string>();
  private readonly variableFunctions = new Map<string, string>();
  private readonly constantNames = new Map<string, string>();
  private readonly variables: ReadonlyMap<string, Variable>;

  constructor(
    /** Names the module imports or exports, which nothing else may take. */
    reserved: readonly string[],
    variables: readonly Variable[],
    /** The used constants of the policy, by name. */
    readonly constants: ReadonlyMap<string, JsonValue>,
    private readonly printVariable: PrintVariable,
  ) {
    this.names = new Names([...MODULE_WORDS, ...reserved]);
    this.variables = new Map(variables.map((variable) => [variable.name, variable]));
  }

  get usedVariables(): readonly string[] {
    return [...this.variables.keys()];
  }

  /** The text with the declarations it turned out to need in front of it, a blank line between each two. */
  withDeclarations(printText: () => string): string {
    const text = printText();
    const paragraphs = [...this.declarations, text];
    this.declarations = [];
    return paragraphs.join('\n\n');
  }

  /** The name of a module constant that holds a text; equal texts share one. */
  hoist(wish: string, doc: Doc): string {
    const text = print(doc);
    const known = this.hoisted.get(text);
    if (known !== undefined) return known;
    const name = this.names.fresh(wish);
    this.hoisted.set(text, name);
    this.declarations.push(`const ${name} = ${print(doc, 0, `const ${name} = `.length)};`);
    return name;
  }

  /** The name of the module constant that holds a list or map of the policy's `constants`. */
  constant(name: string): string {
    const known = this.constantNames.get(name);
    if (known !== undefined) return known;
    const given = this.names.fresh(camelCase(name, 'constant'));
    this.constantNames.set(name, given);
    const doc = jsonDoc(this.constants.get(name) ?? null);
    this.declarations.push(`${comment(`C.${name}`)}\nconst ${given}: cel.Json = ${print(doc, 0, given.length + 17)};`);
    return given;
  }

  /** The name of the function that computes a variable; it is declared, after those it reads, when first asked for. */
  variable(name: string, style: Style): string {
    const key = `${style.traced} ${style.failedIsNull} ${name}`;
    const known = this.variableFunctions.get(key);
    if (known !== undefined) return known;
    const wish = camelCase(name, 'variable');
    const given = this.names.fresh(style.traced ? `${wish}Traced` : style.failedIsNull ? `${wish}Listed` : wish);
    this.variableFunctions.set(key, given);
    const variable = this.variables.get(name);
    if (variable !== undefined) this.declarations.push(this.printVariable(variable, given, style, this));
    return given;
  }
}

/** The words of generated code itself: no policy's name is given one of them. */
export const MODULE_WORDS = [
  'P', 'R', 'G', 'request', 'principal', 'resource', 'auxData', 'globals', 'effectiveDerivedRoles', 'cel', 'residual',
  'ALLOW', 'DENY', 'ANYONE', 'always', 'anyOf', 'glob', 'literalAndGlob', 'matchesAny', 'reaches', 'rowsOf',
  'Rule', 'ResourcePolicy', 'PrincipalPolicy', 'RolePolicy', 'RoleRule', 'DerivedRole', 'Request', 'TracedCondition', 'conditions',
];
