import type { CallExpression, Node as AnyNode, SourceFile } from 'ts-morph';
import { PACKAGE_NAMES } from '../../compiler/package-names.js';
import { type Callee, findCallee } from './application.js';
import { findArguments, callSites, type FunctionNode, findList } from './functions.js';
import { SyntaxKind } from './ts-morph.js';
import { bind, findElements, type Outcome, findOutcomes, type Slot, textsOfType } from './values.js';

/** A kind and an action that the application asks about. Where one of them is computed, it is undefined. */
export interface Ask {
  readonly kind: string | undefined;
  readonly action: string | undefined;
  /** Where the action is written, or the kind, or the part that is computed. */
  readonly kindNode: AnyNode;
  readonly actionNode: AnyNode;
  readonly call: AnyNode;
}

/** Where the arguments of a call have kinds and actions: the number of the argument, then properties. */
interface Shape {
  /** A list, in each element of which the others are. */
  readonly each?: string;
  readonly kind: string;
  readonly actions: readonly string[];
}

const ONE: Shape = { kind: '0.resource.kind', actions: ['0.action'] };
const SEVERAL: Shape = { kind: '0.resource.kind', actions: ['0.actions.[]'] };
const LIST: Shape = { each: '0.resources.[]', kind: 'resource.kind', actions: ['actions.[]'] };
const PREPARED: Shape = { kind: '1.kind', actions: ['0'] };
const GUARD: Shape = { kind: '0.resource.kind', actions: ['0.action', '0.also.[]', '0.hiddenWithout'] };

/** What asks: the calls of the library, by the type that declares them. */
const SHAPES: { readonly [callee: string]: Shape } = {
  'Engine.isAllowed': ONE,
  'Engine.check': LIST,
  'Engine.plan': SEVERAL,
  'AuthzClient.isAllowed': ONE,
  'AuthzClient.check': SEVERAL,
  'AuthzClient.checkAll': LIST,
  'AuthzClient.plan': SEVERAL,
  'PreparedPrincipal.can': PREPARED,
  'ExpressGuard.': GUARD,
  'FastifyGuard.': GUARD,
  'HonoGuard.': GUARD,
  'NestGuard.': GUARD,
  'NextGuard.': GUARD,
  'TrpcGuard.': GUARD,
  'UseAccess.': PREPARED,
  'UseAccesses.': { kind: '1.kind', actions: ['0.[]'] },
};

/** Where the arguments of a call have kinds and actions; undefined for a call that asks nothing. */
function findShape(call: CallExpression): Shape | undefined {
  const callee = findCallee(call.getExpression());
  return callee !== undefined && callee.package === PACKAGE_NAMES.library ? shapeOfCallee(callee) : undefined;
}

function shapeOfCallee({ owner, name }: Callee): Shape | undefined {
  const key = `${owner}.${name}`;
  return Object.hasOwn(SHAPES, key) ? SHAPES[key] : undefined;
}

const asking = new WeakMap<CallExpression, boolean>();

/** Whether a call asks the policies. */
export function isAsk(call: CallExpression): boolean {
  let known = asking.get(call);
  if (known === undefined) {
    known = findShape(call) !== undefined;
    asking.set(call, known);
  }
  return known;
}

/** The kinds and actions that the calls in a file ask about. Wrappers are followed to their callers. */
export function asksIn(file: SourceFile): readonly Ask[] {
  return file.getDescendantsOfKind(SyntaxKind.CallExpression).filter(isAsk).flatMap(readAsks);
}

function readAsks(call: CallExpression): readonly Ask[] {
  const { each, kind, actions } = findShape(call) as Shape;
  if (each === undefined) {
    const kinds = argumentSlot(call, kind);
    return actions.flatMap((path) => pairs(kinds, argumentSlot(call, path), call));
  }
  return findElements(argumentSlot(call, each) ?? { node: call, path: [] }).flatMap((element) =>
    actions.flatMap((path) => pairs(below(element, kind), below(element, path), call)),
  );
}

function argumentSlot(call: CallExpression, path: string): Slot | undefined {
  const [index, ...rest] = path.split('.');
  const node = call.getArguments()[Number(index)];
  return node && { node, path: rest };
}

function below(slot: Slot, path: string): Slot {
  return { ...slot, path: [...slot.path, ...path.split('.')] };
}

/** Kinds and actions together: a caller that passes both passes one pair, not every combination. */
function pairs(
  kindSlot: Slot | undefined,
  actionSlot: Slot | undefined,
  call: AnyNode,
  trail: readonly FunctionNode[] = [],
): readonly Ask[] {
  if (kindSlot === undefined || actionSlot === undefined) return [];
  return findOutcomes(kindSlot).flatMap((kind) =>
    findOutcomes(actionSlot).flatMap((action) => together(kind, action, call, trail)),
  );
}

function together(kind: Outcome, action: Outcome, call: AnyNode, trail: readonly FunctionNode[]): readonly Ask[] {
  const parameter = [kind, action].find((outcome) => outcome.kind === 'parameter' && !trail.includes(outcome.fn)) as
    | Extract<Outcome, { kind: 'parameter' }>
    | undefined;
  const places = parameter === undefined ? [] : callSites(parameter.fn);
  if (parameter === undefined || places.length === 0)
    return settled(kind).flatMap((one) =>
      settled(action).map((other) => ({
        kind: one.text,
        action: other.text,
        kindNode: one.node,
        actionNode: other.node,
        call,
      })),
    );
  const { fn } = parameter;
  return places.flatMap((site) => {
    const isKnown = findArguments(site) !== undefined || findList(site) !== undefined;
    const passed = (outcome: Outcome): readonly Outcome[] => {
      if (outcome.kind !== 'parameter' || outcome.fn !== fn) return [outcome];
      if (!isKnown)
        return settled(outcome, site).map(({ text, node }) =>
          text === undefined ? { kind: 'unknown', node } : { kind: 'text', text, node },
        );
      const slot = bind(outcome, site);
      return slot === undefined ? [] : findOutcomes(slot);
    };
    return passed(kind).flatMap((one) => passed(action).flatMap((other) => together(one, other, call, [...trail, fn])));
  });
}

/** What is left of a part that has no caller to ask: the texts of its type, or none. */
function settled(
  outcome: Outcome,
  at: AnyNode = outcome.kind === 'parameter' ? outcome.slot.node : outcome.node,
): readonly { readonly text: string | undefined; readonly node: AnyNode }[] {
  if (outcome.kind !== 'parameter')
    return [{ text: outcome.kind === 'text' ? outcome.text : undefined, node: outcome.node }];
  const typed = textsOfType(outcome.slot);
  if (typed === undefined) return [{ text: undefined, node: at }];
  return typed.map((text) => ({ text: text.kind === 'text' ? text.text : undefined, node: at }));
}
