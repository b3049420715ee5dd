SELECT * FROM demand
WHERE family = $1 AND gfx IN ('', $2) AND ($3 = 0 OR cu_num IN (0, $3)) AND NOT copied
