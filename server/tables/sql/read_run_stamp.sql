-- A text that changes if read_run_times.sql would return other rows for these runs. Rows arrive in batches, and the
-- digest of a batch covers its request. The standing of a row changes only with a family file, targets.json or a
-- migration. Times and digests distinguish two batches that got the same number before and after a failover.
SELECT concat_ws(' ',
  (SELECT md5(string_agg(concat_ws(' ', id, run, extract(epoch FROM received), digest), ',' ORDER BY id))
   FROM batch WHERE run = ANY ($1::bigint[])),
  (SELECT concat_ws(' ', count(*), extract(epoch FROM max(created))) FROM family_version),
  (SELECT concat_ws(' ', count(*), extract(epoch FROM max(created))) FROM targets_version),
  (SELECT max(version) FROM schema_version)) AS stamp
