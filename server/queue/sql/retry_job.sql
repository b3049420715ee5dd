UPDATE job SET state = 'queued', tries = 0, rest_until = NULL
WHERE id = $1 AND state = 'parked'
RETURNING *
