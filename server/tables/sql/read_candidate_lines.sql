-- Every candidate of a family, by its hash.
SELECT candidate, family_version, line FROM candidate_line WHERE family = $1 ORDER BY candidate
