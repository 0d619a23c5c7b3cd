import type { JsonValue } from '../../compiler/ast/policy.js';
import { compile } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { allow, resourcePolicy, when } from './warnings.js';

/** The fields of a policy that names `_schemas/r.json` for the resource. */
export const BY_SCHEMA = ', schemas: {resourceSchema: {ref: "authz:///r.json"}}';

/** The codes of diagnostics about attributes in policies, with the paths and names in their messages. */
export function attributeProblems(
  documents: readonly string[],
  schema: JsonValue,
  strictTypes = false,
): readonly string[] {
  const sources = documents.map((text, index) => new Source(`${index}.yaml`, `apiVersion: api.authz.dev/v1\n${text}`));
  const schemaTexts = new Map([['r.json', JSON.stringify(schema)]]);
  const { diagnostics } = compile(sources, new Diagnostics(), { schemaTexts, strictTypes });
  const broken = diagnostics.find(({ code, severity }) => severity === 'error' && !code.startsWith('attribute/'));
  if (broken !== undefined) throw new Error(`${broken.code}: ${broken.message}`);
  return diagnostics
    .filter(({ code }) => code.startsWith('attribute/'))
    .map(({ code, message }) => `${code}: ${message}`);
}

/** The same for one condition, only the codes, with the schema of the resource. */
export function codesFor(expression: string, schema: JsonValue, fields = ''): readonly string[] {
  return codesOf(
    attributeProblems([resourcePolicy([allow('[view]', '[user]', when(expression))], BY_SCHEMA + fields)], schema),
  );
}

/** The diagnostics of `--strict-types`: the attributes that may be missing, as written. */
export function missingIn(expression: string, schema: JsonValue, fields = ''): readonly string[] {
  const policy = resourcePolicy([allow('[view]', '[user]', when(expression))], BY_SCHEMA + fields);
  return attributeProblems([policy], schema, true).map((line) => /`(.*?)` may be missing/.exec(line)?.[1] ?? line);
}

export function codesOf(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.slice(line.indexOf('/') + 1, line.indexOf(':')));
}
