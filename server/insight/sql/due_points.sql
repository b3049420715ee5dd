-- Revisions that need a point and have none: imports, reverts, and the last revision of each ended UTC day. Returns
-- revisions after $1 that are at most $2 days old. Returns the newest $3 of them, in ascending order.
SELECT number, token FROM (
  SELECT r.number, r.token
  FROM (SELECT number, token, kind, (created AT TIME ZONE 'UTC')::date AS day,
               coalesce((lead(created) OVER (ORDER BY number) AT TIME ZONE 'UTC')::date,
                        (now() AT TIME ZONE 'UTC')::date) AS next_day
        FROM revision
        WHERE number > $1 AND created > now() - $2 * interval '1 day') AS r
  WHERE (r.kind IN ('import', 'revert') OR r.day < r.next_day)
    AND r.number > (SELECT coalesce(max(revision), 0) FROM point)
  ORDER BY r.number DESC LIMIT $3
) AS newest ORDER BY number
