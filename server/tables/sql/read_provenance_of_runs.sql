-- The provenance of these runs.
SELECT id, (extract(epoch FROM started) * 1000000)::bigint, provenance FROM run WHERE id = ANY($1::bigint[])
