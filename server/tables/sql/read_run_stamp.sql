-- By which it is known whether read_run_times.sql would answer something else of these runs. Their rows
-- come with batches, whose digests are of what was sent; what is thought of a row changes only where it is
-- judged by another family file or targets.json, or by a migration. Times and digests tell a batch from
-- another one that got its number after a failover that lost it.
SELECT concat_ws(' ',
  (SELECT md5(string_agg(concat_ws(' ', id, run, extract(epoch FROM received), digest), ',' ORDER BY id))
   FROM batch WHERE run = ANY ($1::bigint[])),
  (SELECT concat_ws(' ', count(*), extract(epoch FROM max(created))) FROM family_version),
  (SELECT concat_ws(' ', count(*), extract(epoch FROM max(created))) FROM targets_version),
  (SELECT max(version) FROM schema_version)) AS stamp
