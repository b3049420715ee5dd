-- Adds counts. Updates in the order of ids prevent deadlocks between two batches with the same shapes. A count stops
-- at 10^15, since sums must fit into 64 bits. $2: true if the rows are copies of demand for any target; they then
-- change no stored row. Answers the number of new rows (rows with xmax 0).
WITH added AS (
  INSERT INTO demand AS d (id, family, cu_num, gfx, shape, count, copied, closed)
  SELECT id, family, cu_num, gfx, shape, count, $2, CASE WHEN is_tuned(id) THEN now() END
  FROM json_to_recordset($1::json)
       AS x(id uuid, family smallint, cu_num integer, gfx text, shape json, count bigint)
  ORDER BY id
  ON CONFLICT (id) DO UPDATE
  SET count = least(CASE WHEN d.copied THEN 0 ELSE d.count END + excluded.count, 1000000000000000),
      copied = false, last_seen = now(), closed = excluded.closed
  WHERE NOT excluded.copied
  RETURNING xmax = 0 AS new
)
SELECT count(*) FILTER (WHERE new) FROM added
