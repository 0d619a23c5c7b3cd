import { quotedName, quotedPart } from '../../analysis/sql-names.js';
import { policyStatement } from '../../analysis/rls/script.js';
import { COMMANDS } from '../../../compiler/tables/schema.js';
import type { Command } from '../../../compiler/tables/row-security.js';
import type { TablePolicy, TableProtection } from '../../analysis/rls/protection.js';
import type { CataloguePolicy, CatalogueTable } from './catalogue.js';
import { type ExpectedTexts, policyKey, type PolicyTexts } from './expected-texts.js';
import { note, refuted, type RlsFinding, unknown } from './finding.js';

/** What the policies of a table are compared with. */
export interface Comparison {
  readonly protection: TableProtection;
  /** Undefined if nothing can be created in the database: then comments are compared. */
  readonly expected: ExpectedTexts | undefined;
}

/** Compares the policies of a table with those that it should have, each statement by itself. */
export function policyFindings(table: CatalogueTable, comparison: Comparison): readonly RlsFinding[] {
  const findings = COMMANDS.flatMap((command) => new CommandPolicies(table, comparison, command).findings());
  const restrictive = table.policies.filter(({ permissive, appliesTo }) => !permissive && appliesTo.length > 0);
  return distinct([
    ...findings,
    ...restrictive.map(({ name }) =>
      note(
        'extra-restrictive',
        nameObject(name, table),
        'it is restrictive: it hides rows that check allows, and shows no others',
        { table: table.name },
      ),
    ),
  ]);
}

/** A policy for ALL is found for each statement. */
function distinct(findings: readonly RlsFinding[]): readonly RlsFinding[] {
  const byKey = new Map<string, RlsFinding>();
  for (const finding of findings) {
    const key = `${finding.id} ${finding.object}`;
    const other = byKey.get(key);
    if (other === undefined || (other.certainty !== 'refuted' && finding.certainty === 'refuted'))
      byKey.set(key, finding);
  }
  return [...byKey.values()];
}

const LETTERS: Readonly<Record<Command, string>> = { select: 'r', insert: 'a', update: 'w', delete: 'd' };

/** The policies of a table for one statement, against the policy that it should have. */
class CommandPolicies {
  private readonly wanted: TablePolicy | undefined;
  private readonly applying: readonly CataloguePolicy[];

  constructor(
    private readonly table: CatalogueTable,
    private readonly comparison: Comparison,
    private readonly command: Command,
  ) {
    this.wanted = comparison.protection.policies.find((policy) => policy.command === command);
    this.applying = table.policies.filter(
      (policy) =>
        policy.permissive &&
        policy.appliesTo.length > 0 &&
        (policy.command === '*' || policy.command === LETTERS[command]),
    );
  }

  findings(): readonly RlsFinding[] {
    const { wanted } = this;
    if (wanted === undefined) return this.applying.flatMap((policy) => this.extra(policy));
    const { expected } = this.comparison;
    const texts = expected?.policies.get(policyKey(this.table.name, wanted.name));
    if (texts !== undefined && 'reason' in texts)
      return [
        unknown('differs', this.object(wanted.name), `the policy cannot be created to compare it: ${texts.reason}`, {
          table: this.table.name,
          command: this.command,
          fix: texts.fix ?? this.fix(wanted),
        }),
      ];
    const own =
      texts === undefined
        ? this.applying.filter((policy) => policy.comment === wanted.comment && this.mayBe(policy, wanted))
        : this.applying.filter((policy) => this.isEqual(policy, texts));
    if (own.length === 0) return this.replaced(wanted, texts);
    const others = this.applying.filter((policy) => !own.includes(policy));
    return [
      ...own.flatMap((policy) => this.audience(policy, wanted)),
      ...(texts === undefined ? own.map((policy) => this.byComment(policy)) : []),
      ...this.uncovered(own, wanted),
      ...others.flatMap((policy) => this.extra(policy)),
    ];
  }

  /** Whether a policy tests the same for this statement: one for ALL, and one without WITH CHECK, may. */
  private isEqual(policy: CataloguePolicy, texts: PolicyTexts): boolean {
    const { using, check } = this.effective(policy);
    return using === texts.using && check === texts.check;
  }

