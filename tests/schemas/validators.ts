import type { JsonValue } from '../../compiler/ast/policy.js';
import { type Compilation, compile } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import type { CompiledBundle, EvaluationLimits } from '../../runtime/engine/index.js';
import { loaded } from '../support/compiled.js';

/** Schema files below `_schemas`: as JSON, or as text. */
export type Files = { readonly [file: string]: JsonValue };

/** Compiles one resource policy for each reference, named p0, p1 ... */
export function compileReferences(refs: readonly string[], files: Files): Compilation {
  const sources = refs.map((ref, index) => new Source(`p${index}.yaml`, policyText(`p${index}`, ref)));
  const texts = Object.entries(files).map(
    ([file, schema]) => [file, typeof schema === 'string' ? schema : JSON.stringify(schema)] as const,
  );
  return compile(sources, new Diagnostics(), { schemaTexts: new Map(texts) });
}

/** The messages of a compilation of one reference. */
export function problemsOf(ref: string, files: Files): readonly string[] {
  return compileReferences([ref], files).diagnostics.map(({ message }) => message);
}

/** Returns the violations of attributes, as `path: message`, by the schema that a reference names. */
export type Validate = (ref: string, attributes: unknown) => readonly string[];

/**
 * Compiles and loads the validators of references. Throws when one does not compile.
 *
 * @param limits of one validation: what exceeds them throws an EvaluationLimitError.
 */
export async function validators(
  refs: readonly string[],
  files: Files,
  limits: EvaluationLimits = {},
): Promise<Validate> {
  const { policies } = await loaded(compileReferences(refs, files));
  return (ref, attributes) => {
    const policy = policies.resourcePolicies.find(({ kind }) => kind === `p${refs.indexOf(ref)}`);
    const violations = (policies as CompiledBundle).guard?.asOne(
      () => policy?.schemas?.resource?.violations(attributes as { readonly [name: string]: unknown }),
      limits,
    );
    if (violations === undefined) throw new Error(`${ref} was not compiled`);
    return violations.map(({ path, message }) => `${path}: ${message}`);
  };
}

/** A schema, a value for the member `v` of the attributes, and its violations; none when it is valid. */
export type Case = readonly [schema: JsonValue, value: unknown, ...violations: readonly string[]];

/** Compiles the schemas of all cases at once, and validates attributes whose only member is `v` with each. */
export async function outcomes(cases: readonly Case[], dialect?: string): Promise<readonly (readonly string[])[]> {
  const files = Object.fromEntries(
    cases.map(([schema], index) => [
      `${index}.json`,
      { ...(dialect !== undefined && { $schema: dialect }), properties: { v: schema } },
    ]),
  );
  const refs = Object.keys(files).map((file) => `authz:///${file}`);
  const validate = await validators(refs, files);
  return cases.map(([, value], index) => validate(refs[index] as string, { v: value }));
}

function policyText(kind: string, ref: string): string {
  return JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: { resource: kind, version: 'default', schemas: { resourceSchema: { ref } }, rules: [] },
  });
}
