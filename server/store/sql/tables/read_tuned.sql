-- The tuned rows of a family that changed after a batch, in the order of the CSV.
SELECT t.key, t.ord, t.gfx, t.cu_num, t.provider, t.standing, t.change, m.line, m.us,
       m.family_version, t.baseline
FROM tuned t
LEFT JOIN measurement m ON m.key = t.key AND m.id = t.measurement
WHERE t.family = $1 AND t.change > $2 AND (t.measurement IS NOT NULL OR $2 > 0)
ORDER BY t.ord, t.provider
