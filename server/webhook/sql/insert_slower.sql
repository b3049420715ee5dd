INSERT INTO notice (event, family, gfx, cu_num, count, mark, about)
VALUES ('slower', $1, $2, $3, $4, $6, ARRAY[$5::bigint, $6::bigint])
