-- Demand that claims may plan for gfx $1: at most $4 rows, the most missed first. $2, $3: the families, and the CU
-- counts in their shape keys. Reads up to $4 rows of each family from the index of open demand.
SELECT d.*
FROM unnest($2::smallint[], $3::integer[]) AS f(family, cu_num)
CROSS JOIN LATERAL (SELECT * FROM demand
                    WHERE gfx = $1 AND cu_num = f.cu_num AND family = f.family AND closed IS NULL AND job IS NULL
                    ORDER BY count DESC, id LIMIT $4) AS d
ORDER BY d.count DESC, d.id LIMIT $4
