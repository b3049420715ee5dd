-- Adds to the API keys' counts of the day. Updates in the order of the API keys prevent deadlocks between two groups.
INSERT INTO usage AS u (api_key, rows, demand, bytes, keys)
SELECT api_key, sum(rows), sum(demand), sum(bytes), sum(keys)
FROM json_to_recordset($1::json) AS x(api_key bigint, rows bigint, demand bigint, bytes bigint, keys bigint)
GROUP BY api_key ORDER BY api_key
ON CONFLICT (day, api_key) DO UPDATE
  SET rows = u.rows + excluded.rows, demand = u.demand + excluded.demand,
      bytes = u.bytes + excluded.bytes, keys = u.keys + excluded.keys
RETURNING api_key, rows, demand, bytes, keys, to_char(day + 1, 'YYYY-MM-DD"T00:00:00Z"') AS ends
