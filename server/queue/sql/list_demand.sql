SELECT * FROM demand
WHERE NOT copied AND ($1::smallint IS NULL OR family = $1) AND ($2::text IS NULL OR gfx = $2)
  AND ($3::integer IS NULL OR cu_num = $3)
  AND ($4::bigint IS NULL OR (-count, id) > (-$4, $5::uuid))
ORDER BY -count, id LIMIT $6
