import type { PrincipalInput, ResourceInput } from '../../runtime/engine/index.js';
import { subjectPlans } from '../../packages/analysis/subjects/subject-plans.js';
import { renderSubjects } from '../../runtime/residual/sql/index.js';
import { Random } from '../support/oracle/random.js';
import { randomAttributes, randomRequest } from '../support/oracle/random-store.js';
import { randomSubjectEngine, rolesIn, type Storage, type User, type UserDatabase, usersTable } from './subjects.js';

/** The storages that all databases have: a decision is computed once, and compared with each of them. */
const STORAGES: readonly Storage[] = ['one', 'rows', 'joined', 'list'];

/** Each action that policies of random stores name, and one that only globs match. */
const ACTIONS = ['view', 'edit', 'view:public', 'view:public:x', 'delete', 'something'];

/** What was compared: cells are users by resources by actions by databases; conditions have all users as cells. */
export interface ScaleCounts {
  asked: number;
  refused: number;
  cells: number;
  selected: number;
  queries: number;
}

/** How much of a store is compared. */
export interface Scale {
  readonly resources: number;
  /**
   * Of a condition that another resource or action had before, every nth user is checked, and others for the next resource. A
   * condition selects a row by its own columns and related rows, so that it selects the same users whichever resource it is
   * of: what is left to compare is whether the resource should have had it.
   */
  readonly every: number;
}

/**
 * Asks who may do what of a random store by SQL, and by checks of users: of all of them the first time that a database is
 * asked a condition. Returns the differences.
 */
export async function compareAtScale(
  databases: readonly UserDatabase[],
  users: readonly User[],
  seed: number,
  { resources, every }: Scale,
  counts: ScaleCounts,
): Promise<readonly string[]> {
  const random = new Random(seed);
  const { engine, hasTenants } = await randomSubjectEngine(random, { subjectPlans });
  const storage = STORAGES[seed % STORAGES.length] as Storage;
  const place = random.chance(hasTenants ? 0.8 : 0.3) ? { scope: random.pick(['', 'a', '.a', 'a.b', 'z']) } : {};
  const principals = users.map((user): PrincipalInput | undefined => {
    const roles = rolesIn(storage, user);
    const isUser = roles !== undefined && user.isGone !== true && user.id !== null && user.id !== '';
    return isUser ? { id: user.id, roles, attr: user.attr, ...place } : undefined;
  });
  const selections = databases.map((database) => new Selections(database, users.length, counts));
  const wrong: string[] = [];
  for (let i = 0; i < resources; i += 1) {
    const { resource: found } = randomRequest(random);
    const id = random.pick(['r', 'u1']);
    const resource = { ...found, id, attr: randomAttributes(random) } as ResourceInput;
    for (const action of ACTIONS) {
      const plan = engine.planSubjects({ resource, action, principal: place });
      const allowed = new Map<number, boolean>();
      const isAllowed = (position: number): boolean => {
        let known = allowed.get(position);
        if (known === undefined) {
          const principal = principals[position];
          known = principal !== undefined && engine.isAllowed({ principal, resource, action });
          allowed.set(position, known);
        }
        return known;
      };
      for (const [index, database] of databases.entries()) {
        counts.asked += 1;
        const { dialect } = database;
        const condition =
          plan.kind === 'refused'
            ? plan
            : renderSubjects(plan.filter, usersTable(storage), { dialect, rules: plan.rules });
        if (condition.kind === 'refused') {
          counts.refused += 1;
          continue;
        }
        const { isNew, selected } = (selections[index] as Selections).of(storage, condition);
        const positions = await selected;
        for (let at = isNew ? 0 : i % every; at < users.length; at += isNew ? 1 : every) {
          counts.cells += 1;
          const isSelected = positions[at] === 1;
          if (isSelected) counts.selected += 1;
          if (isSelected === isAllowed(at)) continue;
          wrong.push(
            `seed ${seed}, ${dialect}, ${storage}: ${action} on ${JSON.stringify(resource)} by ${JSON.stringify(users[at])}\n  ${condition.text}`,
          );
        }
      }
    }
  }
  return wrong;
}

/** The positions that conditions select, each asked for once. */
class Selections {
  private readonly known = new Map<string, Promise<Uint8Array>>();

  constructor(
    private readonly database: UserDatabase,
    private readonly users: number,
    private readonly counts: ScaleCounts,
  ) {}

  /** A byte for each user: 1 if the condition selects it. */
  of(
    storage: Storage,
    { text, parameters }: { readonly text: string; readonly parameters: readonly unknown[] },
  ): { readonly isNew: boolean; readonly selected: Promise<Uint8Array> } {
    const key = JSON.stringify([text, parameters]);
    const known = this.known.get(key);
    if (known !== undefined) return { isNew: false, selected: known };
    this.counts.queries += 1;
    const selected = this.select(`SELECT position FROM users_${storage} WHERE ${text}`, parameters);
    this.known.set(key, selected);
    return { isNew: true, selected };
  }

  private async select(query: string, parameters: readonly unknown[]): Promise<Uint8Array> {
    const selected = new Uint8Array(this.users);
    for (const position of await this.database.select(query, parameters)) selected[position] = 1;
    return selected;
  }
}