  /** Whether a policy that has the comment of the wanted one is not surely another one: ALTER POLICY keeps the comment. */
  private mayBe(policy: CataloguePolicy, wanted: TablePolicy): boolean {
    const { using, check } = this.effective(policy);
    return [
      [using, wanted.using],
      [check, wanted.check],
    ].every(([text, expected]) => {
      if (text == null || expected === undefined) return text == null && expected === undefined;
      const value = this.constant(text);
      return value === undefined || String(value) === expected;
    });
  }

  /** What a policy tests for this statement. Without WITH CHECK, UPDATE and ALL test USING on the row that is written. */
  private effective({ command, using, check }: CataloguePolicy): PolicyTexts {
    switch (this.command) {
      case 'select':
      case 'delete':
        return { using, check: null };
      case 'insert':
        return { using: null, check: check ?? (command === '*' ? using : null) };
      case 'update':
        return { using, check: check ?? using };
    }
  }

  /** No policy is the wanted one: one stands in its place, or none. */
  private replaced(wanted: TablePolicy, texts: PolicyTexts | undefined): readonly RlsFinding[] {
    const candidate =
      this.applying.find(({ name }) => name === wanted.name) ??
      (this.applying.length === 1 ? this.applying[0] : undefined);
    if (candidate === undefined)
      return [
        refuted(
          'missing-policy',
          `table ${this.table.name}`,
          `it has no policy for ${this.command.toUpperCase()} that applies to ${wanted === undefined ? '' : this.comparison.protection.roles.join(', ')}`,
          { table: this.table.name, command: this.command, fix: this.fix(wanted) },
        ),
        ...this.applying.flatMap((policy) => this.extra(policy)),
      ];
    return [
      ...this.difference(candidate, wanted, texts),
      ...this.audience(candidate, wanted),
      ...this.uncovered([candidate], wanted),
      ...this.applying.filter((policy) => policy !== candidate).flatMap((policy) => this.extra(policy)),
    ];
  }

  /** How a policy differs from the wanted one. */
  private difference(
    policy: CataloguePolicy,
    wanted: TablePolicy,
    texts: PolicyTexts | undefined,
  ): readonly RlsFinding[] {
    const more = { table: this.table.name, command: this.command, fix: this.fix(wanted) };
    const object = this.object(policy.name);
    const own = this.effective(policy);
    const findings: RlsFinding[] = [];
    if (wanted.using !== undefined && own.using !== texts?.using) {
      const value = own.using === null ? undefined : this.constant(own.using);
      if (value === true && wanted.using !== 'true')
        findings.push(refuted('always-true', object, `its USING is \`${own.using}\`: true for every row`, more));
      else if (value === false)
        findings.push(refuted('differs', object, `its USING is \`${own.using}\`: true for no row`, more));
      else findings.push(unknown('differs', object, this.differs('USING', own.using), more));
    }
    if (wanted.check !== undefined && own.check !== texts?.check) {
      const value = policy.check === null ? undefined : this.constant(policy.check);
      if (policy.check === null && this.command === 'insert' && policy.command !== '*')
        findings.push(refuted('missing-check', object, 'it has no WITH CHECK, so no row can be inserted', more));
      else if (policy.check === null && findings.length === 0)
        findings.push(
          refuted('missing-check', object, 'it has no WITH CHECK, so USING is tested on the row that is written', more),
        );
      else if (value === true && wanted.check !== 'true')
        findings.push(
          refuted('missing-check', object, `its WITH CHECK is \`${policy.check}\`: any row can be written`, more),
        );
      else if (value === false)
        findings.push(refuted('differs', object, `its WITH CHECK is \`${policy.check}\`: no row can be written`, more));
      else if (policy.check !== null)
        findings.push(unknown('differs', object, this.differs('WITH CHECK', policy.check), more));
    }
    return findings;
  }

  private differs(clause: string, text: string | null): string {
    if (this.comparison.expected === undefined)
      return 'its comment is not the one of this version; without --read-only the conditions are compared';
    return `its ${clause} is not the condition of the policies: \`${text ?? 'nothing'}\``;
  }

