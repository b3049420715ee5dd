-- Counts tables and other relations with rows, without relations of extensions. Also answers if they belong to a hub,
-- and the time.
SELECT current_setting('server_version_num')::integer / 10000, count(*),
       coalesce(array_to_string((array_agg(relname ORDER BY relname))[1:3], ', '), ''),
       to_regclass('schema_version') IS NOT NULL AND to_regclass('registry') IS NOT NULL, clock_timestamp()
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
