import { Project } from 'ts-morph';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { declarationText, firstSentence, isVisible } from './declarations.js';

const test = suite('the API report');

const SOURCE = `
/** Makes a pair. And more. */
export async function pair<T>(one: T, /* the other */ other: T = one): Promise<readonly T[]> { return [one, other]; }
export function over(text: string): string;
export function over(count: number): number;
export function over(value: never): never { return value; }
export const double = (value: number): number => value * 2;
export const LIMIT: number = 3;
export const NAMES = ['a', 'b'] as const;
export abstract class Store<T> extends Map<string, T> {
  readonly kind = 'store';
  private secret = 1;
  #hidden = 2;
  protected own = 3;
  constructor(private readonly path: string) { super(); }
  override get(name: string): T | undefined { return this.load(name); }
  private load(name: string): T | undefined { return undefined; }
  static async open(path: string): Promise<void> {}
}
/** Has two.\n * Members. */
export interface Two { /** one */ readonly one: string; two?(value: number): void }
export type Word = 'a' | 'b';
`;

test('declarations have no bodies, comments or private members', () => {
  const project = new Project({ useInMemoryFileSystem: true, compilerOptions: { strict: true } });
  const file = project.createSourceFile('a.ts', SOURCE);
  const texts = [...file.getExportedDeclarations()].map(([name, nodes]) => [
    name,
    nodes.filter(isVisible).map(declarationText),
  ]);
  assert.equal(texts, [
    ['pair', ['function pair<T>(one: T, other: T = one): Promise<readonly T[]>;']],
    ['over', ['function over(text: string): string;', 'function over(count: number): number;']],
    ['double', ['const double: (value: number) => number;']],
    ['LIMIT', ['const LIMIT: number;']],
    ['NAMES', ['const NAMES: readonly ["a", "b"];']],
    [
      'Store',
      [
        `class Store<T> extends Map<string, T> {
  readonly kind = 'store';
  protected own = 3;
  constructor(path: string);
  get(name: string): T | undefined;
  static open(path: string): Promise<void>;
}`,
      ],
    ],
    ['Two', ['interface Two {\n  readonly one: string;\n  two?(value: number): void;\n}']],
    ['Word', ["type Word = 'a' | 'b';"]],
  ]);
  assert.is(firstSentence(file.getFunctionOrThrow('pair')), 'Makes a pair.');
  assert.is(firstSentence(file.getInterfaceOrThrow('Two')), 'Has two.');
  assert.is(firstSentence(file.getTypeAliasOrThrow('Word')), '');
});

test.run();
