-- Whether $1 rows more are over a tenth of those that the planner's statistics are of. After a restore there are none,
-- though building the indexes has counted the rows.
SELECT $1::float8 > greatest(c.reltuples, 0) / 10
       OR NOT EXISTS (SELECT FROM pg_stats
                      WHERE schemaname = n.nspname AND tablename = c.relname AND attname = 'key')
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = 'measurement'::regclass
