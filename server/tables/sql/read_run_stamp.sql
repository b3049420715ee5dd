-- A text that changes if read_run_times.sql would answer other rows of these runs. Rows come with batches, whose
-- digests cover the request. A row's judgement changes only with another family file or targets.json, or by a
-- migration. Times and digests tell a batch from one that got the same number after a failover.
SELECT concat_ws(' ',
  (SELECT md5(string_agg(concat_ws(' ', id, run, extract(epoch FROM received), digest), ',' ORDER BY id))
   FROM batch WHERE run = ANY ($1::bigint[])),
  (SELECT concat_ws(' ', count(*), extract(epoch FROM max(created))) FROM family_version),
  (SELECT concat_ws(' ', count(*), extract(epoch FROM max(created))) FROM targets_version),
  (SELECT max(version) FROM schema_version)) AS stamp
