-- Reads one row of the index for each target.
SELECT coalesce(max(d.last_seen)::text, '')
FROM (VALUES ('', 0), ('', $2::integer), ($1, 0), ($1, $2)) AS t(gfx, cu_num)
CROSS JOIN LATERAL (SELECT last_seen FROM demand WHERE gfx = t.gfx AND cu_num = t.cu_num
                    ORDER BY last_seen DESC LIMIT 1) AS d
