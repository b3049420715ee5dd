-- Measured times of tuned shape keys with more than one measured candidate, in the order of the CSV. $2: true if the
-- family's shape keys name an engine; then rows of every engine are served. $3, $4: the target. $5: only keys up to
-- this key; null: all.
SELECT t.key, t.gfx, t.cu_num, c.us, m.line, m.family_version,
       t.measurement IS NOT DISTINCT FROM c.measurement AS won
FROM (SELECT t.key, t.provider
      FROM tuned t
      JOIN candidate c ON c.key = t.key AND c.provider = t.provider
      WHERE t.family = $1 AND c.standing = 0 AND NOT t.baseline
        AND ($3::text IS NULL OR t.gfx = $3 AND t.cu_num = $4)
        AND ($5::uuid IS NULL OR t.key <= $5)
      GROUP BY t.key, t.provider
      HAVING count(*) > 1) AS many
JOIN tuned t ON t.key = many.key AND t.provider = many.provider
JOIN candidate c ON c.key = t.key AND c.provider = t.provider
JOIN measurement m ON m.key = c.key AND m.candidate = c.candidate AND m.id = c.measurement
WHERE c.standing = 0 AND ($2 OR t.provider = 0 AND t.gfx LIKE 'gfx%' OR t.provider = 1 AND t.gfx NOT LIKE 'gfx%')
ORDER BY t.ord, c.us, c.candidate
