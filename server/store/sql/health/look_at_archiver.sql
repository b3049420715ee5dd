SELECT current_setting('archive_mode') <> 'off' AS is_on, failed_count AS failed,
       last_failed_wal AS last_failed_file, last_failed_time AS last_failed,
       last_archived_time AS last_archived,
       last_failed_time IS NOT NULL
         AND (last_archived_time IS NULL OR last_failed_time > last_archived_time) AS fails_now
FROM pg_stat_archiver
