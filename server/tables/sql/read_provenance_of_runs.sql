-- What these runs say about where they measured.
SELECT id, (extract(epoch FROM started) * 1000000)::bigint, provenance FROM run WHERE id = ANY($1::bigint[])
