-- $1: a number whose token somebody knows; `known` is null where there is no such revision.
SELECT revision, token_of(revision) AS token, evidence AS writes, stamp, origin, token_of($1) AS known
FROM registry
