-- Of the source $1: whose keys the import in force ($2) has and the staged one has not. Also those of which it
-- has a wrong row alone: such a row keeps its candidate out, of whichever source that is.
SELECT DISTINCT f.name, t.gfx, t.cu_num
FROM measurement m
JOIN tuned t ON t.key = m.key AND t.provider = m.provider
JOIN family f ON f.id = t.family
WHERE m.source = $1 AND m.runs @> $2::bigint AND m.standing < 4
  AND NOT EXISTS (SELECT FROM stage s WHERE s.key = m.key AND s.provider = m.provider)
ORDER BY 1, 2, 3
