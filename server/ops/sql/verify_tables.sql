-- The same statements as for batches choose every row again. They write to temporary tables, which hide the stored
-- tables in this transaction. These views show the stored tables.
CREATE TEMPORARY VIEW stored_tuned AS SELECT * FROM tuned;
CREATE TEMPORARY VIEW stored_candidate AS SELECT * FROM candidate;
CREATE TEMPORARY VIEW stored_history AS SELECT * FROM tuned_history;
CREATE TEMPORARY TABLE tuned (LIKE tuned INCLUDING ALL) ON COMMIT DROP;
CREATE TEMPORARY TABLE candidate (LIKE candidate INCLUDING ALL) ON COMMIT DROP;
CREATE TEMPORARY TABLE tuned_history (LIKE tuned_history INCLUDING ALL) ON COMMIT DROP;
-- The served rows of each key, with the start and end of service. No end: still served.
CREATE TEMPORARY VIEW stored_interval AS
SELECT key, provider, family, measurement, from_change, to_change FROM stored_history
UNION ALL
SELECT key, provider, family, measurement, change, NULL FROM stored_tuned WHERE measurement IS NOT NULL;
-- The number of keys that each batch changed, by the intervals.
CREATE TEMPORARY TABLE stored_changes ON COMMIT DROP AS
SELECT family, change, count(*) AS keys
FROM (SELECT family, key, provider, from_change AS change FROM stored_interval
      UNION
      SELECT family, key, provider, to_change FROM stored_interval WHERE to_change IS NOT NULL) AS changed
GROUP BY family, change;
INSERT INTO tuned SELECT * FROM stored_tuned;
INSERT INTO touched (key, provider) SELECT key, provider FROM stored_tuned;
ANALYZE stored_changes;
ANALYZE tuned;
ANALYZE touched;
