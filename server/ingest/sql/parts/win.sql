-- WinnerOf of core/row/winner.h. Reads `rivals`: rows of the table candidate that may win, or nulls for a key without
-- such a row. Makes `winner`: the candidate that wins each key and provider. Nulls sort last.
placed AS (
  SELECT *, row_number() OVER rule AS place, lead(us) OVER rule AS next_us, lead(error) OVER rule AS next_error,
         first_value(high) OVER rule AS reach, count(*) OVER (PARTITION BY key, provider, standing, grade) AS size
  FROM (SELECT *, grade_of(standing, low) AS grade FROM rivals) AS graded
  WINDOW rule AS (PARTITION BY key, provider, standing, grade
                  ORDER BY CASE WHEN standing > 0 THEN rank END, CASE WHEN standing = 1 THEN -run_time END,
                           CASE WHEN standing = 1 THEN run END, CASE WHEN standing <> 1 THEN us END,
                           CASE WHEN standing <> 1 THEN error END, candidate, run)
-- The fastest candidate of its standing and grade. With samples: the first among the candidates that are tied with
-- the fastest.
), champion AS (
  SELECT DISTINCT ON (key, provider, standing, grade) *,
         count(*) OVER (PARTITION BY key, provider, standing, grade) AS ties
  FROM (SELECT *, CASE WHEN grade = 0 THEN coalesce(since_time, run_time) ELSE run_time END AS age,
               CASE WHEN grade = 0 THEN coalesce(since_run, run) ELSE run END AS age_run
        FROM placed
        WHERE place = 1 OR grade = 0 AND low <= reach) AS tied
  ORDER BY key, provider, standing, grade, age, age_run, coalesce(since_us, us), error, candidate
), compared AS (
  SELECT *, sum(size) OVER (PARTITION BY key, provider) AS rivals,
         sum(size) OVER (PARTITION BY key, provider, standing) AS alike,
         -- True if the best sampled and the best unsampled candidate are equally good. 5 %: kMostSpread.
         standing = 0 AND grade < 2
           AND CASE WHEN grade = 0 THEN low <= lead(us) OVER other * 1.05 AND lead(us) OVER other * 0.95 <= high
                    ELSE lag(low) OVER other <= us * 1.05 AND us * 0.95 <= lag(high) OVER other END AS is_near
  FROM champion
  WINDOW other AS (PARTITION BY key, provider, standing, grade = 2 ORDER BY grade)
), winner AS (
  SELECT DISTINCT ON (key, provider) *,
         CASE WHEN standing = 2 THEN 5
              WHEN rivals = 1 THEN CASE WHEN measurement IS NOT NULL THEN 0 END
              WHEN standing = 1 THEN 6
              WHEN alike = 1 THEN 4
              WHEN is_near OR ties > 1 THEN 7
              WHEN grade = 0 THEN CASE WHEN agreed THEN 9 ELSE 8 END
              WHEN size = 1 OR us IS DISTINCT FROM next_us THEN 1
              WHEN error IS DISTINCT FROM next_error THEN 2
              ELSE 3 END AS why
  FROM compared
  ORDER BY key, provider, standing, grade = 2, CASE WHEN is_near THEN age END, CASE WHEN is_near THEN age_run END, us,
           error, candidate
)
