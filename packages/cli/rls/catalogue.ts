/** What the catalogue of a database says of the tables that it should protect, at one moment. */
export interface Catalogue {
  /** `150018` for 15.18. */
  readonly server: number;
  /** Whether it is a replica, which creates nothing. */
  readonly isReplica: boolean;
  readonly tables: readonly CatalogueTable[];
  /** The tables that conditions read beside their own. */
  readonly related: readonly RelatedTable[];
  /** The roles that were asked about, each with the roles that it may become. Roles that do not exist are absent. */
  readonly roles: readonly CatalogueRole[];
  /** The names of roles of the database, at most 2000, without those of PostgreSQL. */
  readonly roleNames: readonly string[];
  /** The role that reads related tables; undefined if there is none, or none is needed. */
  readonly reader:
    | {
        readonly role: string;
        readonly canLogin: boolean;
        readonly isExempt: boolean;
        /** The tables and views that it owns. */
        readonly owns: readonly string[];
        /** Those of the roles that statements run as that are members of it. */
        readonly members: readonly string[];
      }
    | undefined;
  /** The functions in the schema `authz`. */
  readonly functions: readonly CatalogueFunction[];
  /** The schema `authz`; undefined if there is none. */
  readonly schema: { readonly owner: string; readonly creators: readonly string[] } | undefined;
  /** Who may read or change the keys of signatures; undefined if there are none. */
  readonly keys: { readonly owner: string; readonly users: readonly string[] } | undefined;
  /** The settings of a principal that sessions begin with. */
  readonly defaults: readonly DefaultSetting[];
  /** The version that the database says it has; undefined if it says nothing. */
  readonly version: string | undefined;
}

/** A role that statements run as, and one that it can act as: itself, or a role it is a member of. */
export interface CatalogueRole {
  readonly role: string;
  readonly as: string;
  readonly isSuperuser: boolean;
  readonly isExempt: boolean;
  readonly canLogin: boolean;
  /** Whether it can make itself a member of any other role: CREATEROLE before PostgreSQL 16. */
  readonly createsRoles: boolean;
}

/** A setting that the sessions of a role, of all roles or of a database begin with. */
export interface DefaultSetting {
  readonly setting: string;
  /** Null: all roles. */
  readonly role: string | null;
  /** Null: all databases. */
  readonly database: string | null;
}

/** A table as the catalogue has it. */
export interface CatalogueTable {
  /** The name as it was asked for, such as `public.invoices`. */
  readonly name: string;
  /** One letter of `pg_class.relkind`: `r` is a table, `p` a partitioned one. */
  readonly kind: string;
  readonly owner: string;
  readonly isSecured: boolean;
  readonly isForced: boolean;
  readonly policies: readonly CataloguePolicy[];
  readonly columns: readonly CatalogueColumn[];
  readonly privileges: readonly TablePrivileges[];
  readonly relatives: readonly Relative[];
  readonly views: readonly View[];
  readonly functions: readonly DefinerFunction[];
  readonly uniques: readonly {
    readonly name: string;
    readonly columns: readonly string[];
    readonly primary: boolean;
  }[];
  readonly cascades: readonly { readonly name: string; readonly parent: string; readonly action: string }[];
  readonly publications: readonly string[];
}

/** A table that conditions of other tables read. */
export interface RelatedTable extends Pick<CatalogueTable, 'name' | 'kind' | 'isSecured' | 'columns'> {
  /** Whether a policy shows all of its rows to the reader. */
  readonly isShown: boolean;
  /** Whether a restrictive policy hides rows from the reader. */
  readonly isRestricted: boolean;
}

/** A policy as the catalogue has it. */
export interface CataloguePolicy {
  readonly name: string;
  /** `r`, `a`, `w`, `d`, or `*` for all commands. */
  readonly command: string;
  readonly permissive: boolean;
  /** The roles that it names; null stands for PUBLIC. */
  readonly roles: readonly (string | null)[];
  /** Those of the roles that were asked about to which it applies. */
  readonly appliesTo: readonly string[];
  readonly using: string | null;
  readonly check: string | null;
  readonly comment: string | null;
}

/** A column as the catalogue has it. */
export interface CatalogueColumn {
  readonly name: string;
  /** The type below its domains, as `format_type` writes it without a modifier: `character varying`. */
  readonly type: string;
  /** One letter of `pg_type.typtype`: `e` is an enum. */
  readonly typeKind: string;
  readonly nullable: boolean;
  readonly collation: string | null;
  readonly deterministic: boolean | null;
}

/** What a role may do with a table. */
export interface TablePrivileges {
  readonly role: string;
  readonly privileges: readonly string[];
  /** The columns that it may update. */
  readonly updatable: readonly string[];
}

/** A partition, a child or a parent, through which the rows of a table are read without the policies of the table. */
export interface Relative {
  readonly name: string;
  readonly relation: 'child' | 'parent';
  readonly isSecured: boolean;
  readonly policies: number;
  /** The roles that may read or change it. */
  readonly roles: readonly string[];
}

/** A view that reads a table, directly or through another view. */
export interface View {
  readonly name: string;
  readonly isMaterialized: boolean;
  /** Whether it reads with the rights of the role that asks. */
  readonly isInvoker: boolean;
  readonly owner: string;
  /** Whether policies do not apply to its owner. */
  readonly isOwnerExempt: boolean;
  /** The roles that may read it. */
  readonly roles: readonly string[];
}

/** A SECURITY DEFINER function whose body names a table. */
export interface DefinerFunction {
  readonly name: string;
  readonly owner: string;
  readonly isOwnerExempt: boolean;
  /** The roles that may call it. */
  readonly roles: readonly string[];
}

/** A function in the schema `authz`. */
export interface CatalogueFunction {
  readonly name: string;
  /** `VARIADIC names text[]`. */
  readonly arguments: string;
  readonly result: string;
  readonly language: string;
  readonly body: string;
  /** `i`, `s` or `v`: IMMUTABLE, STABLE or VOLATILE. */
  readonly volatility: string;
  readonly isDefiner: boolean;
  readonly settings: readonly string[] | null;
  readonly owner: string;
}
