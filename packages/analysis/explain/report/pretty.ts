import type {
  Change,
  Clause,
  ConditionTree,
  ExplainedRule,
  Explanation,
  FilePlace,
  NearMisses,
  Outcome,
  Step,
} from '../../../../runtime/engine/parts.js';
import type { AccessRequest } from '../../../../runtime/engine/index.js';
import type { Paint } from '../../../../compiler/diagnostics/paint.js';
import { visible, visibleJson } from '../../../../compiler/diagnostics/visible.js';
import { isClause, isTrue, shown } from '../condition-tree.js';

/** How an explanation is shown. */
export interface PrettyOptions {
  readonly paint: Paint;
  /** The path of a policy as the reader would open it. */
  readonly pathOf: (file: string) => string;
  /** Whether values are shown whole; otherwise they are cut. */
  readonly full: boolean;
}

/** A line of a tree. */
export interface Line {
  readonly depth: number;
  readonly text: string;
}

/** An explanation as a tree of lines. */
export function prettyExplanation(
  request: AccessRequest,
  explanation: Explanation,
  options: PrettyOptions,
): readonly string[] {
  const writer = new Writer(options);
  writer.head(request, explanation);
  writer.steps(0, explanation, explanation.steps);
  if (explanation.unreached !== undefined) writer.line(0, visible(explanation.unreached));
  writer.nearMisses(explanation);
  return writer.lines.map(({ depth, text }) => `${'  '.repeat(depth)}${text}`);
}

/**
 * Why a decision is as it is, and no more: the rules that decided; if none did, those that could have allowed; and for
 * an ALLOW also those that could have denied. A rule that several roles reach comes once.
 *
 * @param sources rules, as outputs name them: then it is about these instead. Without lines if none of them was
 *   reached.
 */
export function briefExplanation(
  explanation: Explanation,
  options: PrettyOptions,
  sources: readonly string[] = [],
): readonly Line[] {
  const steps = relevantSteps(explanation, sources);
  if (sources.length > 0 && steps.length === 0) return [];
  const writer = new Writer(options);
  writer.line(
    0,
    `WHY: ${visible(sources.length > 0 ? 'the rule of the output' : (explanation.unreached ?? reason(explanation)))}`,
  );
  writer.steps(1, explanation, steps);
  return writer.lines;
}

/** A condition as a tree of lines, each part with its values. */
export function prettyCondition(tree: ConditionTree, options: PrettyOptions): readonly string[] {
  const writer = new Writer(options);
  writer.tree(tree, 0, true);
  return writer.lines.map(({ depth, text }) => `${'  '.repeat(depth)}${text}`);
}

function relevantSteps({ decision, decidedBy, steps }: Explanation, sources: readonly string[]): readonly Step[] {
  const matters = ({ policy }: Step, { name, place, effect, inverted }: ExplainedRule): boolean => {
    const rule = `${policy}#${name}`;
    if (sources.length > 0) return sources.includes(rule);
    const decided = decidedBy.some((own) => own.rule === rule && own.place.line === place.line);
    if (decision === 'ALLOW') return decided || effect === 'DENY';
    return decidedBy.length > 0 ? decided : effect === 'ALLOW' || inverted;
  };
  const seen = new Set<string>();
  const isNew = ({ policy }: Step, { name, place, derivedRole }: ExplainedRule): boolean => {
    const key = `${policy}#${name}:${place.line} ${derivedRole?.name}`;
    const isKnown = seen.has(key);
    seen.add(key);
    return !isKnown;
  };
  const denies = ({ isLimit, rules }: Step): boolean => isLimit && rules.length === 0 && sources.length === 0;
  return steps
    .map((step) => ({ ...step, rules: step.rules.filter((rule) => matters(step, rule) && isNew(step, rule)) }))
    .filter((step, index) => step.rules.length > 0 || (decision === 'DENY' && denies(steps[index] as Step)));
}

const UNPROVED = ', found by sampling: fewer may be enough';

