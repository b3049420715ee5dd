INSERT INTO job (family, purpose, gfx, cu_num, priority, weight, campaign, shapes)
SELECT family, purpose, gfx, cu_num, priority, weight, nullif(campaign, ''), shapes
FROM json_to_recordset($1::json)
     AS x(family smallint, purpose text, gfx text, cu_num integer, priority integer, weight bigint,
          campaign text, shapes json)
RETURNING id
