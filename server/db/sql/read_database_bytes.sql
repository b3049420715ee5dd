-- A role that may not connect may not know the size, unless it may read all figures.
SELECT CASE WHEN has_database_privilege(current_database(), 'CONNECT')
              OR pg_has_role('pg_read_all_stats', 'USAGE')
            THEN pg_database_size(current_database()) END
