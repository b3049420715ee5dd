SELECT coalesce(max(last_seen)::text, '') FROM demand
WHERE gfx IN ('', $1) AND cu_num IN (0, $2)
