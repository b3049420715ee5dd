UPDATE run SET active = false WHERE source = $1 AND id <> $2 AND active RETURNING id
