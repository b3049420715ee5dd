SELECT * FROM job
WHERE id < $1 AND ($2::text IS NULL OR state = $2) AND ($3::smallint IS NULL OR family = $3)
  AND ($4::text IS NULL OR gfx = $4) AND ($5::text IS NULL OR campaign = $5)
  AND ($6::text IS NULL OR agent = $6)
ORDER BY id DESC LIMIT $7
