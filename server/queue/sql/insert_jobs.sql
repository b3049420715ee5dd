-- $2: the owner whose write plans the jobs; null: none.
INSERT INTO job (family, purpose, gfx, cu_num, priority, weight, campaign, why, shapes, owner)
SELECT family, purpose, gfx, cu_num, priority, weight, nullif(campaign, ''), nullif(why, ''), shapes, $2
FROM json_to_recordset($1::json)
     AS x(family smallint, purpose text, gfx text, cu_num integer, priority integer, weight bigint,
          campaign text, why text, shapes json)
RETURNING id