/** What was tried in vain. */
function notFound({ isComplete, sampled = 0 }: NearMisses): string {
  const tried = isComplete
    ? 'no change of up to 3 of the values tried gives another decision'
    : 'the search for changes ended early: no set that was tried gives another decision';
  const requests = `${sampled} sampled ${sampled === 1 ? 'request' : 'requests'}`;
  return sampled === 0 ? `${tried}; others may` : `${tried}, nor does any of ${requests}; others may`;
}

/** What a part of a condition has to be for its rule to apply. */
type Wanted = boolean;

class Writer {
  readonly lines: Line[] = [];
  private role: string | undefined = undefined;
  private hasRole = false;

  constructor(private readonly options: PrettyOptions) {}

  line(depth: number, ...columns: readonly string[]): void {
    const text = columns.filter((column) => column !== '').join('  ');
    this.lines.push({ depth, text: text.trimEnd() });
  }

  private marked(depth: number, mark: string, ...columns: readonly string[]): void {
    const [first = '', ...rest] = columns;
    this.line(depth, `${mark} ${first}`, ...rest);
  }

  head({ principal, resource, action }: AccessRequest, explanation: Explanation): void {
    const { paint } = this.options;
    const { decision } = explanation;
    const may = decision === 'ALLOW' ? 'may' : 'may not';
    const what = visible(`${principal.id} ${may} ${action} ${resource.kind} ${resource.id}`);
    this.line(0, paint.strong(decision), `${what}: ${visible(reason(explanation))}`);
  }

  /** What decided: some of the steps of an explanation, or the violations of schemas that deny. */
  steps(depth: number, { validationErrors = [], isRejected = false }: Explanation, shown: readonly Step[]): void {
    for (const { source, path, message } of isRejected ? validationErrors : [])
      this.line(depth, visible(`${source === 'SOURCE_PRINCIPAL' ? 'principal' : 'resource'} ${path}: ${message}`));
    for (const step of shown) this.step(depth, step);
  }

  private step(depth: number, { role, policy, scope, isLimit, rules }: Step): void {
    const { paint } = this.options;
    if (!this.hasRole || role !== this.role) this.line(depth, role === undefined ? 'by name' : visible(`as ${role}`));
    this.hasRole = true;
    this.role = role;
    const where = scope === '' ? 'root scope' : `scope ${scope}`;
    this.line(depth + 1, visible(where), paint.faint(visible(policy)));
    if (isLimit && rules.length === 0)
      this.marked(depth + 2, MARKS.no(paint), visible(`this role policy does not list the action, so it denies`));
    const width = Math.max(0, ...rules.map(({ name }) => visible(name).length));
    for (const rule of rules) this.rule(depth + 2, rule, width, isLimit);
  }

  nearMisses({ decision, nearMisses }: Explanation): void {
    if (nearMisses === undefined) return;
    const { changes, sampled } = nearMisses;
    const [first] = changes;
    if (first === undefined) {
      this.line(0, notFound(nearMisses));
      return;
    }
    const count = `${first.length} ${first.length === 1 ? 'change' : 'changes'}`;
    const found = `would be ${decision === 'ALLOW' ? 'denied' : 'allowed'} with ${count}`;
    this.line(0, sampled === undefined || first.length === 1 ? found : `${found}${UNPROVED}`);
    for (const set of changes) this.line(1, set.map((change) => this.change(change)).join(', '));
  }

  private change({ path, from, to }: Change): string {
    const value = (of: unknown): string => (of === undefined ? 'absent' : this.cut(visibleJson(of)));
    return `${visible(path)} ${value(from)} → ${value(to)}`;
  }

