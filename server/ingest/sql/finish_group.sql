-- Stores the receipts of a group's batches ($1) and their audit lines.
WITH done AS (
  SELECT * FROM json_to_recordset($1::json)
    AS g(batch bigint, receipt text, stored integer, won integer, api_key bigint, detail text, owner text, request text)
), finished AS (
  UPDATE batch b SET receipt = d.receipt, stored = d.stored, won = d.won FROM done d WHERE b.id = d.batch
)
INSERT INTO audit (api_key, action, detail, owner, request)
SELECT api_key, 'results', detail, owner, request FROM done ORDER BY batch
