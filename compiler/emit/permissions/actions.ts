import { glob, type GlobToken, literalOrGlob, parseGlob, sanitize } from '#runtime/policy';
import type { Module, Program, ResourceModule } from '../../ir/program.js';
import { quote } from '../quote.js';

/** The resource kinds that some policy names literally, sorted. */
export function kindsOf(program: Program): readonly string[] {
  return [...new Set(program.modules.flatMap(kindsIn))].sort();
}

/** The resource policies of a kind. */
export function policiesOf(program: Program, kind: string): readonly ResourceModule[] {
  return program.modules.filter((module): module is ResourceModule => module.kind === 'resource' && module.resource === kind);
}

/** Whether the text of a rule of a principal or role policy means a kind. */
export function meansKind(text: string | undefined, kind: string): boolean {
  return text !== undefined && (text === kind || glob(text)(sanitize(kind)) || literalOrGlob(text)(kind));
}

/**
 * The actions of a kind as a type: those that are named, and those that a glob such as `comment:*` reaches. A glob that reaches everything adds
 * nothing, or no misspelt action would ever be found; where policies have nothing but that, any text is an action.
 */
export function actionType(program: Program, kind: string): string {
  const patterns = new Set(program.modules.flatMap((module) => actionsIn(module, kind)));
  const types = new Set([...patterns].filter((text) => !isEverything(text)).map(patternType));
  return types.size === 0 ? 'string' : [...types].sort().join(' | ');
}

function kindsIn(module: Module): readonly string[] {
  switch (module.kind) {
    case 'resource':
      return [module.resource];
    case 'principal':
      return module.kinds.map(({ kind }) => kind);
    case 'role':
      return module.rules.map(({ resource }) => resource).filter((resource) => !resource.includes('*'));
    case 'derived-roles':
      return [];
  }
}

function actionsIn(module: Module, kind: string): readonly string[] {
  switch (module.kind) {
    case 'resource':
      return module.resource === kind ? module.rules.flatMap(({ actions }) => actions) : [];
    case 'principal':
      return module.rules.flatMap(({ resource, actions }) => (meansKind(resource, kind) ? actions : []));
    case 'role':
      return module.rules.flatMap(({ resource, allowActions }) => (meansKind(resource, kind) ? allowActions : []));
    case 'derived-roles':
      return [];
  }
}

function isEverything(text: string): boolean {
  return /^\*+$/.test(text);
}

/** `view`, or the template that a glob comes closest to: `*` is any text. */
function patternType(text: string): string {
  const tokens = text.includes('*') ? parseGlob(text) : undefined;
  if (tokens === undefined) return quote(text);
  const braces = tokens.findIndex(({ kind }) => kind === 'open');
  const pieces = (braces === -1 ? tokens : tokens.slice(0, braces)).map(piece);
  const template = [...pieces, ...(braces === -1 ? [] : [ANY])].join('').replaceAll(ANY + ANY, ANY);
  return template === ANY ? 'string' : `\`${template}\``;
}

const ANY = '${string}';

function piece(token: GlobToken): string {
  if (token.kind !== 'text') return ANY;
  const quoted = quote(`"'${token.text}`).slice(1, -1);
  // What needs no escape but in a template.
  return quoted.replace(/^"\\'/, '').replace(/\\'/g, "'").replace(/`|\$\{/g, '\\$&');
}
