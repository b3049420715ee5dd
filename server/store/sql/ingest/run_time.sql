SELECT (extract(epoch FROM started) * 1000000)::bigint FROM run WHERE id = $1
