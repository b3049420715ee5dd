-- The last compared revision. A registry that never had a webhook begins with its current state.
WITH first AS (
  INSERT INTO webhook (revision) SELECT revision FROM registry ON CONFLICT DO NOTHING RETURNING revision
)
SELECT revision FROM first UNION ALL SELECT revision FROM webhook
