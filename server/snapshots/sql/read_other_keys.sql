-- A family's shape keys that have no row now, and those that a batch after $2 changed; at most $3 of each. A key may
-- come twice, because a UNION without ALL would read all keys before it answers the first.
(SELECT key FROM tuned WHERE family = $1 AND standing IS NULL LIMIT $3)
UNION ALL
(SELECT key FROM tuned WHERE family = $1 AND change > $2 LIMIT $3)
