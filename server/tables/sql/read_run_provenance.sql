-- The provenance of the active runs. Only their measurements may win.
SELECT id, (extract(epoch FROM started) * 1000000)::bigint, provenance FROM run WHERE active
