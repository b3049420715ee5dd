-- Adds counts in the order of ids, so that two batches of the same shapes do not deadlock. A count stops at 10^15, since
-- sums must fit into 64 bits. Answers the number of new rows, for which xmax is 0.
WITH added AS (
  INSERT INTO demand AS d (id, family, cu_num, gfx, shape, count)
  SELECT id, family, cu_num, gfx, shape, count
  FROM json_to_recordset($1::json)
       AS x(id uuid, family smallint, cu_num integer, gfx text, shape json, count bigint)
  ORDER BY id
  ON CONFLICT (id) DO UPDATE SET count = least(d.count + excluded.count, 1000000000000000), last_seen = now()
  RETURNING xmax = 0 AS new
)
SELECT count(*) FILTER (WHERE new) FROM added
