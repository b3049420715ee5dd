SELECT pg_export_snapshot(), split_part(current_setting('server_version'), ' ', 1),
       current_setting('server_version_num')::integer / 10000,
       v.version, v.name, r.revision, (SELECT count(*) FROM measurement)
FROM schema_version v, registry r
ORDER BY v.version DESC LIMIT 1
