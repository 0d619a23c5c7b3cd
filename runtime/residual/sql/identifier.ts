/**
 * The name of a column or a table, quoted where it must be: `contacts.owner_id`, `"Contacts"."order"`.
 *
 * @throws for what no database has as a name: an empty one, one with a NUL, one of more than 128 characters.
 */
export function identifier(name: string, quote: '"' | '`'): string {
  return name
    .split('.')
    .map((part) => quoted(part, quote))
    .join('.');
}

function quoted(name: string, quote: '"' | '`'): string {
  if (name === '' || name.length > 128 || /[\u0000-\u001f]/.test(name))
    throw new TypeError(`no name of a column or a table: ${JSON.stringify(name)}`);
  if (/^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name)) return name;
  return `${quote}${name.replaceAll(quote, quote + quote)}${quote}`;
}

/** Words that some dialect does not take as a name. One more is only quoted without need. */
const RESERVED: ReadonlySet<string> = new Set(
  `abort accessible action add after all alter always analyse analyze and any array as asc asensitive asymmetric attach authorization autoincrement before begin
  between bigint binary blob both by call cascade case cast change char character check collate collation column commit concurrently condition conflict
  constraint continue convert create cross cube cume_dist current current_catalog current_date current_role current_schema current_time current_timestamp
  current_user cursor database databases day_hour day_microsecond day_minute day_second dec decimal declare default deferrable deferred delayed delete
  dense_rank desc describe detach deterministic distinct distinctrow div do double drop dual each else elseif empty enclosed end escape escaped every except
  exclude exclusive exists exit explain fail false fetch filter first first_value float float4 float8 following for force foreign freeze from full fulltext
  function generated get glob grant group grouping groups having high_priority hour_microsecond hour_minute hour_second if ignore ilike immediate in index
  indexed infile initially inner inout insensitive insert instead int int1 int2 int3 int4 int8 integer intersect interval into is isnull iterate join json_table
  key keys kill lag last last_value lateral lead leading leave left like limit linear lines load localtime localtimestamp lock long longblob longtext loop
  low_priority match materialized maxvalue mediumblob mediumint mediumtext middleint minute_microsecond minute_second mod modifies natural no not nothing
  notnull nth_value ntile null nulls numeric of offset on only optimize optimizer_costs option optionally or order others out outer outfile over overlaps
  partition percent_rank placing plan pragma preceding precision primary procedure purge query raise range rank read reads read_write real recursive
  references regexp reindex release rename repeat replace require resignal restrict return returning revoke right rlike rollback row row_number rows
  savepoint schema schemas second_microsecond select sensitive separator session_user set show signal similar smallint some spatial specific sql
  sqlexception sqlstate sqlwarning ssl starting stored straight_join symmetric system system_user table tablesample temp temporary terminated then ties
  tinyblob tinyint tinytext to trailing transaction trigger true unbounded undo union unique unlock unsigned update usage use user using utc_date utc_time
  utc_timestamp vacuum values varbinary varchar varcharacter variadic varying verbose view virtual when where while window with without write xor
  year_month zerofill`.split(/\s+/),
);
