-- Keys of a family that hold no row now, and those that a batch after $2 changed; $3 at most.
SELECT key FROM tuned WHERE family = $1 AND standing IS NULL
UNION
SELECT key FROM tuned WHERE family = $1 AND change > $2
LIMIT $3