  private rule(depth: number, rule: ExplainedRule, width: number, isLimit: boolean): void {
    const { paint } = this.options;
    const { name, effect, place, result, inverted, derivedRole, condition } = rule;
    const applies = result === 'applies';
    const fails = result === 'fails';
    const denied = effect === 'ALLOW' ? MARKS.no(paint) : MARKS.rest(paint);
    const mark = fails ? MARKS.error(paint) : applies ? MARKS.yes(paint) : denied;
    const label = visible(name).padEnd(width);
    const limit = applies ? 'denies: its condition does not hold' : fails ? 'denies' : 'allows';
    const what = isLimit ? limit : effect.padEnd(5);
    this.marked(depth, mark, label, what, paint.faint(this.place(place)));
    if (derivedRole !== undefined) {
      const inactive = fails ? MARKS.error(paint) : MARKS.no(paint);
      const active = derivedRole.isActive ? MARKS.yes(paint) : inactive;
      this.marked(depth + 1, active, visible(derivedRole.name), paint.faint(this.place(derivedRole.place)));
      if (derivedRole.condition !== undefined && !derivedRole.isActive)
        this.tree(derivedRole.condition, depth + 2, true);
    }
    if (condition === undefined || derivedRole?.isActive === false) return;
    // The parts of a DENY that does not apply are as they should be.
    this.tree(condition, depth + 1, isLimit || (effect === 'DENY' ? applies !== inverted : !inverted));
  }

  tree(tree: ConditionTree, depth: number, wanted: Wanted): void {
    if (isClause(tree)) {
      this.clause(tree, depth, wanted);
      return;
    }
    const mark = tree.result === 'fails' ? MARKS.error(this.options.paint) : this.mark(isTrue(tree), wanted);
    this.marked(depth, mark, tree.kind);
    for (const part of tree.of) this.tree(part, depth + 1, tree.kind === 'none' ? !wanted : wanted);
  }

  private clause(clause: Clause, depth: number, wanted: Wanted): void {
    const { paint } = this.options;
    const { text, place, result, definition, comparison, values, of } = clause;
    const mark = 'error' in result ? MARKS.error(paint) : this.mark(isTrue(clause), wanted);
    const detail = of !== undefined || 'error' in result ? '' : (comparison ?? readValues(values));
    const columns = [
      oneLine(text),
      paint.faint(this.place(place)),
      definition === undefined ? '' : oneLine(definition),
    ];
    this.marked(depth, mark, ...columns, this.cut(visible(detail)), this.cut(visible(unusual(result))));
    for (const part of of ?? []) this.clause(part, depth + 1, wanted);
  }

  private mark(isHolding: boolean, wanted: Wanted): string {
    const { paint } = this.options;
    if (isHolding === wanted) return isHolding ? MARKS.yes(paint) : MARKS.rest(paint);
    return MARKS.no(paint);
  }

  private place({ file, line, column }: FilePlace): string {
    return visible(`${this.options.pathOf(file)}:${line}:${column}`);
  }

  private cut(text: string): string {
    return this.options.full || text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
  }
}

/** The longest value that is shown whole, in characters. */
const LONGEST = 80;

const MARKS = {
  yes: (paint: Paint): string => paint.strong('✔'),
  no: (paint: Paint): string => paint.mark('✘'),
  rest: (paint: Paint): string => paint.faint('·'),
  error: (paint: Paint): string => paint.mark('!'),
};

function reason({ decision, decidedBy, steps, matchedPolicy, isRejected = false }: Explanation): string {
  if (isRejected) return 'attributes violate their schemas';
  const names = decidedBy.map(({ rule }) => rule.slice(rule.indexOf('#') + 1));
  if (decidedBy[0]?.result === 'fails') return `${names[0]} cannot be evaluated, and evaluation is strict`;
  if (names.length > 0) return `${names.join(', ')} ${names.length === 1 ? 'applies' : 'apply'}`;
  const denying = steps.find(({ isLimit, policy, rules }) => isLimit && policy === matchedPolicy && rules.length === 0);
  if (denying !== undefined) return `${denying.policy} does not list the action`;
  return decision === 'DENY' ? 'no rule allows' : matchedPolicy;
}

/** A result that is neither true nor false. */
function unusual(result: Outcome): string {
  if ('error' in result) return `cannot be evaluated: ${result.error}`;
  return typeof result.value === 'boolean' ? '' : `is ${shown(result)}, not a boolean`;
}

function readValues(values: Clause['values']): string {
  return (values ?? []).map(({ text, result }) => `${text} is ${shown(result)}`).join(', ');
}

function oneLine(text: string): string {
  return visible(text.trim().replace(/\s*\n\s*/g, ' '));
}
