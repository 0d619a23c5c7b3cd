/** The models of a Prisma schema: what its text, a client that was generated from it, or its DMMF says about fields. */

/** A field of a model. What the source does not say is undefined. */
export interface DataField {
  /** `String`, or the name of an enum or a model. */
  readonly type: string;
  readonly kind: 'scalar' | 'enum' | 'object' | 'unsupported';
  readonly isList?: boolean;
  readonly isRequired?: boolean;
  /** The type of the database that an attribute such as `@db.Char(8)` names: `Char`, or none. */
  readonly native?: string | 'none';
  /** The first number of such an attribute: 3 in `@db.Timestamp(3)`. */
  readonly digits?: number;
  /** The values of an enum. */
  readonly values?: readonly string[];
}

export interface DataModel {
  readonly provider?: string;
  readonly models: ReadonlyMap<string, ReadonlyMap<string, DataField>>;
  /** A field as an operand of the client. */
  readonly referenceOf?: (model: string, field: string) => object | undefined;
}

/**
 * Where an adapter reads the types of fields: a client, the text of the schema, or the DMMF, which is `Prisma.dmmf` of
 * clients before version 7.
 */
export type PrismaSchema =
  | string
  | { readonly $extends: unknown }
  | { readonly datamodel: { readonly models: readonly object[] } };

/** @throws {TypeError} for a value that says nothing about models. */
export function readDataModel(schema: PrismaSchema): DataModel {
  if (typeof schema === 'string') return requireModels(readText(schema), 'the text has no model');
  if ('datamodel' in schema) return readDmmf(schema as unknown as Dmmf);
  const { _runtimeDataModel: runtime, _engineConfig: config } = schema as unknown as Client;
  const models = new Map(
    Object.entries(runtime?.models ?? {}).map(([name, { fields }]) => [name, fieldsOf(fields, () => undefined)]),
  );
  // The models of a client have no types of the database; the schema that it was generated from does.
  const text = typeof config?.inlineSchema === 'string' ? readText(config.inlineSchema) : undefined;
  const provider = config?.activeProvider ?? text?.provider;
  return requireModels(
    {
      ...(provider !== undefined && { provider }),
      models: new Map([...models, ...(text?.models ?? [])]),
      referenceOf: (model, field) => findDelegate(schema, model)?.fields?.[field],
    },
    'the client shows no model. Pass the text of the schema instead',
  );
}

function findDelegate(client: object, model: string): Delegate | undefined {
  return (client as { readonly [name: string]: Delegate | undefined })[
    `${model.charAt(0).toLowerCase()}${model.slice(1)}`
  ];
}

interface Delegate {
  readonly fields?: { readonly [field: string]: object | undefined };
}

/** The parts of a client that have what it was generated from. */
interface Client {
  readonly _runtimeDataModel?: {
    readonly models: { readonly [name: string]: { readonly fields: readonly DmmfField[] } };
  };
  readonly _engineConfig?: { readonly inlineSchema?: unknown; readonly activeProvider?: string };
}

interface Dmmf {
  readonly datamodel: {
    readonly models: readonly { readonly name: string; readonly fields: readonly DmmfField[] }[];
    readonly enums?: readonly { readonly name: string; readonly values: readonly { readonly name: string }[] }[];
  };
}

interface DmmfField {
  readonly name: string;
  readonly kind: DataField['kind'];
  readonly type: string;
  readonly isList?: boolean;
  readonly isRequired?: boolean;
  readonly nativeType?: readonly [string, unknown] | null;
}

function readDmmf({ datamodel: { models, enums = [] } }: Dmmf): DataModel {
  const values = new Map(enums.map((one) => [one.name, one.values.map(({ name }) => name)]));
  return {
    models: new Map(models.map(({ name, fields }) => [name, fieldsOf(fields, (type) => values.get(type))])),
  };
}

function fieldsOf(
  fields: readonly DmmfField[],
  valuesOf: (type: string) => readonly string[] | undefined,
): ReadonlyMap<string, DataField> {
  return new Map(
    fields.map(({ name, kind, type, isList, isRequired, nativeType }) => {
      const values = kind === 'enum' ? valuesOf(type) : undefined;
      return [
        name,
        {
          type,
          kind,
          ...(isList !== undefined && { isList }),
          ...(isRequired !== undefined && { isRequired }),
          ...(nativeType !== undefined && { native: nativeType === null ? 'none' : nativeType[0] }),
          ...(values && { values }),
        },
      ];
    }),
  );
}

function requireModels(model: DataModel, problem: string): DataModel {
  if (model.models.size === 0) throw new TypeError(`the schema of Prisma cannot be read: ${problem}`);
  return model;
}

/** Reads the text of a schema, in which a field has a line. */
function readText(text: string): DataModel {
  const blocks = text.matchAll(/^[ \t]*(model|view|enum|type|datasource)\s+(\w+)\s*\{([\s\S]*?)^[ \t]*\}/gm);
  const found = [...blocks].map(([, kind = '', name = '', body = '']) => ({ kind, name, lines: body.split('\n') }));
  const [source] = found.filter(({ kind }) => kind === 'datasource');
  const provider = source?.lines.map((line) => /^\s*provider\s*=\s*"(\w+)"/.exec(line)?.[1]).find(Boolean);
  const enums = new Map(
    found
      .filter(({ kind }) => kind === 'enum')
      .map(({ name, lines }) => [name, lines.flatMap((line) => /^\s*(\w+)/.exec(line)?.[1] ?? [])]),
  );
  const isModel = new Set(found.filter(({ kind }) => kind !== 'enum').map(({ name }) => name));
  const models = found
    .filter(({ kind }) => kind === 'model' || kind === 'view')
    .map(({ name, lines }) => [name, new Map(lines.flatMap((line) => readField(line, enums, isModel)))] as const);
  return { ...(provider !== undefined && { provider }), models: new Map(models) };
}

const SCALARS = new Set(['String', 'Int', 'BigInt', 'Float', 'Decimal', 'Boolean', 'DateTime', 'Json', 'Bytes']);

function readField(
  line: string,
  enums: ReadonlyMap<string, readonly string[]>,
  isModel: ReadonlySet<string>,
): readonly (readonly [string, DataField])[] {
  // A string may have what looks like a comment or an attribute.
  const plain = line.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').replace(/\/\/.*/, '');
  const [, name, type = '', marks, attributes = ''] =
    /^\s*(\w+)\s+(Unsupported\(""\)|\w+)(\[\]|\?)?(?:\s+(@.*))?\s*$/.exec(plain) ?? [];
  if (name === undefined) return [];
  const [, native, digits] = /(?<!@)@\w+\.(\w+)(?:\((\d+))?/.exec(attributes) ?? [];
  const values = enums.get(type);
  const kind = values ? 'enum' : isModel.has(type) ? 'object' : SCALARS.has(type) ? 'scalar' : 'unsupported';
  return [
    [
      name,
      {
        type,
        kind,
        isList: marks === '[]',
        isRequired: marks !== '?',
        native: native ?? 'none',
        ...(digits !== undefined && { digits: Number(digits) }),
        ...(values && { values }),
      },
    ],
  ];
}
