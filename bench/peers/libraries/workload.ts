import type { AccessRequest } from '../../../runtime/engine/index.js';
import type { PolicyTexts } from '../../workload/leave-policies.js';

/** One question, the same for every library. */
export interface Question extends AccessRequest {
  readonly principal: Principal;
  readonly resource: Resource;
}

/** The principal of a question. */
export interface Principal {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: Attributes;
}

/** The resource of a question. */
export interface Resource {
  readonly kind: string;
  readonly id: string;
  readonly attr: Attributes;
}

/** Attributes that all libraries can have. */
export interface Attributes {
  readonly [name: string]: string | number | boolean | readonly string[];
}

/** Policies and questions about them. Libraries for which it has no form of the policies are not compared. */
export interface Workload {
  readonly name: string;
  /** The heading and the introduction of its table. */
  readonly title: string;
  readonly about: string;
  /** Figures that others published about it, with source and date. They are from other machines. */
  readonly quoted?: string;
  /** Generates random questions, the same in every run. */
  readonly questions: (count: number) => readonly Question[];
  readonly byHand: (question: Question) => boolean;
  /** The policies of authz, and in the form of each library. */
  readonly policies: PolicyTexts;
  readonly casl?: (principal: Principal) => readonly CaslRule[];
  /** Lines of role, kind, action and condition. Without conditions, the model of the enforcer has none. */
  readonly casbin?: readonly (readonly [role: string, kind: string, action: string, condition?: string])[];
  readonly cedar?: CedarPolicies;
  readonly permix?: (principal: Principal) => PermixRules;
  readonly accessControl?: (grants: Grants) => void;
  readonly easyRbac?: { readonly [role: string]: { readonly can: readonly EasyRbacRule[] } };
  /** The actions that each role may take. */
  readonly betterAuth?: { readonly [role: string]: readonly string[] };
  readonly oso?: string;
}

/** A rule of CASL, with conditions in the language of MongoDB. */
export interface CaslRule {
  readonly action: string | string[];
  readonly subject: string;
  readonly conditions?: object;
}

/** Policies in Cedar. Entities have the attributes of the questions, `id` and `roles`. */
export interface CedarPolicies {
  readonly text: string;
  /** The groups that principals and resources are in, with all that these are in. */
  readonly groups?: (question: Question) => Parents;
  /** Attributes that are groups, or lists of them. */
  readonly entities?: readonly string[];
  /** Types of principals and resources, for Cedarling. Without them it is not measured. */
  readonly schema?: string;
}

/** The ids of the groups that entities are in. */
export interface Parents {
  readonly principal?: readonly string[];
  readonly resource?: readonly string[];
}

/** Rules of Permix: for each kind and action whether it is allowed, or a function of the attributes. */
export interface PermixRules {
  readonly [kind: string]: { readonly [action: string]: boolean | ((attributes: Attributes) => boolean) };
}

/** What a policy of accesscontrol is built with. */
export interface Grants {
  grant(role: string): Grants;
  action(action: string, kind: string, attributes: readonly string[]): Grants;
  where(condition: string | object): Grants;
}

/** An operation of easy-rbac, `KIND:ACTION`, and its condition. */
export type EasyRbacRule =
  | string
  | { readonly name: string; readonly when: (parameters: EasyRbacParameters) => Promise<boolean> };

/** The parameters of conditions of easy-rbac. */
export interface EasyRbacParameters {
  readonly principal: Principal;
  readonly resource: Resource;
}

/** Decides the question with a number. */
export type Decide = (index: number) => boolean | Promise<boolean>;

/** Picks a value at random. Each picker picks the same values in every run. */
export type Pick = <T>(values: readonly T[]) => T;

/** Makes a picker: a linear congruential generator. */
export function createPicker(seed = 42): Pick {
  let state = seed;
  return (values) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return values[Math.floor((state / 2 ** 32) * values.length)] as (typeof values)[number];
  };
}

/** Passes questions through JSON, so that their strings are not identical to those of policies. */
export function asReceived(questions: readonly Question[]): readonly Question[] {
  return JSON.parse(JSON.stringify(questions)) as readonly Question[];
}

/** An attribute that is a list. */
export function listed(attributes: Attributes, name: string): readonly string[] {
  return attributes[name] as readonly string[];
}
