-- The targets whose rows may change by a revert of the run $1: the targets of its rows. If the run is an import of
-- the source $2 after the import $3, also the targets of the keys that touch_moved.sql touches. $2, $3: 0 means no
-- source or no import.
SELECT f.name, t.gfx, t.cu_num
FROM (SELECT key, provider, 0 AS place FROM run_row WHERE of_run = $1
      UNION ALL
      SELECT key, provider, 1 FROM measurement
      WHERE source = $2 AND standing < 4 AND (runs @> $3::bigint) <> (runs @> $1::bigint)) AS m
JOIN tuned t ON t.key = m.key AND t.provider = m.provider
JOIN family f ON f.id = t.family
GROUP BY 1, 2, 3
ORDER BY min(m.place), 1, 2, 3
