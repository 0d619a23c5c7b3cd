/** What the adapters share for columns that are NULL on the rows where the action that shows them is denied. */
import {
  type CapabilityName,
  type PlannedCapabilities,
  renderColumnMasks,
  renderColumnSource,
  type SqlMaskedSource,
  type SqlParameter,
} from '../../runtime/residual/sql/index.js';
import type { CanOptions } from './capabilities.js';
import { type Mapping, resolveSqlTable, type StoredTable, withSchema } from './condition.js';

/** The action that shows each column of a table; `*` shows the columns that the option `others` names. */
export type ColumnMasks<Column extends string, Action extends string> = { readonly [C in Column | '*']?: Action };

/** How masked columns are written for one query. */
export interface MaskOptions<Other extends string = string, Tell extends boolean = boolean> extends CanOptions {
  /** The columns that the mask `*` is for. */
  readonly others?: readonly Other[];
  /** Whether each action also gets a can column, as a masked value and NULL look alike. */
  readonly tell?: Tell;
}

/** How a derived table is written. */
export interface SourceOptions<Other extends string = string, Alias extends string = string>
  extends Omit<CanOptions, 'alias'> {
  /** The name of the derived table in the query. */
  readonly alias: Alias;
  /** Its other columns: masked by `*` if the masks have it, and as they are if not. */
  readonly others: readonly Other[];
}

/** The columns that are masked. */
export type MaskedName<Masked, Other extends string> =
  | Exclude<keyof Masked & string, '*'>
  | ('*' extends keyof Masked ? Other : never);

/** The fields of a row with masked columns: values or null, and what is told of the actions. */
export type MaskedRow<Row, Masked, Other extends string = never, Tell extends boolean = false, Told = boolean> = {
  readonly [C in MaskedName<Masked, Other> & keyof Row]: Row[C] | null;
} & {
  readonly [A in ToldAction<Masked, Tell> as CapabilityName<A>]: Told;
};

/** The actions of which a can column is told. */
export type ToldAction<Masked, Tell extends boolean> = Tell extends true ? Masked[keyof Masked] & string : never;

/** A column of a query: one that is masked, or what is told of an action. */
export interface MaskedPart {
  /** The name that the library has for the masked column, or that of the can column. */
  readonly name: string;
  readonly isTold: boolean;
  readonly parts: TemplateStringsArray;
  readonly parameters: readonly SqlParameter[];
}

/** The masked columns of a query, and after them what is told of their actions. */
export function selectMasks<Column extends string, Tables extends object>(
  plans: PlannedCapabilities,
  table: StoredTable,
  mapping: Mapping<Column, Tables>,
  masks: object,
  options: MaskOptions = {},
  relatedTable: (name: string) => StoredTable,
): readonly MaskedPart[] {
  const masked = resolveMasks(masks, options.others);
  const { columns, told, refused } = renderColumnMasks(
    plans,
    resolveSqlTable(table, mapping, options.alias, withSchema(relatedTable, options.schema)),
    masked.map(({ column, action }) => ({ column: table.columnName(column), action })),
    { ...renderOptions(table, mapping, options), ...(options.tell === true && { tell: true }) },
  );
  if (refused.length > 0) options.refused?.(refused);
  return [
    ...columns.map(({ parts, parameters }, index) => ({
      name: masked[index]?.column as string,
      isTold: false,
      parts,
      parameters,
    })),
    ...told.map(({ name, parts, parameters }) => ({ name, isTold: true, parts, parameters })),
  ];
}

/** A derived table of masked columns and of others, by the names of the database. */
export function renderMaskedSource<Column extends string, Tables extends object>(
  plans: PlannedCapabilities,
  table: StoredTable,
  mapping: Mapping<Column, Tables>,
  masks: object,
  options: SourceOptions,
  relatedTable: (name: string) => StoredTable,
): SqlMaskedSource {
  const hasRest = Object.hasOwn(masks, '*');
  const masked = resolveMasks(masks, options.others);
  const refused: Parameters<NonNullable<CanOptions['refused']>>[0][number][] = [];
  const source = renderColumnSource(
    plans,
    resolveSqlTable(table, mapping, options.alias, withSchema(relatedTable, options.schema)),
    masked.map(({ column, action }) => ({ column: table.columnName(column), action })),
    {
      ...renderOptions(table, mapping, options),
      others: hasRest ? [] : options.others.map((column) => table.columnName(column)),
      refused,
    },
  );
  if (refused.length > 0) options.refused?.(refused);
  return source;
}

function renderOptions(
  table: StoredTable,
  { dialect }: Pick<Mapping<string>, 'dialect'>,
  { onRefused, rules }: Pick<CanOptions, 'onRefused' | 'rules'>,
): Parameters<typeof renderColumnMasks>[3] {
  return { dialect, quoteNames: table.quoteNames, ...(onRefused && { onRefused }), ...(rules && { rules }) };
}

/** Each masked column with its action. */
function resolveMasks(
  masks: object,
  others: readonly string[] = [],
): readonly { readonly column: string; readonly action: string }[] {
  const { '*': rest, ...named } = masks as { readonly [column: string]: string };
  return [
    ...Object.entries(named).map(([column, action]) => ({ column, action })),
    ...(rest === undefined
      ? []
      : others.filter((column) => !Object.hasOwn(named, column)).map((column) => ({ column, action: rest }))),
  ];
}
