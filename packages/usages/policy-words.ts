import { literalOrGlob, sanitize, sanitizeGlob } from '../../runtime/policy/index.js';
import type { Located } from '../../compiler/diagnostics/span.js';
import type { PolicyFile } from '../../compiler/ast/policy.js';

/** A kind and an action as a rule names them; both may be globs. */
export interface PolicyWord {
  readonly kind: Located<string>;
  readonly action: Located<string>;
}

/** The kinds and actions that the policies name, where they are enabled. */
export function policyWords(files: readonly PolicyFile[]): readonly PolicyWord[] {
  return files
    .filter(({ disabled }) => !disabled)
    .flatMap(({ policy }): readonly PolicyWord[] => {
      switch (policy.kind) {
        case 'resource':
          return policy.rules.flatMap(({ actions }) => actions.map((action) => ({ kind: policy.resource, action })));
        case 'principal':
          return policy.rules.flatMap(({ resource, actions }) =>
            actions.map(({ action }) => ({ kind: resource, action })),
          );
        case 'role':
          return policy.rules.flatMap(({ resource, allowActions }) =>
            allowActions.map((action) => ({ kind: resource, action })),
          );
        default:
          return [];
      }
    });
}

/** Whether a rule names a kind, by more than `*`. */
export function namesKind({ kind }: PolicyWord, wanted: string): boolean {
  const { value } = kind;
  if (!value.includes('*')) return sanitize(value) === sanitize(wanted);
  return value !== '*' && literalOrGlob(sanitizeGlob(value) ?? value)(sanitize(wanted));
}

/** Whether a rule names an action, by more than `*`. */
export function namesAction({ action }: PolicyWord, wanted: string): boolean {
  return action.value !== '*' && literalOrGlob(action.value)(wanted);
}
