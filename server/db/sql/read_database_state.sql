-- A role without pg_read_all_stats sees the connected standbys, but none of their figures.
WITH here AS (
  SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END AS lsn
)
SELECT pg_has_role('pg_read_all_stats', 'USAGE') AS may_read,
       standby.synchronous, standby.asynchronous, standby.lag_bytes,
       current_setting('archive_mode') <> 'off' AS archives,
       archiver.archived_count AS archived, archiver.failed_count AS failed
FROM pg_stat_archiver AS archiver,
     (SELECT count(*) FILTER (WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum')) AS synchronous,
             count(*) FILTER (WHERE state = 'streaming' AND sync_state NOT IN ('sync', 'quorum')) AS asynchronous,
             max(pg_wal_lsn_diff(here.lsn, coalesce(replay_lsn, flush_lsn, sent_lsn)))::bigint AS lag_bytes
      FROM pg_stat_replication, here
      WHERE state IN ('streaming', 'catchup')) AS standby
