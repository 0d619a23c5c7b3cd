import type { Request } from '../../../runtime/policy/index.js';
import type { Module } from '../../../compiler/ir/program.js';
import type { Value } from '../../../compiler/ir/value.js';
import { some, listValues } from '../../../compiler/ir/visit.js';
import type { Holds } from '../formula/formula.js';
import { holds, makeSurroundings } from '../program/conditions.js';

/** Fields that are the same for all requests in question. `attr`, if known, lists all attributes. */
export type KnownFields<Side extends 'principal' | 'resource'> = Partial<Request[Side]>;

/** Evaluates conditions that read nothing but known fields of the resource, or of the principal. */
export class KnownSide<Side extends 'principal' | 'resource'> {
  private readonly request: Request;

  constructor(
    private readonly side: Side,
    private readonly fields: KnownFields<Side>,
  ) {
    this.request = {
      principal: { id: '', roles: [], attr: {}, policyVersion: '', scope: '', ...(side === 'principal' && fields) },
      resource: { kind: '', id: '', attr: {}, policyVersion: '', scope: '', ...(side === 'resource' && fields) },
      auxData: { jwt: {}, jwts: {} },
      effectiveDerivedRoles: [],
      failedDerivedRoles: [],
      globals: {},
      now: { seconds: 0, nanos: 0, offset: 0 },
    };
  }

  /** Whether a condition holds; undefined if that depends on more than the known fields. */
  evaluateCondition({ condition, module, failedIsNull }: Holds): boolean | undefined {
    if (!listValues(condition).every((value) => this.isKnown(value, module))) return undefined;
    return holds(condition, makeSurroundings(module, this.request, { failedIsNull }));
  }

  /** Whether a value is the same for all requests with these fields. */
  private isKnown(value: Value, module: Module): boolean {
    const isUnknown = (part: Value): boolean => {
      switch (part.kind) {
        case 'field':
          return part.of !== this.side || !Object.hasOwn(this.fields, part.name);
        case 'call':
          return !part.pure;
        case 'is-set':
        case 'variable': {
          if (part.kind === 'is-set' && part.binding !== 'variable') return part.binding === 'global';
          const variable = module.variables.find(({ name }) => name === part.name);
          return variable === undefined || !this.isKnown(variable.value, module);
        }
        case 'part':
        case 'global':
        case 'bindings':
          return true;
        default:
          return false;
      }
    };
    return !some(value, isUnknown);
  }
}
