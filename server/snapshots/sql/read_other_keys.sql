-- A family's shape keys without a current row, and shape keys that a batch after $2 changed: at most $3 of each. A
-- key may occur twice, because a UNION without ALL would read all keys before it returns the first.
(SELECT key FROM tuned WHERE family = $1 AND standing IS NULL LIMIT $3)
UNION ALL
(SELECT key FROM tuned WHERE family = $1 AND change > $2 LIMIT $3)
