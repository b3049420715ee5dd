-- Keys of a family that hold no row now, and those that a batch after $2 changed; $3 at most of either,
-- and perhaps one twice: a UNION without ALL would read all of them before it knows the first.
(SELECT key FROM tuned WHERE family = $1 AND standing IS NULL LIMIT $3)
UNION ALL
(SELECT key FROM tuned WHERE family = $1 AND change > $2 LIMIT $3)
