-- A role that may not see others' replication sees a row for each standby, and no state.
SELECT extract(epoch FROM clock_timestamp()) AS seconds,
       current_setting('synchronous_standby_names') AS wanted,
       pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS sees,
       (SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming') AS standbys,
       (SELECT count(*) FROM pg_stat_replication
        WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum')) AS synchronous,
       idle.names AS idle_slots, idle.bytes AS idle_slot_bytes
FROM (SELECT string_agg(slot_name, ', ' ORDER BY slot_name) AS names,
             max(pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
                                      ELSE pg_current_wal_lsn() END, restart_lsn))::bigint AS bytes
      FROM pg_replication_slots WHERE NOT active AND restart_lsn IS NOT NULL) AS idle
