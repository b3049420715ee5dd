SELECT pg_export_snapshot() AS snapshot, current_setting('server_version_num')::integer / 10000 AS major,
       split_part(current_setting('server_version'), ' ', 1) AS postgresql, v.version, v.name, r.revision,
       token_of(r.revision) AS token, (SELECT count(*) FROM measurement) AS measurements
FROM schema_version v, registry r
ORDER BY v.version DESC LIMIT 1
