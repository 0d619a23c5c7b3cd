import type { DecisionLogEntry } from '../../proto/gen/audit-messages.js';
import { quoted } from './chain/canonical-json.js';
import type { AuditEntry } from './entry.js';

/**
 * An entry as JSON, as `JSON.stringify` writes it. What resources of a batch share, such as the principal, is the same
 * object in their inputs or outputs, so that its text is made once.
 */
export function entryText(entry: AuditEntry): string {
  const inputs = 'auditTrail' in entry ? entry.checkResources?.inputs : undefined;
  if (inputs === undefined || inputs.length < 2) return JSON.stringify(entry);
  // Joined at the end: strings that are added one by one are copied once more.
  const parts: string[] = [];
  pushMembers(parts, entry, (name, member) => {
    if (!BATCHED.has(name)) return JSON.stringify(member);
    pushMembers(parts, member as object, (_, list) => {
      if (!Array.isArray(list)) return JSON.stringify(list);
      pushItems(parts, list);
      return '';
    });
    return '';
  });
  return parts.join('');
}

/** The members of an entry whose lists have an item for each resource. */
const BATCHED: ReadonlySet<string> = new Set<keyof DecisionLogEntry>(['checkResources', 'facts']);

/** Adds an object. `push` gives the text of a member, or what is left of it to add. */
function pushMembers(parts: string[], value: object, push: (name: string, member: unknown) => string): void {
  let beginning = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    parts.push(beginning, quoted(name), ':');
    parts.push(push(name, member));
    beginning = ',';
  }
  parts.push(beginning === '{' ? '{}' : '}');
}

/** The texts of a member of several items, each with the name. */
interface MemberTexts {
  /** `"name":` with what comes before it. */
  readonly beginning: string;
  readonly known: Map<object, string>;
}

/** Adds a list of objects. */
function pushItems(parts: string[], items: readonly object[]): void {
  const first = new Map<string, MemberTexts>();
  const further = new Map<string, MemberTexts>();
  parts.push('[');
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as { readonly [name: string]: unknown };
    let texts = first;
    if (index > 0) parts.push(',');
    for (const name of Object.keys(item)) {
      const member = item[name];
      if (member === undefined) continue;
      pushMember(parts, member, textsOf(texts, name, texts === first ? '{' : ','));
      texts = further;
    }
    parts.push(texts === first ? '{}' : '}');
  }
  parts.push(']');
}

function textsOf(texts: Map<string, MemberTexts>, name: string, before: string): MemberTexts {
  const found = texts.get(name);
  if (found !== undefined) return found;
  const made: MemberTexts = { beginning: `${before}${quoted(name)}:`, known: new Map() };
  texts.set(name, made);
  return made;
}

function pushMember(parts: string[], member: unknown, { beginning, known }: MemberTexts): void {
  if (typeof member !== 'object' || member === null) {
    parts.push(beginning, typeof member === 'string' ? quoted(member) : JSON.stringify(member));
    return;
  }
  const found = known.get(member);
  if (found !== undefined) {
    parts.push(found);
    return;
  }
  const made = beginning + JSON.stringify(member);
  known.set(member, made);
  parts.push(made);
}
