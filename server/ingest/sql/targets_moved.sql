-- Whose rows come or go where the import $2 of the source $1 and the import $3 take each other's place: what
-- touch_moved.sql touches. 0: no import.
SELECT DISTINCT f.name, t.gfx, t.cu_num
FROM measurement m
JOIN tuned t ON t.key = m.key AND t.provider = m.provider
JOIN family f ON f.id = t.family
WHERE m.source = $1 AND m.standing < 4 AND (m.runs @> $2::bigint) <> (m.runs @> $3::bigint)
ORDER BY 1, 2, 3
