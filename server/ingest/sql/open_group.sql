-- Inserts into `batch` those of a group's batches ($1) that may commit in a group, and answers their places and ids.
-- Inserts in the order of idempotency keys prevent deadlocks between two groups with equal keys. Leaves out all
-- batches of an API key if they might exceed its quota of the day. (Each row may change a shape key.) OFFSET 0 makes
-- PostgreSQL look up each run separately. (A join would read all runs.)
WITH asked AS MATERIALIZED (
  SELECT nextval(pg_get_serial_sequence('batch', 'id')) AS id, a.*
  FROM (SELECT g.*
        FROM (SELECT j.*, sum(j.rows) OVER of_key AS key_rows, sum(j.bytes) OVER of_key AS key_bytes
              FROM json_to_recordset($1::json)
                AS j(place integer, api_key bigint, idempotency_key text, digest text, run bigint, owner text,
                     admin boolean, rows bigint, bytes bigint, most_rows bigint, most_bytes bigint, most_keys bigint)
              WINDOW of_key AS (PARTITION BY j.api_key)) AS g
        LEFT JOIN usage u ON u.day = (now() AT TIME ZONE 'UTC')::date AND u.api_key = g.api_key
        CROSS JOIN LATERAL (
          SELECT FROM run
          WHERE id = g.run AND active AND source IS NULL AND job IS NULL AND (g.admin OR owner = g.owner AND NOT trusted) OFFSET 0) AS r
        WHERE (coalesce(u.rows, 0) + g.key_rows <= g.most_rows AND coalesce(u.bytes, 0) + g.key_bytes <= g.most_bytes
               AND coalesce(u.keys, 0) + g.key_rows <= g.most_keys) IS NOT FALSE
        ORDER BY g.owner, g.idempotency_key) AS a
), made AS (
  INSERT INTO batch (id, kind, api_key, idempotency_key, digest, run, owner)
  OVERRIDING SYSTEM VALUE
  SELECT id, 'results', api_key, idempotency_key, digest, run, owner FROM asked
  ON CONFLICT DO NOTHING
  RETURNING id
)
SELECT a.place, a.id FROM made JOIN asked a USING (id) ORDER BY a.place
