-- PostgreSQL shows the size only to a role that may connect or may read all statistics.
SELECT CASE WHEN has_database_privilege(current_database(), 'CONNECT')
              OR pg_has_role('pg_read_all_stats', 'USAGE')
            THEN pg_database_size(current_database()) END
