-- The provenance of the runs $1, active or not.
SELECT id, (extract(epoch FROM started) * 1000000)::bigint, provenance FROM run WHERE id = ANY($1::bigint[])
