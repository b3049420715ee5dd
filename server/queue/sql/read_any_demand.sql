-- Demand for any target or any CU count that fits the target ($1, $2). Returns at most $5 rows after the place ($3,
-- $4), in the order of the last miss. lately: no transaction will still commit demand that is older than this.
SELECT d.*, d.last_seen::text AS place, (clock_timestamp() - interval '1 minute')::text AS lately
FROM (VALUES ('', 0), ('', $2::integer), ($1, 0)) AS t(gfx, cu_num)
CROSS JOIN LATERAL (SELECT * FROM demand
                    WHERE gfx = t.gfx AND cu_num = t.cu_num AND (last_seen, id) > ($3::timestamptz, $4::uuid)
                    ORDER BY last_seen, id LIMIT $5) AS d
ORDER BY d.last_seen, d.id LIMIT $5
