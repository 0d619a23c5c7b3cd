import { placeOfNode } from '../ast/places.js';
import type { Expr, IndexExpr, SelectExpr } from '../../packages/cel/ast/expr.js';
import type { Details, Note } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../../packages/cel/check/did-you-mean.js';
import type { Code, MessageParameters } from '../diagnostics/messages.js';
import type { Problems } from '../diagnostics/problems.js';
import { describe, type JsonType } from './json-type.js';
import { type Member, namesListedIn } from './members.js';
import type { Scope } from './scope.js';

/** An attribute that is read, or tested for presence. */
export interface Access {
  readonly node: Expr;
  readonly path: string;
  readonly name: string;
  /** The expression it is read from, and its type. */
  readonly of: Expr;
  readonly type: JsonType;
}

/** The notes of a problem. */
interface Remarks {
  readonly notes: readonly Note[];
  readonly hints?: () => readonly Note[];
}

/** Reports the findings of a judge. A finding that several policies share is reported once, for the first of them. */
export class AttributeReport {
  private readonly said = new Set<string>();
  private policy = '';

  /** @param severity of the warnings. */
  constructor(
    private readonly diagnostics: Problems,
    private readonly severity: 'warning' | 'error',
  ) {}

  /** Sets the policy whose expressions the following reports concern. */
  enter(policy: string): void {
    this.policy = policy;
  }

  /** Reports a member that the schema does not contain; returns whether it did. */
  unknown({ node, path, name, of, type }: Access, { status }: Member, scope: Scope): boolean {
    const hints = (): readonly Note[] => didYouMean(name, namesListedIn(type));
    const notes = [{ message: 'correct the name, or add the attribute to the schema' }];
    switch (status) {
      case 'possible':
        return false;
      case 'unlisted':
        this.say('attribute/not-in-schema', node, { path }, scope, { notes, hints });
        return true;
      case 'forbidden':
        this.say('attribute/unknown', node, { path, reason: 'the schema does not allow it' }, scope, { notes, hints });
        return true;
      case 'no-map': {
        const reason = `\`${cutText(of, scope)}\` is ${describe(type)}`;
        this.say('attribute/unknown', node, { path, reason }, scope, {
          notes: [{ message: 'only maps have attributes: correct the path, or the type in the schema' }],
        });
        return true;
      }
    }
  }

  /** Reports an access to an attribute that may be missing. */
  optional(node: SelectExpr | IndexExpr, scope: Scope): void {
    const path = cutText(node, scope);
    const guard =
      node.kind === 'select' ? `has(${path})` : `${JSON.stringify(keyText(node))} in ${cutText(node.operand, scope)}`;
    this.say('attribute/optional', node, { path }, scope, {
      notes: [{ message: `guard it: \`${guard} && ...\`, or list it under \`required\`` }],
    });
  }

  /** Reports a comparison that can never succeed. */
  comparison(
    node: Expr,
    parameters: MessageParameters<'attribute/never-equal'>,
    hints: () => readonly Note[],
    scope: Scope,
  ): void {
    const notes = [{ message: 'correct the value or the type, or add the value to the schema' }];
    this.say('attribute/never-equal', node, parameters, scope, { notes, hints });
  }

  private say<C extends Code>(
    code: C,
    node: Expr,
    parameters: MessageParameters<C>,
    { expression }: Scope,
    { notes, hints }: Remarks,
  ): void {
    const place = placeOfNode(expression, node);
    const { source } = place.span;
    const key = JSON.stringify([code, source.path, place.anchor, parameters]);
    if (this.said.has(key)) return;
    this.said.add(key);
    const details: Details = {
      severity: this.severity,
      notes: [...notes, { message: `according to the schemas of ${this.policy}` }],
      ...(hints && { hints }),
    };
    this.diagnostics.add(
      code,
      place,
      parameters,
      code === 'attribute/optional' ? { ...details, severity: 'error' } : details,
    );
  }
}

/** The source text of a part of an expression, on one line. */
export function cutText({ start, end }: Expr, { expression }: Scope): string {
  const text = expression.text.slice(start, end).replace(/\s+/g, ' ').trim();
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

const LONGEST = 80;

function keyText({ index }: IndexExpr): string {
  return index.kind === 'literal' && index.type === 'string' ? index.value : '';
}