  private byComment({ name }: CataloguePolicy): RlsFinding {
    return unknown(
      'differs',
      this.object(name),
      'it is as installed, by its comment; --read-only compares nothing else',
      {
        table: this.table.name,
        command: this.command,
      },
    );
  }

  /** A permissive policy beside the wanted one: rows that either shows are seen. */
  private extra(policy: CataloguePolicy): readonly RlsFinding[] {
    const { using, check } = this.effective(policy);
    const conditions = [using, check].filter((text) => text !== null);
    const values = conditions.map((text) => this.constant(text));
    if (conditions.length === 0 || values.includes(false)) return [];
    const object = this.object(policy.name);
    const roles = policy.appliesTo.join(', ');
    const statement = this.command.toUpperCase();
    const more = {
      table: this.table.name,
      command: this.command,
      fix: `DROP POLICY ${quotedPart(policy.name)} ON ${quotedName(this.table.name)};`,
    };
    if (!this.canUse(policy))
      return [
        note('extra-permissive', object, `${roles} may not ${statement}, so it has no effect`, {
          table: this.table.name,
          command: this.command,
        }),
      ];
    if (this.wanted === undefined)
      return [
        unknown('extra-permissive', object, `it lets ${roles} ${statement}, which the table file leaves out`, more),
      ];
    return [
      values.every((value) => value === true)
        ? refuted('extra-permissive', object, `it lets ${roles} ${statement} every row`, more)
        : unknown(
            'extra-permissive',
            object,
            `it lets ${roles} ${statement} further rows: \`${conditions.join('` and `')}\``,
            more,
          ),
    ];
  }

  /** Whether a role that a policy applies to has the privilege for the statement. */
  private canUse({ appliesTo }: CataloguePolicy): boolean {
    return this.table.privileges.some(
      ({ role, privileges }) => appliesTo.includes(role) && privileges.includes(this.command.toUpperCase()),
    );
  }

  /** The roles that a policy is for, against those that it should be for. */
  private audience(policy: CataloguePolicy, wanted: TablePolicy): readonly RlsFinding[] {
    const { roles } = this.comparison.protection;
    if (roles.includes('PUBLIC')) return [];
    const more = { table: this.table.name, command: this.command, fix: this.fix(wanted) };
    if (policy.roles.includes(null))
      return [refuted('to-public', this.object(policy.name), `it is for PUBLIC instead of ${roles.join(', ')}`, more)];
    const others = policy.roles.filter((role) => role !== null && !roles.includes(role));
    if (others.length === 0) return [];
    return [
      unknown(
        'differs',
        this.object(policy.name),
        `it is also for ${others.join(', ')}, which the table file does not name`,
        more,
      ),
    ];
  }

  /** The roles that no policy for the statement applies to. */
  private uncovered(own: readonly CataloguePolicy[], wanted: TablePolicy): readonly RlsFinding[] {
    const isCovered = (role: string): boolean =>
      own.some(({ appliesTo, roles }) => (role === 'PUBLIC' ? roles.includes(null) : appliesTo.includes(role)));
    return this.comparison.protection.roles
      .filter((role) => !isCovered(role))
      .map((role) =>
        refuted(
          'missing-policy',
          `table ${this.table.name}`,
          `it has no policy for ${this.command.toUpperCase()} that applies to ${role}`,
          { table: this.table.name, command: this.command, fix: this.fix(wanted) },
        ),
      );
  }

  private constant(text: string): boolean | undefined {
    const known = this.comparison.expected?.constants.get(text);
    return known ?? (text === 'true' ? true : text === 'false' ? false : undefined);
  }

  private object(policy: string): string {
    return nameObject(policy, this.table);
  }

  private fix(wanted: TablePolicy): string {
    return createPolicy(this.comparison.protection, wanted);
  }
}

function nameObject(policy: string, { name }: Pick<CatalogueTable, 'name'>): string {
  return `policy ${policy} on ${name}`;
}

/** The statements that put a policy in its place. */
function createPolicy({ name, roles }: TableProtection, policy: TablePolicy): string {
  const table = quotedName(name);
  return `DROP POLICY IF EXISTS ${policy.name} ON ${table};\n${policyStatement(policy, table, roles)}`;
}
