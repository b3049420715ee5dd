-- The targets of shape keys of the source $1 that are in the import in force ($2) but not in the staged import.
-- Includes keys with only a wrong row, because a wrong row also excludes rows of the same candidate from other
-- sources.
SELECT DISTINCT f.name, t.gfx, t.cu_num
FROM measurement m
JOIN tuned t ON t.key = m.key AND t.provider = m.provider
JOIN family f ON f.id = t.family
WHERE m.source = $1 AND m.runs @> $2::bigint AND m.standing < 4
  AND NOT EXISTS (SELECT FROM stage s WHERE s.key = m.key AND s.provider = m.provider)
ORDER BY 1, 2, 3
