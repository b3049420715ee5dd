-- What stands between a shape and another job of it. Parked ones too: what failed is not tried
-- again behind their backs. $3: nor what was done, whatever came of it.
SELECT family, shapes, purpose FROM job
WHERE (state <> 'done' OR $3) AND gfx = $1 AND ($2 = 0 OR cu_num IN (0, $2))
