UPDATE run
SET rows = rows + $2, stored = stored + $3, repeats = coalesce($4, repeats), digest = coalesce($5, digest)
WHERE id = $1
