-- 0 in recovery, because the timeline then belongs to the primary, and pg_walfile_name fails.
SELECT (SELECT system_identifier FROM pg_control_system()) AS system,
       CASE WHEN NOT pg_is_in_recovery()
            THEN ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint
            ELSE 0 END AS timeline
