-- Inserts the rows of a group's batches ($1), as insert_batch.sql. Answers those that may go in a group, with their
-- runs. Works in the order of their keys, so that two groups with twins do not deadlock.
-- OFFSET 0 looks each run up by itself: a join read all runs.
WITH asked AS MATERIALIZED (
  SELECT nextval(pg_get_serial_sequence('batch', 'id')) AS id, a.*
  FROM (SELECT g.*
        FROM json_to_recordset($1::json) AS g(place integer, api_key bigint, idempotency_key text, digest text,
                                              run bigint, owner text, admin boolean)
        CROSS JOIN LATERAL (
          SELECT FROM run
          WHERE id = g.run AND active AND source IS NULL AND (g.admin OR owner = g.owner AND NOT trusted) OFFSET 0) AS r
        ORDER BY g.owner, g.idempotency_key) AS a
), made AS (
  INSERT INTO batch (id, kind, api_key, idempotency_key, digest, run, owner)
  OVERRIDING SYSTEM VALUE
  SELECT id, 'results', api_key, idempotency_key, digest, run, owner FROM asked
  ON CONFLICT DO NOTHING
  RETURNING id
)
SELECT a.place, a.id FROM made JOIN asked a USING (id) ORDER BY a.place
