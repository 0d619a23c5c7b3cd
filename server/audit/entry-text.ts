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
  return objectText(entry, (name, member) =>
    BATCHED.has(name) ? objectText(member as object, (_, list) => listText(list)) : JSON.stringify(member),
  );
}

/** The members of an entry whose lists have an item for each resource. */
const BATCHED: ReadonlySet<string> = new Set<keyof DecisionLogEntry>(['checkResources', 'facts']);

function objectText(value: object, textOf: (name: string, member: unknown) => string): string {
  let text = '';
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) text += `${text === '' ? '{' : ','}${quoted(name)}:${textOf(name, member)}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

/** A list of objects, or any other value. */
function listText(list: unknown): string {
  if (!Array.isArray(list)) return JSON.stringify(list);
  const first = new Map<string, MemberTexts>();
  const further = new Map<string, MemberTexts>();
  /** Those of the item before, which mostly has the same members. */
  const latest: MemberTexts[] = [];
  let text = '';
  for (const item of list as readonly { readonly [name: string]: unknown }[]) {
    let count = 0;
    text += text === '' ? '[' : ',';
    for (const name in item) {
      const member = item[name];
      if (member === undefined) continue;
      let texts = latest[count];
      if (texts?.name !== name) {
        texts = count === 0 ? textsOf(first, name, '{') : textsOf(further, name, ',');
        latest[count] = texts;
      }
      text += texts.textOf(member);
      count += 1;
    }
    text += count === 0 ? '{}' : '}';
  }
  return text === '' ? '[]' : `${text}]`;
}

function textsOf(texts: Map<string, MemberTexts>, name: string, before: string): MemberTexts {
  const found = texts.get(name) ?? new MemberTexts(name, `${before}${quoted(name)}:`);
  texts.set(name, found);
  return found;
}

/** The texts of a member of several items, each with the name. */
class MemberTexts {
  private latest: unknown = undefined;
  private latestText = '';
  /** The first values, with their texts: what items share is there early. */
  private readonly values: unknown[] = [];
  private readonly texts: string[] = [];

  /** @param beginning `"name":` with what comes before it. */
  constructor(
    readonly name: string,
    private readonly beginning: string,
  ) {}

  textOf(member: unknown): string {
    if (member === this.latest) return this.latestText;
    this.latest = member;
    this.latestText =
      typeof member === 'string' ? this.beginning + quoted(member) : (this.known(member) ?? this.added(member));
    return this.latestText;
  }

  private known(member: unknown): string | undefined {
    const { values, texts } = this;
    for (let index = 0; index < values.length; index++) if (values[index] === member) return texts[index];
    return undefined;
  }

  private added(member: unknown): string {
    const text = this.beginning + JSON.stringify(member);
    if (this.values.length < MOST_KNOWN) {
      this.values.push(member);
      this.texts.push(text);
    }
    return text;
  }
}

/** Entries share as many lists (server/audit/entry.ts). */
const MOST_KNOWN = 8;
