-- True if $1 more rows exceed a tenth of the rows in the planner's statistics, or if there are no statistics. After a
-- restore, pg_class has a row count from building the indexes, but pg_stats is empty.
SELECT $1::float8 > greatest(c.reltuples, 0) / 10
       OR NOT EXISTS (SELECT FROM pg_stats
                      WHERE schemaname = n.nspname AND tablename = c.relname AND attname = 'key')
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = 'measurement'::regclass
