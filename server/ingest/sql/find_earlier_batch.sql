-- A run's first batch repeats nothing of it. Others of the same family wait for the family's lock.
SELECT FROM batch WHERE run = $1 AND id <> $2 LIMIT 1
