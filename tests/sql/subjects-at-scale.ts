import type { Engine, PrincipalInput, ResourceInput } from '../../runtime/engine/index.js';
import { subjectPlans } from '../../packages/analysis/subjects/subject-plans.js';
import { renderSubjects } from '../../runtime/residual/sql/index.js';
import { Random } from '../support/oracle/random.js';
import { randomAttributes, randomRequest } from '../support/oracle/random-store.js';
import { randomSubjectEngine, rolesIn, type Storage, type User, type UserDatabase, usersTable } from './subjects.js';

/** The storages that all databases have: a decision is computed once, and compared with each of them. */
const STORAGES: readonly Storage[] = ['one', 'rows', 'joined', 'list'];

/** Each action that policies of random stores name, and one that only globs match. */
const ACTIONS = ['view', 'edit', 'view:public', 'view:public:x', 'delete', 'something'];

/** What was compared: cells are users by resources by actions by databases. */
export interface ScaleCounts {
  asked: number;
  refused: number;
  cells: number;
  selected: number;
  queries: number;
}

/**
 * Asks who may do what of a random store by SQL, and by a check of each user. Resources of which policies ask the same
 * share a query. Returns the differences.
 */
export async function compareAtScale(
  databases: readonly UserDatabase[],
  users: readonly User[],
  seed: number,
  resources: number,
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
  const selections = databases.map((database) => new Selections(database, counts));
  const wrong: string[] = [];
  for (let i = 0; i < resources; i += 1) {
    const { resource: found } = randomRequest(random);
    const id = random.pick(['r', 'u1']);
    const resource = { ...found, id, attr: randomAttributes(random) } as ResourceInput;
    for (const action of ACTIONS) {
      const plan = engine.planSubjects({ resource, action, principal: place });
      let allowed: Uint8Array | undefined;
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
        allowed ??= decideEach(engine, principals, resource, action);
        const selected = await (selections[index] as Selections).of(storage, condition);
        counts.cells += users.length;
        for (let position = 0; position < users.length; position += 1) {
          if (selected.has(position)) counts.selected += 1;
          if (selected.has(position) === (allowed[position] === 1)) continue;
          wrong.push(
            `seed ${seed}, ${dialect}, ${storage}: ${action} on ${JSON.stringify(resource)} by ${JSON.stringify(users[position])}\n  ${condition.text}`,
          );
        }
      }
    }
  }
  return wrong;
}

function decideEach(
  engine: Engine,
  principals: readonly (PrincipalInput | undefined)[],
  resource: ResourceInput,
  action: string,
): Uint8Array {
  return Uint8Array.from(principals, (principal) =>
    principal !== undefined && engine.isAllowed({ principal, resource, action }) ? 1 : 0,
  );
}

/** The positions that conditions select, each asked for once. */
class Selections {
  private readonly known = new Map<string, Promise<ReadonlySet<number>>>();

  constructor(
    private readonly database: UserDatabase,
    private readonly counts: ScaleCounts,
  ) {}

  of(
    storage: Storage,
    { text, parameters }: { readonly text: string; readonly parameters: readonly unknown[] },
  ): Promise<ReadonlySet<number>> {
    const key = JSON.stringify([text, parameters]);
    let found = this.known.get(key);
    if (found === undefined) {
      this.counts.queries += 1;
      found = this.database.select(`SELECT position FROM users_${storage} WHERE ${text}`, parameters);
      this.known.set(key, found);
    }
    return found;
  }
}
